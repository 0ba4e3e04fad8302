"""Two versions on the same statements: figures by hand, what may be compared, the command."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from calibration import comparing, reports, rubrics
from calibration.agreement import comparison
from calibration.stats.paired import newcombe_paired
from calibration.stats.rates import wilson
from grounding.errors import Refused
from labeling.models import Annotator, CalibrationSet
from tests.calibration import report_fixtures
from tests.calibration.agreement.comparison_records import HAND, next_revision, sides, two_runs
from tests.calibration.report_fixtures import Row
from tests.calibration.report_records import a_run, a_set, label
from tests.grounding.rubric_examples import with_changes

KEYS = {
    "comparable", "n", "both_right", "only_first", "only_second", "neither", "difference",
    "mcnemar", "lenient", "cells", "fixed", "broke",
}  # fmt: skip


def computed(rows=HAND):
    return comparison.figures(*map(report_fixtures.columns, sides(rows)))


def released(**changes):
    return rubrics.release(with_changes(**changes)).rubric_version


def run_command(*arguments):
    """Standard output, standard error and the exit code of `compare`."""
    out, err = StringIO(), StringIO()
    try:
        call_command("compare", *arguments, stdout=out, stderr=err)
    except (CommandError, SystemExit) as stopped:
        code = getattr(stopped, "returncode", None) or getattr(stopped, "code", None)
        return out.getvalue(), err.getvalue() + str(stopped), code
    return out.getvalue(), err.getvalue(), 0


# ---- the figures, by hand


def test_the_four_counts_and_what_they_come_to():
    """Rows 0, 6, 13 are right twice; 1, 2, 3, 8 under the first alone; 5 and 7 under the second
    alone; 4 under neither. So 4 - 2 of 10, and of 6 that tell the two apart 2 are as few as
    (1 + 6 + 15) / 64 on one side, twice that on both."""
    found = computed()
    assert [found[key] for key in ("n", "both_right", "only_first", "only_second", "neither")] == [
        10, 3, 4, 2, 1,
    ]  # fmt: skip
    assert found["difference"]["value"] == pytest.approx(0.2)
    low, high = found["difference"]["interval"]
    assert -1 <= low < 0.2 < high <= 1
    assert found["mcnemar"] == {"p": pytest.approx(0.6875), "n": 6, "reason": None}


def test_leniency_is_counted_on_failing_references_and_tested_on_one_side():
    """Rows 2, 3, 4, 5 fail. The first passes row 5, the second 2, 3 and 4: of 4 that tell the two
    apart 3 or more on the second's side, (4 + 1) / 16."""
    lenient = computed()["lenient"]
    assert (lenient["first"]["count"], lenient["first"]["n"]) == (1, 4)
    assert (lenient["second"]["count"], lenient["second"]["n"]) == (3, 4)
    assert (lenient["only_first"], lenient["only_second"]) == (1, 3)
    assert lenient["p_more_lenient"] == pytest.approx(5 / 16)


def test_what_turns_as_a_whole_is_one_piece_of_evidence():
    """Five pairs of two failing statements a side, newly passed throughout, and five that neither
    version passes: 1/2^5, not 1/2^20, and an interval of ten, not of forty."""
    rows = [
        Row("Su", judge, pair, side)
        for pair in range(10)
        for side in (0, 0, 1, 1)
        for judge in (("Su", "Ss") if pair < 5 else ("Su", "Su"),)
    ]
    first, second = (
        report_fixtures.columns([row._replace(judge=row.judge[at]) for row in rows])
        for at in range(2)
    )
    found = comparison.figures(first, second)
    assert (found["lenient"]["only_second"], found["lenient"]["second"]["n"]) == (20, 40)
    assert found["lenient"]["p_more_lenient"] == pytest.approx(1 / 32)
    assert found["difference"]["value"] == 0.5
    low, high = found["difference"]["interval"]
    assert (low, high) == pytest.approx(newcombe_paired(5, 5, 0, 0), abs=0.05)
    assert found["lenient"]["second"]["interval"] == pytest.approx(wilson(5, 10), abs=0.05)
    cell = next(cell for cell in found["cells"] if cell["n"])
    assert cell["difference"]["interval"] == [low, high]


