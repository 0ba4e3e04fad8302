"""Agreement by tag and by risk: by hand, of thousands of tags, and from either database."""

from __future__ import annotations

import numpy as np
import pytest

from calibration import reports
from calibration.agreement import tags
from calibration.agreement.tags import LONGEST, MOST, Tagged
from calibration.readings.comparisons import ComparedList
from calibration.stats.rates import wilson
from labeling.models import Case
from labeling.references import stood
from tests.calibration.report_fixtures import Row, columns
from tests.calibration.report_records import a_run, a_set
from tests.sheets import forgotten

ROWS = [
    Row("Ss", "Ss"),
    Row("Su", "Ss"),
    Row("Su", "Eu"),
    Row("..", "Ss"),
    Row("Ss", "timeout"),
    Row("Ss", "Ss"),
]
TAGS = [["a", "risk:high"], ["b", "a", "risk:high"], ["risk:low"], ["a"], ["c"], []]


def tagged(lists):
    names = list(dict.fromkeys(tag for each in lists for tag in each))
    held = [(case, names.index(tag)) for case, each in enumerate(lists) for tag in each]
    case, tag = np.array(held, dtype=np.int64).reshape(-1, 2).T
    return Tagged(case, tag, tuple(names))


def of(rows, lists):
    return tags.figures(columns(rows), tagged(lists))


def short(rates):
    return {name: (rate["count"], rate["n"]) for name, rate in rates.items()}


def test_tags_and_risk_by_hand():
    """Row 2 is right in its verdict, though its class is another; row 3 has no reference and row 4
    failed, so they are in no n."""
    found = of(ROWS, TAGS)
    assert short(found["by_tag"]) == {"a": (1, 2), "b": (0, 1), "c": (0, 0)}
    assert short(found["by_risk"]) == {"high": (1, 2), "low": (1, 1)}
    assert found["tags_left_out"] == {"by_tag": 0, "by_risk": 0}
    assert (found["by_tag"]["c"]["rate"], found["by_tag"]["c"]["reason"]) == (
        None,
        "no statement was compared",
    )


def test_all_statements_of_a_tagged_case_count_and_are_as_sure_as_their_pairs():
    rows = [
        Row(human, human if pair % 3 else judge, pair, side)
        for pair in range(30)
        for side, (human, judge) in enumerate([("Ss", "Su"), ("Su", "Ss")])
    ]
    found = of(rows, [["t"]] * 60)["by_tag"]["t"]
    assert (found["count"], found["n"]) == (40, 60)
    assert found["interval"] == pytest.approx(wilson(20, 30), abs=0.005)


def test_of_thousands_of_tags_the_most_frequent_are_kept_and_the_others_counted():
    """Of tag number t there are 3 statements below 20, 2 below 30, else one."""
    lists = [[f"t{number:04}"] for number in range(2000)]
    lists += [[f"t{number:04}"] for number in range(30)] + [
        [f"t{number:04}"] for number in range(20)
    ]
    found = of([Row("Ss", "Ss")] * len(lists), lists)
    assert list(found["by_tag"]) == [f"t{number:04}" for number in range(MOST)]
    assert [rate["n"] for rate in found["by_tag"].values()] == [3] * 20 + [2] * 10 + [1] * 20
    assert found["tags_left_out"] == {"by_tag": 2000 - MOST, "by_risk": 0}


def test_levels_of_risk_are_kept_apart_from_tags_and_have_a_limit_of_their_own():
    lists = [[f"risk:{number:03}", "only"] for number in range(MOST + 7)]
    found = of([Row("Ss", "Ss")] * len(lists), lists)
    assert (len(found["by_risk"]), list(found["by_tag"])) == (MOST, ["only"])
    assert found["tags_left_out"] == {"by_tag": 0, "by_risk": 7}


def test_a_tag_that_says_nothing_or_far_too_much_is_left_out():
    lists = [["", "x" * LONGEST, "risk:", "y" * (LONGEST + 1), "risk:" + "z" * LONGEST]]
    found = of([Row("Ss", "Ss")], lists)
    assert list(found["by_tag"]) == ["x" * LONGEST]
    assert list(found["by_risk"]) == ["z" * LONGEST]
    assert found["tags_left_out"] == {"by_tag": 2, "by_risk": 1}


@pytest.mark.parametrize("rows", [[], ROWS])
def test_without_tags_there_are_no_rates(rows):
    assert of(rows, [[]] * len(rows)) == {
        "by_tag": {},
        "by_risk": {},
        "tags_left_out": {"by_tag": 0, "by_risk": 0},
    }


# ---- in the database

ODD = "<b>=1+1|x\u202e{{ 7 }} & ü 'q' \"d\" \\ 100%"


@pytest.fixture
def report(db):
    run = a_run(a_set(ROWS), ROWS, failure_ceiling=0.5)
    lists = [*TAGS[:5], [ODD, "a", "a", "risk:high"]]
    for case, held in zip(Case.objects.order_by("position"), lists, strict=True):
        Case.objects.filter(pk=case.pk).update(tags=held)
    return reports.create(run)


def test_a_report_has_the_tags_of_its_cases_each_once(report):
    figures = reports.figures(report)
    assert short(figures["by_tag"]) == {"a": (2, 3), ODD: (1, 1), "b": (0, 1), "c": (0, 0)}
    assert short(figures["by_risk"]) == {"high": (2, 3), "low": (1, 1)}
    # The most frequent first, whatever order the database kept them in.
    assert [*figures["by_tag"]] == ["a", ODD, "b", "c"]


def test_each_count_of_a_tag_is_the_length_of_its_list(report):
    figures = reports.figures(report)
    named = [*figures["by_tag"].items()]
    named += [(f"risk:{level}", rate) for level, rate in figures["by_risk"].items()]
    for tag, rate in named:
        assert ComparedList(report, {"tag": tag}).count() == rate["n"], tag
        right = ComparedList(report, {"tag": tag, "verdict_right": "yes"})
        assert right.count() == rate["count"], tag
    assert ComparedList(report, {"tag": "nobody's"}).count() == 0


def test_tags_of_another_revision_or_set_are_not_read(report):
    other = a_set([Row("Ss", "Ss")], slug="other")
    Case.objects.filter(set=other).update(tags=["elsewhere"])
    Case.objects.filter(set=report.run.set, case_id="case-1").update(added_in=2)
    forgotten()
    *_, names = stood.of(report.run.set, 1).tagged
    assert set(names) == {"a", "risk:high", "risk:low", "c", ODD}
