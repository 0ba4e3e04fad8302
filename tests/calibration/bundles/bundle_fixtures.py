"""Bundles for tests: the small one to change, and what an export leaves on disk."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from labeling.models import Annotator, CalibrationSet, Case, Label, Statement
from tests.cast import SMALL

Record = dict[str, Any]


def copy_of(source: Path, to: Path) -> Path:
    """The JSON Lines files of ``source`` in a new folder."""
    to.mkdir(parents=True)
    for file in source.glob("*.jsonl"):
        shutil.copy(file, to)
    return to


def small_copy(folder: Path) -> Path:
    return copy_of(SMALL, folder / "copy")


def read(path: Path) -> list[Record]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def write(path: Path, records: list[Record]) -> Path:
    lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    path.write_text("".join(lines), "utf-8")
    return path


def change(path: Path, at: int, alter: Callable[[Record], object]) -> Path:
    """Alter the record on line ``at`` (from 1) in place."""
    records = read(path)
    alter(records[at - 1])
    return write(path, records)


def lines(folder: Path) -> dict[str, bytes]:
    """The JSON Lines files of a folder, byte for byte."""
    return {file.name: file.read_bytes() for file in sorted(folder.glob("*.jsonl"))}


def plain_case(number: int, **fields: Any) -> Record:
    """A case with one statement and an expectation that cites its passage."""
    text = f"Lamp {number} burns for {number + 3} hours."
    return {
        "case_id": f"lamp-{number}",
        "context": [{"id": "p1", "text": text}],
        "answer": text,
        "statements": [
            {
                "statement_id": "s1",
                "text": text,
                "span": [0, len(text)],
                "expected": {
                    "claim_class": "subject_specific",
                    "verdict": "supported",
                    "evidence": [{"passage_id": "p1", "quote": f"Lamp {number} burns"}],
                },
            }
        ],
        **fields,
    }


def rows() -> tuple[int, ...]:
    """How many rows the tables have that an import of cases and labels fills."""
    tables = (CalibrationSet, Case, Statement, Label, Annotator)
    return tuple(table._default_manager.count() for table in tables)