def test_every_cell_has_its_own_counts_and_those_without_a_class_are_last():
    cells = computed()["cells"]
    told = {
        (c["claim_class"], c["verdict"]): (
            c["first"]["count"],
            c["second"]["count"],
            c["n"],
            c["p"],
        )
        for c in cells
        if c["n"]
    }
    assert told == {
        ("subject_specific", "supported"): (3, 3, 4, 1.0),
        ("subject_specific", "unsupported"): (2, 0, 2, 0.5),
        ("subject_specific", "contradictory"): (0, 1, 2, 1.0),
        ("interpretation", "not_applicable"): (1, 1, 1, None),
        (None, "supported"): (1, 0, 1, 1.0),
    }
    assert sum(cell["n"] for cell in cells) == 10
    assert [cell["claim_class"] for cell in cells][-1] is None
    contradictory = next(c for c in cells if c["verdict"] == "contradictory" and c["n"])
    assert contradictory["lenient"]["second"]["count"] == 1


def test_holm_is_over_the_cells_that_have_a_p_value():
    """Eight to none: 2 / 256, doubled for the two cells that are tested; the third says nothing."""
    rows = [("Su", "Su", "Ss")] * 8 + [("Sc", "Ss", "Sc"), ("Ss", "Ss", "Ss")]
    adjusted = {c["verdict"]: (c["p"], c["p_holm"]) for c in computed(rows)["cells"] if c["n"]}
    assert adjusted == {
        "unsupported": (pytest.approx(2 / 256), pytest.approx(4 / 256)),
        "contradictory": (1.0, 1.0),
        "supported": (None, None),
    }


def test_what_is_left_out_adds_up_with_what_is_compared():
    found = computed()
    assert found["left_out"] == {
        "first_failed": 1, "second_failed": 1, "both_failed": 1, "without_reference": 1,
    }  # fmt: skip
    assert found["n"] + sum(found["left_out"].values()) == len(HAND)


@pytest.mark.parametrize(
    ("which", "rows"),
    [
        ("broke", [(2, "lenient"), (3, "lenient"), (1, "strict"), (8, "strict")]),
        ("fixed", [(5, "lenient"), (7, "class_escape")]),
        ("newly_lenient", [(2, "lenient"), (3, "lenient"), (4, "lenient")]),
    ],
)
def test_lists_are_by_the_direction_of_the_error_most_harmful_first(which, rows):
    first, second = map(report_fixtures.columns, sides())
    found = getattr(comparison, which)(first, second)
    directions = [comparison.agreement.DIRECTIONS[at] for at in found.directions]
    assert list(zip(found.rows.tolist(), directions, strict=True)) == rows


def test_nothing_over_nothing_is_undefined_with_its_reason():
    for found in (computed([("..", "Ss", "Ss")]), comparison.nothing("another scope")):
        assert found["n"] == 0
        assert found["difference"]["value"] is found["difference"]["interval"] is None
        assert found["difference"]["reason"]
        assert found["mcnemar"]["p"] is found["lenient"]["p_more_lenient"] is None
        assert found["lenient"]["first"]["rate"] is None
        assert found["lenient"]["reason"]


# ---- what may be compared

pytestmark = pytest.mark.django_db


def test_two_recorded_runs_compare_with_the_scope_not_stated():
    first, second = two_runs()
    figures = comparing.compare(first, second).figures
    assert (figures["comparable"], figures["scope"]) == (True, "not stated")
    assert {key: figures[key] for key in ("n", "both_right", "only_first")} == {
        "n": 10, "both_right": 3, "only_first": 4,
    }  # fmt: skip
    assert figures["first"]["baseline"] is None


def test_recorded_against_released_is_refused_whichever_comes_first():
    first, second = two_runs()
    second.rubric_version = released()
    second.save()
    for pair in ((first, second), (second, first)):
        compared = comparing.compare(*pair)
        assert not compared.comparable
        assert "was recorded elsewhere and states no scope" in compared.figures["reason"]
        assert compared.figures["fields"] == []


def test_equal_scopes_compare_whatever_the_names():
    other = released(name="another", judge__parameters__support_probability=0.31)
    first, second = two_runs(versions=(released(), other))
    figures = comparing.compare(first, second).figures
    assert (figures["comparable"], figures["scope"], figures["n"]) == (True, "same", 10)


def test_another_scope_is_refused_with_the_fields_of_the_scope_that_moved():
    newer = released(
        version="2.0.0", verdict_mapping__refuted="unsupported", prompts__verify="Look twice."
    )
    first, second = two_runs(versions=(released(), newer))
    figures = comparing.compare(first, second).figures
    assert not figures["comparable"]
    assert figures["fields"] == ["verdict_mapping.refuted"]
    assert figures["moved"] == [
        {"field": "verdict_mapping.refuted", "first": "contradictory", "second": "unsupported"}
    ]
    assert figures["second"]["baseline"] == {"of": "groundedness@2", "run": second.pk}
    assert (figures["n"], figures["cells"], figures["difference"]["value"]) == (0, [], None)


