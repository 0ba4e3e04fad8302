"""Import of 10,000 cases, beside parsing the file and inserting the same rows by the driver.

The floor does no more than must be done: `json.loads` each line, then one transaction
of `executemany` by the sqlite3 module into the same tables with the same indexes and
constraints. Memory is the growth of the process's peak between 10,000 and 40,000 cases.
"""

from __future__ import annotations

import json
import resource
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from benchmarks import cases, scratch

CASES = 10_000
ALLOWED = 8.0
TABLES = ("labeling_case", "labeling_statement", "labeling_expectation")


def main() -> None:
    scratch.set_up()
    file = cases.write(scratch.FOLDER / "cases.jsonl", CASES)
    ours = _timed_import(file)
    floor = _floor(file)
    print(f"import of {CASES:,} cases: {ours:.2f} s")
    print(f"  floor, parsing and inserting by the driver alone: {floor:.2f} s")
    print(f"  ratio {ours / floor:.1f} (allowed: {ALLOWED:.0f})")
    small, large = _peak(CASES), _peak(4 * CASES)
    print(f"  peak memory {small:.0f} MiB at {CASES:,} cases, {large:.0f} MiB at {4 * CASES:,}")


def _timed_import(file: Path) -> float:
    from calibration import bundles

    started = time.perf_counter()
    bundles.import_set("bench", file)
    return time.perf_counter() - started


def _floor(file: Path) -> float:
    """The rows that the import made, put into emptied tables of a copy of the database."""
    from django.conf import settings

    database = str(settings.DATABASES["default"]["NAME"])
    copy = scratch.FOLDER / "floor.sqlite3"
    with closing(sqlite3.connect(database)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
        target.execute("PRAGMA journal_mode=WAL")
        target.execute("PRAGMA synchronous=NORMAL")
        rows = {table: target.execute(f"SELECT * FROM {table}").fetchall() for table in TABLES}
        for table in reversed(TABLES):
            target.execute(f"DELETE FROM {table}")
        target.commit()
        target.execute("PRAGMA foreign_keys=ON")
        return _insert(target, file, rows)


def _insert(
    target: sqlite3.Connection, file: Path, rows: dict[str, list[tuple[Any, ...]]]
) -> float:
    started = time.perf_counter()
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            json.loads(line)
    target.execute("BEGIN IMMEDIATE")
    for table, values in rows.items():
        marks = ", ".join("?" * len(values[0]))
        target.executemany(f"INSERT INTO {table} VALUES ({marks})", values)
    target.commit()
    return time.perf_counter() - started


def _peak(count: int) -> float:
    """Peak memory in MiB of a process that imports ``count`` cases."""
    command = [sys.executable, "-m", "benchmarks.import_cases", str(count)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def _measure_peak(count: int) -> None:
    scratch.set_up()
    _timed_import(cases.write(scratch.FOLDER / "cases.jsonl", count))
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


if __name__ == "__main__":
    _measure_peak(int(sys.argv[1])) if len(sys.argv) > 1 else main()
