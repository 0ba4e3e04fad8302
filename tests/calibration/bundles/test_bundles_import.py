"""Import of a whole set: rows C1, C2 and C5."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from calibration import bundles
from grounding.errors import BadInput
from labeling import sets
from labeling.models import Annotator, CalibrationSet, Case, Label
from tests.calibration.bundles.bundle_fixtures import change, plain_case, rows, small_copy, write
from tests.cast import SMALL


def test_an_import_says_what_it_did(db: None) -> None:
    assert bundles.import_set("small", SMALL).as_json() == {
        "set": "small",
        "revision": 1,
        "cases": {"added": 6, "unchanged": 0, "superseded": 0},
        "statements": 11,
        "pairs": 2,
        "labels": {"added": 10, "unchanged": 0},
        "judgments": {"added": 0, "unchanged": 0},
        "warnings": [],
    }


def test_the_same_bundle_again_adds_nothing(small_set: CalibrationSet) -> None:
    before = rows()
    again = bundles.import_set("small", SMALL).as_json()
    assert again["cases"] == {"added": 0, "unchanged": 6, "superseded": 0}
    assert again["labels"] == {"added": 0, "unchanged": 10}
    assert again["revision"] == 1
    assert rows() == before


def test_the_same_id_with_other_text_is_refused_by_name(
    small_set: CalibrationSet, tmp_path: Path
) -> None:
    folder = small_copy(tmp_path)
    change(folder / "cases.jsonl", 5, lambda case: case.update(question="How heavy is it?"))
    with pytest.raises(BadInput) as caught:
        bundles.import_set("small", folder)
    error = caught.value
    assert (error.source, error.line, error.field) == ("cases.jsonl", 5, "case_id")
    assert "'manual-9'" in str(error)
    assert sets.get("small").revision == 1
    assert Case.objects.get(case_id="manual-9").question == "How heavy is pump C?"


def test_supersede_makes_a_new_revision_and_keeps_the_older(
    small_set: CalibrationSet, tmp_path: Path
) -> None:
    folder = small_copy(tmp_path)
    change(folder / "cases.jsonl", 5, lambda case: case.update(question="How heavy is it?"))
    done = bundles.import_set("small", folder, supersede=True).as_json()
    assert done["cases"] == {"added": 0, "unchanged": 5, "superseded": 1}
    assert done["revision"] == 2
    assert done["statements"] == 11
    older, newer = Case.objects.filter(case_id="manual-9").order_by("added_in")
    assert (older.added_in, older.superseded_in, older.question) == (1, 2, "How heavy is pump C?")
    assert (newer.added_in, newer.superseded_in, newer.question) == (2, None, "How heavy is it?")
    assert newer.position == older.position
    assert set(Case.objects.at(1)) == set(Case.objects.exclude(pk=newer.pk))
    assert set(Case.objects.at(2)) == set(Case.objects.exclude(pk=older.pk))


def test_labels_carry_over_only_where_what_they_rest_on_is_unchanged(
    small_set: CalibrationSet, tmp_path: Path
) -> None:
    folder = small_copy(tmp_path)
    cases = folder / "cases.jsonl"
    change(cases, 1, lambda case: case.update(tags=["other"]))
    change(cases, 2, lambda case: case.update(question="Which jobs failed?"))
    change(cases, 6, lambda case: case["statements"][0]["expected"].update(verdict="supported"))
    (folder / "labels.jsonl").unlink()
    before = _labels()
    bundles.import_set("small", folder, supersede=True)
    # Tags and the author's expectation are nothing that a label rests on; the question is.
    assert _live_labels("jobs-001-a") == 3
    assert _live_labels("jobs-001-b") == 0
    assert _live_labels("silent-3") == 2
    carried = Label.objects.filter(carried_from__isnull=False)
    assert carried.count() == 5
    for label in carried:
        old = label.carried_from
        assert old is not None
        assert (old.verdict, old.evidence, old.annotator) == (
            label.verdict, label.evidence, label.annotator
        )  # fmt: skip
        assert old.statement.case.superseded_in == 2
    # The old revision keeps its own, as they were.
    assert [row for row in _labels() if row["carried_from_id"] is None] == before


@pytest.mark.parametrize("part", ["context", "answer", "statements"])
def test_labels_stay_behind_when_a_text_changes(
    small_set: CalibrationSet, tmp_path: Path, part: str
) -> None:
    folder = small_copy(tmp_path)
    (folder / "labels.jsonl").unlink()
    alter: dict[str, Any] = {
        "context": lambda case: case["context"].append({"id": "p2", "text": "More."}),
        "answer": lambda case: case.update(answer=case["answer"] + " More."),
        "statements": lambda case: case["statements"][0].update(claim_type="entity"),
    }
    change(folder / "cases.jsonl", 1, alter[part])
    bundles.import_set("small", folder, supersede=True)
    assert _live_labels("jobs-001-a") == 0
    assert Label.objects.count() == 10


def test_a_label_for_a_statement_that_is_not_there_is_refused_with_its_line(
    small_set: CalibrationSet, tmp_path: Path
) -> None:
    folder = small_copy(tmp_path)
    change(folder / "labels.jsonl", 7, lambda label: label.update(statement_id="s9"))
    with pytest.raises(BadInput) as caught:
        bundles.import_set("small", folder)
    assert (caught.value.source, caught.value.line) == ("labels.jsonl", 7)
    assert caught.value.field == "statement_id"


def test_another_label_in_the_place_of_one_is_refused_or_supersedes_it(
    small_set: CalibrationSet, tmp_path: Path
) -> None:
    folder = small_copy(tmp_path)
    change(folder / "labels.jsonl", 3, lambda label: label.update(rationale="Other words."))
    with pytest.raises(BadInput) as caught:
        bundles.import_set("small", folder)
    assert (caught.value.source, caught.value.line) == ("labels.jsonl", 3)
    done = bundles.import_set("small", folder, supersede=True).as_json()
    assert done["labels"] == {"added": 1, "unchanged": 9}
    assert done["revision"] == 1
    versions = Label.objects.filter(annotator__code="ann-3").order_by("pk")
    assert [(v.rationale, v.superseded_at is None) for v in versions] == [
        ("Jobs may be other jobs.", False),
        ("Other words.", True),
    ]


def test_evidence_that_is_not_there_is_refused_in_labels_and_premises(
    db: None, tmp_path: Path
) -> None:
    folder = small_copy(tmp_path)
    quote = {"passage_id": "p1", "quote": "4 failed jobs"}
    change(folder / "labels.jsonl", 1, lambda label: label.update(evidence=[quote]))
    with pytest.raises(BadInput) as caught:
        bundles.import_set("small", folder)
    assert caught.value.field == "evidence.0.quote"
    change(folder / "labels.jsonl", 1, lambda label: label.update(evidence=[]))
    pool_only = {"passage_id": "p9", "quote": "Склад"}
    premise = {"text": "x", "evidence": [pool_only]}
    change(folder / "labels.jsonl", 7, lambda label: label.update(premises=[premise]))
    with pytest.raises(BadInput) as caught:
        bundles.import_set("small", folder)
    assert (caught.value.line, caught.value.field) == (7, "premises.0.evidence.0.passage_id")
    assert not CalibrationSet.objects.exists()


def test_an_import_makes_annotators_and_no_accounts(small_set: CalibrationSet) -> None:
    codes = {"ann-1", "ann-2", "ann-3", "lead-1"}
    assert set(Annotator.objects.values_list("code", flat=True)) == codes
    assert not Annotator.objects.filter(user__isnull=False).exists()


def test_an_approved_source_never_gets_another_text(
    small_set: CalibrationSet, tmp_path: Path
) -> None:
    folder = small_copy(tmp_path)
    change(folder / "sources.jsonl", 2, lambda source: source.update(text="Water is wet."))
    with pytest.raises(BadInput) as caught:
        bundles.import_set("small", folder, supersede=True)
    assert (caught.value.source, caught.value.line) == ("sources.jsonl", 2)


def test_ids_that_differ_by_letter_case_from_stored_ones_are_refused(
    small_set: CalibrationSet, tmp_path: Path
) -> None:
    file = write(tmp_path / "more.jsonl", [plain_case(1), plain_case(2, case_id="Silent-3")])
    with pytest.raises(BadInput) as caught:
        bundles.import_set("small", file)
    assert (caught.value.source, caught.value.line) == ("more.jsonl", 2)
    assert "'silent-3'" in str(caught.value)
    assert Case.objects.count() == 6


@pytest.mark.parametrize(
    ("part", "line", "field"), [("labels", 1, "annotator"), ("sources", 2, "id")]
)
def test_annotators_and_sources_that_differ_by_letter_case_are_refused(
    small_set: CalibrationSet, tmp_path: Path, part: str, line: int, field: str
) -> None:
    folder = small_copy(tmp_path)
    file = folder / f"{part}.jsonl"
    change(file, line, lambda record: record.update({field: str(record[field]).upper()}))
    if part == "labels":
        file.write_text(file.read_text("utf-8").splitlines()[0] + "\n", "utf-8")
    with pytest.raises(BadInput) as caught:
        bundles.import_set("small", folder)
    assert (caught.value.line, caught.value.field) == (line, field)


def test_a_duplicate_in_one_file_is_refused_at_the_later_line(db: None, tmp_path: Path) -> None:
    file = write(tmp_path / "cases.jsonl", [plain_case(1), plain_case(2), plain_case(1)])
    with pytest.raises(BadInput) as caught:
        bundles.import_set("lamps", file)
    assert caught.value.line == 3
    assert not Case.objects.exists()


def test_a_pair_never_gets_a_third_side_from_a_later_file(
    small_set: CalibrationSet, tmp_path: Path
) -> None:
    file = write(tmp_path / "more.jsonl", [plain_case(1), plain_case(2, pair_id="jobs-001")])
    with pytest.raises(BadInput) as caught:
        bundles.import_set("small", file)
    assert (caught.value.line, caught.value.field) == (2, "pair_id")


def test_a_pair_with_one_side_is_told_and_its_partner_may_come_later(
    db: None, tmp_path: Path
) -> None:
    first = write(tmp_path / "a.jsonl", [plain_case(1, pair_id="lamps")])
    second = write(tmp_path / "b.jsonl", [plain_case(2, pair_id="lamps")])
    assert bundles.import_set("lamps", first).taken.warnings == ("pair 'lamps' has one side only",)
    assert bundles.import_set("lamps", second).taken.warnings == ()


def test_a_file_of_another_name_is_told_and_passed_over(db: None, tmp_path: Path) -> None:
    folder = small_copy(tmp_path)
    (folder / "notes.txt").write_text("private")
    warnings = bundles.import_set("small", folder).as_json()["warnings"]
    assert len(warnings) == 1
    assert "notes.txt" in warnings[0]


@pytest.mark.parametrize("many", [2_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_a_bad_row_near_the_end_leaves_nothing_behind(db: None, tmp_path: Path, many: int) -> None:
    cases = [plain_case(number) for number in range(many)]
    cases[-2]["statements"][0]["span"] = [0, 999]
    file = write(tmp_path / "lamps.jsonl", cases)
    with pytest.raises(BadInput) as caught:
        bundles.import_set("lamps", file)
    error = caught.value
    assert (error.source, error.line, error.field) == ("lamps.jsonl", many - 1, "statements.0.span")
    assert rows() == (0, 0, 0, 0, 0)
    cases[-2]["statements"][0]["span"] = None
    done = bundles.import_set("lamps", write(file, cases)).as_json()
    assert done["cases"] == {"added": many, "unchanged": 0, "superseded": 0}


def test_a_dry_run_reports_the_same_and_writes_nothing(db: None, tmp_path: Path) -> None:
    dry = bundles.import_set("small", SMALL, dry_run=True).as_json()
    assert rows() == (0, 0, 0, 0, 0)
    assert bundles.import_set("small", SMALL).as_json() == dry
    folder = small_copy(tmp_path)
    change(folder / "cases.jsonl", 1, lambda case: case.update(tags=[]))
    before = rows()
    dry = bundles.import_set("small", folder, dry_run=True, supersede=True).as_json()
    assert (dry["revision"], dry["cases"]["superseded"]) == (2, 1)
    assert rows() == before
    assert sets.get("small").revision == 1


def test_queries_grow_with_batches_and_not_with_cases(db: None, tmp_path: Path) -> None:
    counts = []
    for many in (5, 40):
        file = write(tmp_path / f"{many}.jsonl", [plain_case(number) for number in range(many)])
        with CaptureQueriesContext(connection) as queries:
            bundles.import_set(f"lamps-{many}", file)
        counts.append(len(queries))
    assert counts[0] == counts[1]


def _live_labels(case_id: str) -> int:
    return Label.objects.filter(
        statement__case__case_id=case_id, statement__case__superseded_in=None
    ).count()


def _labels() -> list[dict[str, Any]]:
    return list(Label.objects.order_by("pk").values())