def test_another_revision_compares_on_what_both_hold_and_says_how_much_that_is():
    first, second = two_runs()
    next_revision(second.set, second, position=2)
    compared = comparing.full(comparing.compare(first, second))
    assert compared["n"] == 9
    assert compared["statements"] == {"common": 13, "only_in_first": 1, "only_in_second": 0}
    assert "case-2" not in {row["case_id"] for row in compared["broke"]}
    text, _, code = run_command("judge@1.0.0", "judge@1.1.0", "made")
    assert code == 0
    assert "only the 13 statements of both can be compared" in " ".join(text.split())


def test_a_run_in_which_nothing_was_graded_is_not_compared():
    first, second = two_runs([("Ss", "timeout", "Ss")])
    assert "nothing was graded in run" in comparing.compare(first, second).figures["reason"]


def test_a_run_that_is_not_finished_is_refused():
    first, second = two_runs()
    second.judgments.filter(statement__position=0).update(
        outcome=None, verdict=None, claim_class=None
    )
    with pytest.raises(Refused, match="only a finished run can be compared"):
        comparing.compare(first, second)


def test_runs_on_two_sets_are_refused():
    first, _ = two_runs()
    _, second = two_runs(slug="elsewhere")
    with pytest.raises(Refused, match="two sets"):
        comparing.compare(first, second)


def test_both_are_measured_against_the_references_of_one_moment():
    first, second = two_runs()
    before = comparing.compare(first, second).figures
    third = Annotator.objects.create(set=first.set, code="ann-2")
    statement = first.judgments.get(statement__position=9).statement
    label(statement, third, "Ss")
    after = comparing.compare(first, second).figures
    assert before["reference"]["digest"] != after["reference"]["digest"]
    assert (before["n"], after["n"]) == (10, 11)
    assert not first.set.snapshots.exists()


def test_the_lowest_tier_taken_can_be_raised():
    first, second = two_runs()
    assert comparing.compare(first, second, minimum="consensus").figures["n"] == 0


def test_a_list_names_case_and_statement_both_answers_and_the_direction():
    broke = comparing.full(comparing.compare(*two_runs()))["broke"]
    assert broke[0] == {
        "case_id": "case-2",
        "statement_id": "s2",
        "human": {"claim_class": "subject_specific", "verdict": "unsupported", "tier": "single"},
        "first": {"claim_class": "subject_specific", "verdict": "unsupported"},
        "second": {"claim_class": "subject_specific", "verdict": "supported"},
        "direction": "lenient",
    }


# ---- the command


def test_the_command_prints_one_object_with_the_published_keys():
    two_runs()
    for options in (["--json"], ["--format", "json"]):
        text, _, code = run_command("judge@1.0.0", "judge@1.1.0", "made", *options)
        found = json.loads(text)
        assert code == 0
        assert set(found) >= KEYS
        assert {"value", "interval"} <= set(found["difference"])
        assert {"first", "second", "p_more_lenient"} <= set(found["lenient"])


@pytest.mark.parametrize("form", ["text", "md", "html"])
def test_what_people_read_opens_with_the_answer(form):
    two_runs()
    text, _, code = run_command("judge@1.0.0", "judge@1.1.0", "made", "--format", form)
    plain = " ".join(text.split())
    assert code == 0
    assert "judge@1.1.0 is more lenient than judge@1.0.0, though chance could explain it" in plain
    assert "3 of 4 (75.0%)" in plain
    assert "More failing statements pass in: subject-specific, unsupported (0 → 2 of 2)" in plain
    assert "Scope not stated" in plain
    assert "No human label" not in plain


def test_a_refusal_is_one_line_exit_3_and_with_json_an_object_that_says_so():
    newer = released(version="2.0.0", verdict_mapping__refuted="unsupported")
    two_runs(versions=(released(), newer))
    asked = ("groundedness@1.0.0", "groundedness@2.0.0", "made")
    text, said, code = run_command(*asked, "--json")
    found = json.loads(text)
    assert code == 3
    assert "verdict_mapping.refuted" in said.splitlines()[0]
    assert found["comparable"] is False
    assert found["fields"] == ["verdict_mapping.refuted"]
    assert set(found) >= KEYS


def reasons(node):
    """Every reason for an undefined figure below ``node``."""
    if isinstance(node, dict):
        for name, value in node.items():
            yield from [value] if name == "reason" and value else reasons(value)


