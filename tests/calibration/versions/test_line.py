"""Versions on the same statements: figures by hand, and the same as a comparison of the two."""

from __future__ import annotations

import pytest

from calibration import comparing, reports, rubrics, runs, versions
from calibration.models import RubricVersion, Run
from calibration.rendering import versions as rendering
from calibration.versions import family, pictures
from calibration.versions.book import opened
from calibration.versions.group import Group
from grounding.errors import NotFound
from labeling.models import Annotator, CalibrationSet, Statement
from tests.calibration.agreement.comparison_records import next_revision, two_runs
from tests.calibration.report_fixtures import Row
from tests.calibration.report_records import a_run, a_set, label
from tests.calibration.versions.records import NAME, a_ground, ran
from tests.grounding.rubric_examples import with_changes

pytestmark = pytest.mark.django_db


def told(made: CalibrationSet, name: str = NAME):
    return versions.full(versions.read(name, made))


def counts(rate):
    return rate["count"], rate["n"]


def by_version(block):
    return {one["rubric"]["version"]: one for one in block["versions"]}


# human: two supported, three failing, one that no label says anything of
HUMANS = ["Ss", "Ss", "Su", "Su", "Sc", ".."]


def test_all_versions_stand_on_the_statements_that_all_of_them_graded():
    """The last has no reference, the second failed in 1.1.0: four are the same for all. Failing
    among them are three; 1.0.0 passes none, 1.1.0 one, 1.2.0 two."""
    made = a_ground(HUMANS)
    ran(made, ["Ss", "Ss", "Su", "Su", "Sc", "Ss"], "1.0.0", day=0)
    ran(made, ["Ss", "timeout", "Ss", "Su", "Sc", "Ss"], "1.1.0", day=1)
    ran(made, ["Su", "Ss", "Ss", "Su", "Ss", "Ss"], "1.2.0", day=2)
    block = told(made)["blocks"][0]
    assert block["statements"] == {"common": 4, "asked": 5}
    found = by_version(block)
    assert list(found) == ["1.0.0", "1.1.0", "1.2.0"]
    assert [counts(one["verdict"]) for one in found.values()] == [(4, 4), (3, 4), (1, 4)]
    assert [counts(one["lenient"]) for one in found.values()] == [(0, 3), (1, 3), (2, 3)]
    assert [counts(one["strict"]) for one in found.values()] == [(0, 1), (0, 1), (1, 1)]
    assert [counts(one["class_escape"]) for one in found.values()] == [(0, 4)] * 3
    assert found["1.1.0"]["lacks"] == {"failed": 1, "not_planned": 0}
    assert [counts(one["own"]) for one in found.values()] == [(5, 5), (3, 4), (2, 5)]


def test_each_cell_is_a_line_over_versions_and_their_n_add_up():
    made = a_ground(HUMANS)
    ran(made, ["Ss", "Ss", "Su", "Su", "Sc", "Ss"], "1.0.0", day=0)
    ran(made, ["Ss", "Es", "Ss", "Su", "Su", "Ss"], "1.1.0", day=1)
    first, second = told(made)["blocks"][0]["versions"]

    def cells(one):
        return {
            (cell["claim_class"], cell["verdict"]): counts(cell)
            for cell in one["cells"]
            if cell["n"]
        }

    assert cells(first) == {
        ("subject_specific", "supported"): (2, 2),
        ("subject_specific", "unsupported"): (2, 2),
        ("subject_specific", "contradictory"): (1, 1),
    }
    assert cells(second) == {
        ("subject_specific", "supported"): (1, 2),
        ("subject_specific", "unsupported"): (1, 2),
        ("subject_specific", "contradictory"): (0, 1),
    }
    for one in (first, second):
        assert sum(cell["n"] for cell in one["cells"]) == one["right"]["n"] == 5
        assert sum(cell["count"] for cell in one["cells"]) == one["right"]["count"]
    assert counts(second["class_escape"]) == (1, 5)


