"""The flat tables as Parquet: the CSV's rows, as they are stored, each column of its type."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.core.management import CommandError, call_command
from pydantic_core import to_jsonable_python

from calibration import bundles
from grounding.errors import Refused
from labeling import exchange, sets
from labeling.exchange import parquet
from labeling.models import CalibrationSet
from tests.calibration.bundles.bundle_fixtures import Record, plain_case, write

HOSTILE = (
    "=1+1", "+1", "-1", "@A1", "\tx", "\rx", " =1", "\n=1", "＝1", "safe = 1", "'=1", "",
    "💊 for 👩‍🔧 e\u0301", "\U0010ffff\U00020000", 'a "quote", a\ncell', "null",
    "\ufeff \u202e\x7f",
)  # fmt: skip
MOMENTS = ("2026-11-02T09:30:00+05:30", "1905-01-01T00:00:00Z", "2026-11-02T09:30:00.000001Z", None)
TABLES = ("statements", "labels")
NESTED = ("context", "tags", "expected_evidence", "evidence", "premises")
TYPES = {
    **dict.fromkeys(("span_start", "span_end"), pa.int64()),
    **dict.fromkeys(("answerable", "answerable_from_retrieved"), pa.bool_()),
    "confidence": pa.float64(),
    "labeled_at": pa.timestamp("us", tz="UTC"),
}


@pytest.fixture
def lamps(db: None, tmp_path: Path) -> CalibrationSet:
    """A case and a label for each hostile text, with everything that may be null both ways."""
    folder = tmp_path / "lamps"
    folder.mkdir()
    write(folder / "cases.jsonl", [case(n, text) for n, text in enumerate(HOSTILE)])
    write(folder / "labels.jsonl", [label(n, text) for n, text in enumerate(HOSTILE)])
    bundles.import_set("lamps", folder)
    return sets.get("lamps")


def case(number: int, text: str) -> Record:
    made = plain_case(number, question=text if number % 3 else None, tags=[text, "=2"])
    made |= {"answerable": (True, False, None)[number % 3], "source": text, "pair_kind": "lamp"}
    if number % 2:
        del made["statements"][0]["expected"], made["statements"][0]["span"]
    return made


def label(number: int, text: str) -> Record:
    return {
        "case_id": f"lamp-{number}", "statement_id": "s1", "annotator": "ann-1", "role": "label",
        "claim_class": "subject_specific", "verdict": "unsupported", "rationale": text,
        "origin": "blind", "confidence": (None, 0, 0.1, 1)[number % 4],
        "labeled_at": MOMENTS[number % 4], "premises": [{"text": text}] if number % 2 else [],
    }  # fmt: skip


def exported(slug: str, to: Path, kind: str) -> dict[str, Any]:
    """What `export_set` says as JSON."""
    said = StringIO()
    call_command(
        "export_set", slug, str(to), "--format", kind, "--json", stdout=said, stderr=StringIO()
    )
    return json.loads(said.getvalue())


def columnar(slug: str, to: Path) -> tuple[list[Record], list[Record]]:
    exported(slug, to, "parquet")
    statements, labels = (pq.read_table(to / f"{name}.parquet") for name in TABLES)
    return statements.to_pylist(), labels.to_pylist()


def stored_statements(calibration_set: CalibrationSet) -> Iterator[Record]:
    for one in exchange.case_records(calibration_set):
        of_case = one.model_dump(exclude={"statements", "retrieved"})
        for statement in one.statements:
            row = of_case | statement.model_dump(exclude={"span", "expected"})
            row["span_start"], row["span_end"] = statement.span or (None, None)
            expected = statement.expected
            row["expected_class"] = expected and expected.claim_class
            for name in ("verdict", "rationale", "evidence"):
                row[f"expected_{name}"] = expected and getattr(expected, name)
            yield row


def read(row: Record) -> Record:
    """A row as it came back, its JSON text read."""
    return {k: json.loads(v) if k in NESTED and v is not None else v for k, v in row.items()}


def stored(row: Record) -> Record:
    """A row out of the database, what is nested as JSON has it."""
    return {k: to_jsonable_python(v) if k in NESTED else v for k, v in row.items()}


def test_statements_come_back_as_they_are_stored(lamps: CalibrationSet, tmp_path: Path) -> None:
    found, _ = columnar("lamps", tmp_path / "out")
    assert [read(row) for row in found] == [stored(row) for row in stored_statements(lamps)]
    assert [row["source"] for row in found] == list(HOSTILE)
    assert {row["span_start"] for row in found} == {0, None}


def test_labels_come_back_as_they_are_stored(lamps: CalibrationSet, tmp_path: Path) -> None:
    _, found = columnar("lamps", tmp_path / "out")
    records = exchange.label_records(lamps)
    assert [read(row) for row in found] == [stored(one.model_dump()) for one in records]
    assert [row["rationale"] for row in found] == list(HOSTILE)
    assert [row["confidence"] for row in found[:4]] == [None, 0.0, 0.1, 1.0]
    assert [row["labeled_at"] for row in found[:4]] == [
        datetime(2026, 11, 2, 4, tzinfo=UTC),
        datetime(1905, 1, 1, tzinfo=UTC),
        datetime(2026, 11, 2, 9, 30, 0, 1, tzinfo=UTC),
        None,
    ]


@pytest.mark.parametrize("name", TABLES)
def test_columns_are_the_csvs_and_have_types(
    lamps: CalibrationSet, tmp_path: Path, name: str
) -> None:
    exported("lamps", tmp_path / "csv", "csv")
    exported("lamps", tmp_path / "out", "parquet")
    schema = pq.read_schema(tmp_path / "out" / f"{name}.parquet")
    with (tmp_path / "csv" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        assert schema.names == next(csv.reader(file))
    assert {field.name: field.type for field in schema} == {
        column: TYPES.get(column, pa.string()) for column in schema.names
    }


def test_cells_are_the_csvs_without_the_apostrophe(lamps: CalibrationSet, tmp_path: Path) -> None:
    exported("lamps", tmp_path / "csv", "csv")
    inert = 0
    for name, found in zip(TABLES, columnar("lamps", tmp_path / "out"), strict=True):
        with (tmp_path / "csv" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        for cells, raw in zip(rows, found, strict=True):
            for column, cell in cells.items():
                written = as_csv(raw[column])
                assert cell in (written, f"'{written}")
                inert += cell != written
    # Nine of the hostile texts: as source, where they are the question, and as rationale.
    assert inert == 9 + 6 + 9


def as_csv(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    return "" if value is None else value if isinstance(value, str) else json.dumps(value)


def test_the_answer_is_the_csvs(small_set: CalibrationSet, tmp_path: Path) -> None:
    flat = exported("small", tmp_path / "csv", "csv")
    columns = exported("small", tmp_path / "out", "parquet")
    assert columns == flat | {"format": "parquet", "out": str(tmp_path / "out")}
    assert columns["records"] == {"statements": 11, "labels": 10}
    assert {file.name for file in (tmp_path / "out").iterdir()} == {
        "statements.parquet", "labels.parquet",
    }  # fmt: skip


def test_a_table_without_rows_has_its_columns_all_the_same(db: None, tmp_path: Path) -> None:
    bundles.import_set("lamps", write(tmp_path / "lamps.jsonl", [plain_case(1)]))
    exported("lamps", tmp_path / "out", "parquet")
    labels = pq.read_table(tmp_path / "out" / "labels.parquet")
    assert labels.num_rows == 0
    assert labels.schema.field("labeled_at").type == TYPES["labeled_at"]


@pytest.mark.parametrize(
    ("bound", "value", "groups"), [("ROWS", 4, [4, 4, 3]), ("CHARACTERS", 1, [1] * 11)]
)
def test_a_large_table_is_written_in_several_row_groups(
    small_set: CalibrationSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    bound: str, value: int, groups: list[int],
) -> None:  # fmt: skip
    whole, _ = columnar("small", tmp_path / "whole")
    monkeypatch.setattr(parquet, bound, value)
    parts, _ = columnar("small", tmp_path / "parts")
    written = pq.read_metadata(tmp_path / "parts" / "statements.parquet")
    sizes = [written.row_group(number).num_rows for number in range(written.num_row_groups)]
    assert sizes == groups
    assert parts == whole


def test_without_pyarrow_the_command_names_the_extra_and_writes_nothing(
    small_set: CalibrationSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(CommandError) as caught:
        exported("small", tmp_path / "out", "parquet")
    assert caught.value.returncode == 3
    assert str(caught.value) == (
        "a Parquet export needs pyarrow, not installed here: it is the extra parquet"
    )
    assert list(tmp_path.iterdir()) == []
    assert exported("small", tmp_path / "csv", "csv")["records"]["statements"] == 11


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_an_export_that_breaks_off_leaves_nothing(
    small_set: CalibrationSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    def breaks_off(calibration_set: CalibrationSet) -> Iterator[Any]:
        yield from list(read_labels(calibration_set))[:3]
        raise Refused("the database is away")

    read_labels = exchange.label_records
    monkeypatch.setattr(exchange, "label_records", breaks_off)
    with pytest.raises(CommandError, match="the database is away"):
        exported("small", tmp_path / "out", kind)
    assert list(tmp_path.iterdir()) == []