def test_figures_of_a_refused_comparison_are_undefined_for_the_reason_of_the_refusal():
    newer = released(version="2.0.0", verdict_mapping__refuted="unsupported")
    figures = comparing.compare(*two_runs(versions=(released(), newer))).figures
    assert "labelling scopes differ" in figures["reason"]
    parts = [figures[name] for name in ("difference", "mcnemar", "lenient", "strict")]
    found = [reason for part in parts for reason in reasons(part)]
    assert len(found) == 7
    assert set(found) == {figures["reason"]}


def test_the_baselines_of_two_scopes_stand_side_by_side_each_on_all_that_it_graded():
    """As a report on each counts them. Of the four that fail, the first passes row 5 alone, the
    second rows 2, 3 and 4."""
    newer = released(version="2.0.0", verdict_mapping__refuted="unsupported")
    first, second = two_runs(versions=(released(), newer))
    both = comparing.compare(first, second).figures["baselines"]
    assert [both[which]["id"] for which in ("first", "second")] == [first.pk, second.pk]
    told = {
        which: {
            name: (rate["count"], rate["n"])
            for name, rate in both[which].items()
            if name in comparison.HEADLINES
        }
        for which in both
    }
    for which, run in (("first", first), ("second", second)):
        report = reports.figures(reports.create(run))
        for name in ("verdict", "lenient", "strict", "class_escape"):
            assert told[which][name] == (report[name]["count"], report[name]["n"]), name
    assert told["first"]["lenient"] == (1, 4)
    assert told["second"]["lenient"] == (3, 4)


def test_runs_that_can_be_compared_show_no_baselines_apart():
    assert comparing.compare(*two_runs()).figures["baselines"] is None


@pytest.mark.parametrize("form", ["text", "md", "html"])
def test_a_refusal_that_people_read_shows_both_baselines_as_not_comparable(form):
    newer = released(version="2.0.0", verdict_mapping__refuted="unsupported")
    first, second = two_runs(versions=(released(), newer))
    text, _, code = run_command(
        "groundedness@1.0.0", "groundedness@2.0.0", "made", "--format", form
    )
    assert code == 3
    assert "Both baselines: not comparable" in text
    for number, run in (("1.0.0", first), ("2.0.0", second)):
        assert f"groundedness@{number}, run {run.pk}" in text
    assert "75.0%" in text


def test_a_version_without_a_finished_run_is_not_there():
    two_runs()
    released()
    _, said, code = run_command("judge@1.0.0", "groundedness@1.0.0", "made")
    assert code == 3
    assert "has no finished run on made" in said


def test_a_partial_run_is_compared_as_partial():
    first, _ = sides()
    made = a_set(first)
    a_run(made, first, "1.0.0", failure_ceiling=0.0)
    a_run(made, first, "1.1.0", failure_ceiling=1.0)
    text, _, code = run_command("judge@1.0.0", "judge@1.1.0", "made")
    assert code == 0
    assert "is partial" in text


# ---- real data


def test_wice_tells_its_two_recorded_judges_apart(data_folder):
    """GPT-4 alone is right on 41, GPT-3.5 alone on 3; lenient on 19 and 58 of 78."""
    folder = data_folder / "wice"
    quiet = {"stdout": StringIO(), "stderr": StringIO()}
    call_command("import_set", "wice", str(folder), **quiet)
    for judge in ("gpt-4-0613", "gpt-3.5-turbo-0613"):
        call_command("import_judgments", "wice", str(folder / f"judgments-{judge}.jsonl"), **quiet)
    text, _, code = run_command("gpt-4-0613@1.0.0", "gpt-3.5-turbo-0613@1.0.0", "wice", "--json")
    found = json.loads(text)
    assert code == 0
    assert [found[key] for key in ("n", "both_right", "only_first", "only_second", "neither")] == [
        100, 36, 41, 3, 20,
    ]  # fmt: skip
    assert found["mcnemar"]["p"] == pytest.approx(1.6183321349672042e-09, rel=1e-12)
    assert found["difference"]["value"] == pytest.approx(0.38)
    assert (found["lenient"]["first"]["count"], found["lenient"]["first"]["n"]) == (19, 78)
    assert (found["lenient"]["second"]["count"], found["lenient"]["second"]["n"]) == (58, 78)
    assert found["lenient"]["p_more_lenient"] < 1e-9
    assert (len(found["broke"]), len(found["fixed"])) == (41, 3)
    assert {cell["claim_class"] for cell in found["cells"] if cell["n"]} == {None}
    assert found["scope"] == "not stated"
    assert CalibrationSet.objects.get(slug="wice").runs.count() == 2