def test_a_class_counts_only_where_the_reference_and_all_versions_state_one():
    """The middle one escapes, but the last states no class: none is held to one."""
    made = a_ground(["Ss"])
    for day, said in enumerate(["Ss", "Es", ".s"]):
        ran(made, [said], f"1.{day}.0", day=day)
    for one in told(made)["blocks"][0]["versions"]:
        assert counts(one["right"]) == (1, 1)
        assert one["class_escape"]["rate"] is None
        assert one["class_escape"]["reason"]


def test_two_versions_are_what_their_comparison_says():
    first, second = two_runs()
    block = told(first.set)["blocks"][0]
    one, two = block["versions"]
    figures = comparing.compare(first, second).figures
    assert block["statements"]["common"] == figures["n"] == 10
    assert two["against"]["first"] == figures["lenient"]["first"]
    assert two["against"]["second"] == figures["lenient"]["second"]
    assert two["against"]["p_more_lenient"] == figures["lenient"]["p_more_lenient"]
    assert two["against"]["digest"] == figures["reference"]["digest"]
    for here, there in zip(
        zip(one["cells"], two["cells"], strict=True), figures["cells"], strict=True
    ):
        for cell, which in zip(here, ("first", "second"), strict=True):
            assert {key: cell[key] for key in there[which]} == there[which]
            assert (cell["claim_class"], cell["verdict"]) == (
                there["claim_class"],
                there["verdict"],
            )


def test_the_baselines_cases_all_stay_in_the_test_of_leniency():
    """1.1.0 lacks two of six failing statements. 1.2.0 is still read against the baseline on all
    six, and not on the four of the line."""
    made = a_ground(["Su"] * 6)
    ran(made, ["Su"] * 6, "1.0.0", day=0)
    ran(made, ["Su"] * 4 + ["timeout"] * 2, "1.1.0", day=1)
    ran(made, ["Su"] + ["Ss"] * 5, "1.2.0", day=2)
    block = told(made)["blocks"][0]
    assert block["statements"]["common"] == 4
    last = block["versions"][-1]
    assert counts(last["lenient"]) == (3, 4)
    assert counts(last["against"]["second"]) == (5, 6)
    assert last["against"]["p_more_lenient"] == pytest.approx(1 / 2**5)


def test_leniency_is_adjusted_over_the_versions_of_the_scope():
    """By Holm: 1/32 and 1/64, of two, become 1/32 and 1/32. The first cannot be told apart at all
    and belongs to no family."""
    made = a_ground(["Su"] * 6)
    for day, passed in enumerate([0, 0, 5, 6]):
        ran(made, ["Ss"] * passed + ["Su"] * (6 - passed), f"1.{day}.0", day=day)
    tested = [one["against"] for one in told(made)["blocks"][0]["versions"]]
    assert tested[0] is None
    assert [one["p_more_lenient"] for one in tested[1:]] == [None, 1 / 32, 1 / 64]
    assert [one["p_holm"] for one in tested[1:]] == [None, 1 / 32, 1 / 32]
    assert tested[1]["reason"]


def test_a_partial_run_is_no_point_of_the_line_and_is_named():
    made = a_ground(["Ss", "Su"])
    complete = ran(made, ["Ss", "Su"], "1.0.0", day=0)
    partial = ran(made, ["Ss", "timeout"], "1.0.0", day=1, failure_ceiling=0.05)
    block = told(made)["blocks"][0]
    assert [one["id"] for one in block["versions"]] == [complete.pk]
    assert [run["id"] for run in block["partial"]] == [partial.pk]
    assert block["statements"]["common"] == 2


def test_with_partial_runs_alone_there_is_no_line():
    made = a_ground(["Ss"])
    ran(made, ["timeout"], failure_ceiling=0.05)
    (block,) = told(made)["blocks"]
    assert block["versions"] == []
    assert block["baseline"] is None
    assert len(block["partial"]) == 1


