"""Cases and labels as flat CSV for reading elsewhere: one statement a row, one label a row.

A spreadsheet runs a cell that begins with certain characters as a formula. Such
cells get an apostrophe in front, here and nowhere else; JSON stays as it is.
"""

from __future__ import annotations

import csv
import json
import re
import shutil
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TextIO

from grounding.errors import Refused
from grounding.interchange import models as interchange
from labeling import exchange
from labeling.models import CalibrationSet

# With the full-width forms, which some spreadsheets read like the ASCII ones, and
# after white space, which some of them drop.
_RUNS: Final = re.compile(r"[\t\r\n]|\s*[=+\-@＝＋－＠]")

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


def write(calibration_set: CalibrationSet, folder: Path) -> dict[str, int]:
    """``statements.csv`` and ``labels.csv`` into a new folder; how many rows each has."""
    with _appearing(folder) as partial:
        return {
            "statements": _write(
                partial / "statements.csv", STATEMENT_COLUMNS, _statements(calibration_set)
            ),
            "labels": _write(partial / "labels.csv", LABEL_COLUMNS, _labels(calibration_set)),
        }


def inert(value: Any) -> str:
    """``value`` as a cell that no spreadsheet runs; nothing for None, JSON for what is nested."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"'{text}" if _RUNS.match(text) else text


def _write(path: Path, columns: tuple[str, ...], rows: Iterable[Row]) -> int:
    with path.open("x", encoding="utf-8", newline="") as file:
        return write_csv(file, columns, rows)


def write_csv(file: TextIO, columns: Sequence[str], rows: Iterable[Row]) -> int:
    """Every cell inert; how many rows there were."""
    count = 0
    # All are quoted: else a carriage return alone would stand bare and end the row.
    writer = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([inert(row[column]) for column in columns])
        count += 1
    return count


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
