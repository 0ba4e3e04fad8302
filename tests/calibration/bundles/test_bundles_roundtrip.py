"""Export, import into an empty database, export: byte for byte the same (row C6)."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection

from calibration import bundles, rubrics
from grounding.errors import BadInput
from grounding.rubrics import load_rubric
from labeling import sets
from labeling.models import CalibrationSet, Label
from tests.calibration.bundles.bundle_fixtures import (
    change,
    copy_of,
    lines,
    plain_case,
    read,
    small_copy,
    write,
)
from tests.cast import SMALL

FOLDERS = ("fever_symmetric", "cad_nli", "wice", "begin_wow_dev", "qags", "begin_wow_test")


def shipped(rubric: str) -> Path:
    return Path(str(rubrics.__file__)).with_name(f"{rubric}.yaml")


def empty() -> None:
    """Every row of every table gone, sequences started anew: an empty database."""
    tables = connection.introspection.django_table_names(only_existing=True)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            names = ", ".join(map(connection.ops.quote_name, tables))
            cursor.execute(f"TRUNCATE {names} RESTART IDENTITY CASCADE")
        else:
            cursor.execute("PRAGMA defer_foreign_keys = ON")
            for table in tables:
                cursor.execute(f"DELETE FROM {connection.ops.quote_name(table)}")
    assert not CalibrationSet.objects.exists()


def again(slug: str, tmp_path: Path) -> tuple[Path, Path]:
    """Exports of the set before and after a way through an empty database."""
    first, second = tmp_path / "first.zip", tmp_path / "second"
    bundles.export_bundle(sets.get(slug), first)
    unpacked = tmp_path / "first"
    bundles.export_bundle(sets.get(slug), unpacked)
    revision = sets.get(slug).revision
    empty()
    bundles.import_set(slug, first)
    assert sets.get(slug).revision == revision
    bundles.export_bundle(sets.get(slug), second)
    return unpacked, second


def test_the_small_set_survives(small_set: CalibrationSet, tmp_path: Path) -> None:
    first, second = again("small", tmp_path)
    assert lines(first) == lines(second)
    # The records are written as the format's model orders them, so even the first export is
    # what was imported, but for the order of labels within a statement.
    assert (first / "cases.jsonl").read_bytes() == (SMALL / "cases.jsonl").read_bytes()
    assert {file.name for file in first.iterdir()} == {
        "README.md", "cases.jsonl", "labels.jsonl", "manifest.json", "sources.jsonl",
    }  # fmt: skip
    assert (first / "README.md").read_text("utf-8") == (second / "README.md").read_text("utf-8")


def test_a_later_revision_survives_with_its_number(
    small_set: CalibrationSet, tmp_path: Path
) -> None:
    folder = small_copy(tmp_path / "changed")
    change(folder / "cases.jsonl", 1, lambda case: case.update(tags=["other"]))
    bundles.import_set("small", folder, supersede=True)
    bundles.import_set("small", write(tmp_path / "more.jsonl", [plain_case(1)]))
    assert sets.get("small").revision == 3
    first, second = again("small", tmp_path)
    assert lines(first) == lines(second)
    cases = read(second / "cases.jsonl")
    # A newer revision stands where the older stood.
    assert [case["case_id"] for case in cases[:2]] == ["jobs-001-a", "jobs-001-b"]
    assert cases[0]["tags"] == ["other"]
    assert len(read(second / "labels.jsonl")) == 10


def test_judgments_attempts_and_rubrics_survive(small_set: CalibrationSet, tmp_path: Path) -> None:
    text = shipped("groundedness@1.0.0").read_text("utf-8")
    released = rubrics.release(load_rubric(text)).rubric_version
    folder = small_copy(tmp_path / "judged")
    key = {
        "run": "r1", "rubric": "groundedness", "version": "1.0.0",
        "rubric_digest": released.digest, "set_revision": 1, "repeat": 0,
    }  # fmt: skip
    judged = [
        {**key, "case_id": case["case_id"], "statement_id": statement["statement_id"]}
        for case in read(folder / "cases.jsonl")
        for statement in case["statements"]
    ]
    outcomes = [{"outcome": "timeout"}] + [{"outcome": "graded", "verdict": "unsupported"}] * 10
    write(folder / "judgments.jsonl", [a | b for a, b in zip(judged, outcomes, strict=True)])
    tries = [{**judged[0], "number": n, "outcome": "timeout", "seconds": 0.1 * n} for n in (1, 2)]
    write(folder / "attempts.jsonl", tries)
    done = bundles.import_set("small", folder).as_json()
    assert done["judgments"] == {"added": 11, "unchanged": 0}
    assert bundles.import_set("small", folder).as_json()["judgments"] == {
        "added": 0, "unchanged": 11,
    }  # fmt: skip
    first, second = again("small", tmp_path)
    assert lines(first) == lines(second)
    assert set(lines(first)) >= {"judgments.jsonl", "attempts.jsonl"}
    assert len(read(first / "attempts.jsonl")) == 2
    name = "rubrics/groundedness@1.0.0.json"
    assert (first / name).read_bytes() == (second / name).read_bytes()
    # In one order on every database, which need not keep the order of a document.
    policies = json.loads((first / name).read_text("utf-8"))["contract"]["evidence"]
    assert list(policies) == sorted(policies)
    assert rubrics.get("groundedness@1.0.0").digest == released.digest


def test_a_rubric_file_that_holds_another_version_is_refused(db: None, tmp_path: Path) -> None:
    folder = small_copy(tmp_path)
    definition = load_rubric(shipped("groundedness@1.0.0").read_text("utf-8"))
    (folder / "rubrics").mkdir()
    file = folder / "rubrics" / "groundedness@1.0.1.json"
    file.write_text(definition.model_dump_json(), "utf-8")
    with pytest.raises(BadInput) as caught:
        bundles.import_set("small", folder)
    assert caught.value.source == "rubrics/groundedness@1.0.1.json"
    assert not CalibrationSet.objects.exists()


def test_superseded_labels_and_those_of_older_revisions_stay_out(
    small_set: CalibrationSet, tmp_path: Path
) -> None:
    folder = small_copy(tmp_path / "changed")
    change(folder / "labels.jsonl", 3, lambda label: label.update(rationale="Other words."))
    bundles.import_set("small", folder, supersede=True)
    (folder / "labels.jsonl").unlink()
    change(folder / "cases.jsonl", 2, lambda case: case.update(question="Which jobs?"))
    bundles.import_set("small", folder, supersede=True)
    bundles.export_bundle(sets.get("small"), tmp_path / "out")
    labels = read(tmp_path / "out" / "labels.jsonl")
    # One superseded label and the three of jobs-001-b are kept, with what they were made on.
    assert "jobs-001-b" not in {label["case_id"] for label in labels}
    assert "Jobs may be other jobs." not in {label["rationale"] for label in labels}
    assert len(labels) == 7
    assert Label.objects.count() == 11


def test_labels_are_ordered_by_case_statement_annotator_and_role(
    small_set: CalibrationSet, tmp_path: Path
) -> None:
    bundles.export_bundle(small_set, tmp_path / "out")
    order = [case["case_id"] for case in read(tmp_path / "out" / "cases.jsonl")]
    keys = [
        (order.index(label["case_id"]), label["statement_id"], label["annotator"], label["role"])
        for label in read(tmp_path / "out" / "labels.jsonl")
    ]
    assert keys == sorted(keys)


def test_csv_cells_are_inert_and_json_stays_raw(db: None, tmp_path: Path) -> None:
    hostile = ["=1+1", "+1", "-1", "@A1", "\tx", "\rx", " =1", "\n=1", "＝1", "safe = 1"]
    cases = [plain_case(n, question=text) for n, text in enumerate(hostile)]
    bundles.import_set("lamps", write(tmp_path / "lamps.jsonl", cases))
    call_command("export_set", "lamps", str(tmp_path / "flat"), "--format", "csv")
    with (tmp_path / "flat" / "statements.csv").open(encoding="utf-8", newline="") as file:
        cells = [row["question"] for row in csv.DictReader(file)]
    assert cells == [f"'{text}" for text in hostile[:-1]] + ["safe = 1"]
    bundles.export_bundle(sets.get("lamps"), tmp_path / "out")
    assert [case["question"] for case in read(tmp_path / "out" / "cases.jsonl")] == hostile


def test_csv_has_a_row_for_each_statement_and_label(
    small_set: CalibrationSet, tmp_path: Path
) -> None:
    call_command("export_set", "small", str(tmp_path / "flat"), "--format", "csv")
    rows = {}
    for name in ("statements", "labels"):
        with (tmp_path / "flat" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            rows[name] = list(csv.DictReader(file))
    assert (len(rows["statements"]), len(rows["labels"])) == (11, 10)
    first, label = rows["statements"][0], rows["labels"][0]
    assert (first["span_start"], first["span_end"], first["answerable"]) == ("0", "38", "true")
    assert (first["expected_verdict"], first["parent_id"]) == ("supported", "")
    assert (label["annotator"], label["confidence"]) == ("ann-1", "0.75")


@pytest.mark.slow
@pytest.mark.parametrize("name", FOLDERS)
def test_real_sets_survive(db: None, data_folder: Path, tmp_path: Path, name: str) -> None:
    folder = copy_of(data_folder / name, tmp_path / name)
    judgments = sorted(folder.glob("judgments-*.jsonl"))
    for file in judgments:
        file.unlink()
    bundles.import_set(name, folder)
    for file in judgments:
        call_command("import_judgments", name, str(data_folder / name / file.name))
    first, second = again(name, tmp_path)
    assert lines(first) == lines(second)
    assert len(read(second / "cases.jsonl")) == len(read(folder / "cases.jsonl"))
    assert len(read(second / "labels.jsonl")) == len(read(folder / "labels.jsonl"))
    if name == "wice":
        assert len(read(second / "judgments.jsonl")) == 200