def test_the_latest_complete_run_stands_for_a_version():
    made = a_ground(["Ss"])
    ran(made, ["Ss"], "1.0.0", day=0)
    ran(made, ["Su"], "1.1.0", day=1)
    latest = ran(made, ["Ss"], "1.1.0", day=2)
    one, two = told(made)["blocks"][0]["versions"]
    assert (two["id"], two["complete_runs"]) == (latest.pk, 2)
    assert one["latest"]
    assert two["latest"]


def test_a_baseline_that_was_run_again_stands_on_the_line_by_itself():
    """Both later runs are read against the first, which no version's latest run shows."""
    made = a_ground(["Su", "Su", "Su"])
    baseline = ran(made, ["Su", "Su", "timeout"], "1.0.0", day=0)
    other = ran(made, ["Ss", "Su", "Su"], "1.1.0", day=1)
    again = ran(made, ["Ss", "Ss", "Su"], "1.0.0", day=2)
    (block,) = told(made)["blocks"]
    assert block["runs"] == [baseline.pk, again.pk, other.pk]
    first, *later = block["versions"]
    assert [one["latest"] for one in block["versions"]] == [False, True, True]
    assert [counts(one["lenient"]) for one in block["versions"]] == [(0, 2), (2, 2), (1, 2)]
    assert first["against"] is None
    assert [one["against"]["run"] for one in later] == [baseline.pk] * 2
    assert block["left_off"] == 0
    names = [rendering.stands_as(block, one) for one in block["versions"]]
    assert names == [f"1.0.0, first run {baseline.pk}", "1.0.0", "1.1.0"]
    released = {**block, "scope_digest": "sha256:0"}
    assert rendering.stands_as(released, first) == f"1.0.0, baseline run {baseline.pk}"
    assert [row[1] for row in pictures.of_block(block)[0].rows[:3]] == names


def test_nothing_in_common_is_no_rate_at_all():
    made = a_ground(["Ss", "Su"])
    ran(made, ["Ss", "timeout"], "1.0.0", day=0)
    ran(made, ["timeout", "Su"], "1.1.0", day=1)
    block = told(made)["blocks"][0]
    assert block["statements"] == {"common": 0, "asked": 2}
    for one in block["versions"]:
        for name in ("verdict", "right", "lenient", "strict", "class_escape"):
            assert one[name]["rate"] is None
            assert one[name]["interval"] is None
            assert one[name]["reason"]
    assert block["versions"][1]["against"]["p_more_lenient"] is None


def test_statements_of_another_revision_are_not_planned():
    first, second = two_runs()
    next_revision(first.set, second, position=0)
    block = told(first.set)["blocks"][0]
    one, two = block["versions"]
    # What is superseded has no reference any more, and is asked of nobody.
    assert one["lacks"]["not_planned"] == two["lacks"]["not_planned"] == 0
    assert block["statements"]["common"] == 9


def test_versions_stand_in_the_order_of_their_numbers():
    made = a_ground(["Ss"])
    for day, number in enumerate(["1.10.0", "1.9.0", "1.9.0-rc1", "final", "1.2.0"]):
        ran(made, ["Ss"], number, day=day)
    found = [one["rubric"]["version"] for one in told(made)["blocks"][0]["versions"]]
    assert found == ["1.2.0", "1.9.0-rc1", "1.9.0", "1.10.0", "final"]


def test_of_very_many_versions_the_baselines_and_the_latest_stay(monkeypatch):
    monkeypatch.setattr(family, "MOST_VERSIONS", 3)
    made = a_ground(["Ss"])
    for number in range(6):
        ran(made, ["Ss"], f"1.{number}.0", day=number)
    block = told(made)["blocks"][0]
    assert list(by_version(block)) == ["1.0.0", "1.4.0", "1.5.0"]
    assert block["left_off"] == 3


