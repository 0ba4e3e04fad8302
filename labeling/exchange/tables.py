"""Cases and labels as flat tables for reading elsewhere: one statement a row, one label a row."""

from __future__ import annotations

import csv
import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TextIO

from grounding.errors import Refused
from grounding.interchange import models as interchange
from labeling import exchange
from labeling.exchange import parquet
from labeling.models import CalibrationSet
from labeling.wording import cells

STATEMENT_COLUMNS: Final = (
    "case_id", "pair_id", "pair_kind", "question", "context", "answer", "statement_id", "text",
    "span_start", "span_end", "parent_id", "claim_type", "speech_act", "expected_class",
    "expected_verdict", "expected_rationale", "expected_evidence", "answerable",
    "answerable_from_retrieved", "tags", "source", "licence",
)  # fmt: skip
LABEL_COLUMNS: Final = (
    "case_id", "statement_id", "annotator", "role", "claim_class", "verdict", "claim_type",
    "speech_act", "rationale", "evidence", "premises", "confidence", "origin", "selected",
    "contract_version", "labeled_at",
)  # fmt: skip

Row = Mapping[str, Any]


def write(calibration_set: CalibrationSet, folder: Path, kind: str) -> dict[str, int]:
    """Both tables into a new folder, as files of the ``kind``; how many rows each has."""
    write_file = KINDS[kind]
    with _appearing(folder) as partial:
        return {
            "statements": write_file(
                partial / f"statements.{kind}", STATEMENT_COLUMNS, _statements(calibration_set)
            ),
            "labels": write_file(
                partial / f"labels.{kind}", LABEL_COLUMNS, _labels(calibration_set)
            ),
        }


def require(kind: str) -> None:
    """Raises Refused where files of the ``kind`` cannot be written."""
    if kind == "parquet":
        parquet.require()


def write_csv(file: TextIO, columns: Sequence[str], rows: Iterable[Row]) -> int:
    """Every cell inert; how many rows there were."""
    count = 0
    # All are quoted: else a carriage return alone would stand bare and end the row.
    writer = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([cells.inert(row[column]) for column in columns])
        count += 1
    return count


def _csv_file(path: Path, columns: Sequence[str], rows: Iterable[Row]) -> int:
    with path.open("x", encoding="utf-8", newline="") as file:
        return write_csv(file, columns, rows)


KINDS: Final[Mapping[str, Callable[[Path, Sequence[str], Iterable[Row]], int]]] = {
    "csv": _csv_file,
    "parquet": parquet.write,
}
"""What writes a file of each kind, which its name ends with."""


def _statements(calibration_set: CalibrationSet) -> Iterator[Row]:
    for case in exchange.case_records(calibration_set):
        shared: dict[str, Any] = case.model_dump(mode="json", exclude={"statements", "retrieved"})
        for statement in case.statements:
            yield shared | _statement(statement)


def _statement(statement: interchange.Statement) -> dict[str, Any]:
    row = statement.model_dump(mode="json", exclude={"span", "expected"})
    row["span_start"], row["span_end"] = statement.span or (None, None)
    expected = statement.expected.model_dump(mode="json") if statement.expected else {}
    return row | {
        "expected_class": expected.get("claim_class"),
        "expected_verdict": expected.get("verdict"),
        "expected_rationale": expected.get("rationale"),
        "expected_evidence": expected.get("evidence"),
    }


def _labels(calibration_set: CalibrationSet) -> Iterator[Row]:
    for label in exchange.label_records(calibration_set):
        yield label.model_dump(mode="json")


@contextmanager
def _appearing(folder: Path) -> Iterator[Path]:
    """A folder to fill, which stands at ``folder`` once the block has ended well."""
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise Refused(f"{folder.name} is there already and is not an empty folder")
    partial = folder.with_name(f".{folder.name}.{uuid.uuid4().hex}.part")
    partial.mkdir()
    try:
        yield partial
        partial.replace(folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