def test_a_reference_as_it_is_now_decides():
    made = a_ground(["Su"])
    ran(made, ["Ss"], "1.0.0")
    assert counts(told(made)["blocks"][0]["versions"][0]["lenient"]) == (1, 1)
    statement = Statement.objects.get(case__set=made)
    for code in ("ann-2", "ann-3"):
        label(statement, Annotator.objects.create(set=made, code=code), "Ss")
    assert told(made)["blocks"][0]["versions"][0]["lenient"]["n"] == 0


def test_a_name_that_nobody_released_is_not_there():
    with pytest.raises(NotFound):
        versions.read("nobody", a_ground(["Ss"]))


def test_packed_answers_are_what_the_judgments_say():
    """Every class with every verdict that the contract allows, no class, and a failure."""
    said = ["Ss", "Su", "Sc", "Es", "Eu", "Ec", "In", ".s", ".u", ".c", ".n", "timeout"]
    made = a_ground(["Ss"] * len(said))
    run = ran(made, said)
    book = opened(made, [run])
    columns = Group(book, [run]).book.columns(run, book.references([run]), book.planned(run))
    words = [
        "".join(("SEI."[code], "sucn."[verdict]))
        for code, verdict in zip(
            columns.judge_class.tolist(), columns.judge_verdict.tolist(), strict=True
        )
    ]
    assert words == [*said[:-1], ".."]
    assert columns.graded.tolist() == [True] * (len(said) - 1) + [False]


# ---- scopes


def release(**changes) -> RubricVersion:
    return rubrics.release(with_changes(**changes)).rubric_version


def of(version: RubricVersion, made: CalibrationSet, rows, **others) -> Run:
    run = ran(made, rows, **others)
    run.rubric_version = version
    run.save()
    return run


def test_another_scope_stands_apart_with_its_own_baseline_and_the_fields_that_moved():
    made = a_ground(["Ss", "Su"])
    one = release()
    two = release(version="1.1.0", judge__parameters__support_probability=0.25)
    other = release(version="2.0.0", verdict_mapping__refuted="unsupported")
    runs_of = [
        of(version, made, said, day=day)
        for day, (version, said) in enumerate(
            [(one, ["Ss", "Su"]), (two, ["Ss", "Su"]), (other, ["Ss", "Ss"])]
        )
    ]
    found = told(made, one.name)
    first, second = found["blocks"]
    assert [run["id"] for run in first["versions"]] == [runs_of[0].pk, runs_of[1].pk]
    assert first["baseline"]["id"] == runs_of[0].pk
    assert first["baseline"]["id"] == runs.baseline(one.name, 1, made).pk
    assert [run["id"] for run in second["versions"]] == [runs_of[2].pk]
    assert second["baseline"]["id"] == runs.baseline(one.name, 2, made).pk
    assert second["versions"][0]["against"] is None
    apart = second["apart"]
    assert apart["comparable"] is False
    assert apart["moved"] == [
        {"field": "verdict_mapping.refuted", "before": "contradictory", "here": "unsupported"}
    ]
    assert apart["baseline_before"]["id"] == runs_of[0].pk
    assert apart["baseline_here"]["id"] == runs_of[2].pk
    assert [counts(apart[f"baseline_{which}"]["verdict"]) for which in ("before", "here")] == [
        (2, 2),
        (1, 2),
    ]
    assert first["apart"] is None


def test_the_line_is_the_same_in_pairs_as_a_report_counts_them():
    """Sides of a pair stand and fall together: their interval is that of one piece of evidence."""
    rows = [Row("Su", "Ss", pair, side) for pair in range(4) for side in (0, 1)]
    made = a_set(rows)
    run = a_run(made, rows, "1.0.0")
    (one,) = told(made)["blocks"][0]["versions"]
    report = reports.create(run).figures
    for name in ("verdict", "lenient", "strict", "class_escape"):
        assert one[name] == report[name], name
