"""Imports that race, and imports that are killed: all or nothing (row C2)."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from calibration import bundles
from labeling import exchange, sets
from labeling.cases.intake import cases as case_intake
from labeling.models import CalibrationSet, Case
from tests.calibration.bundles.bundle_fixtures import plain_case, rows, write


@pytest.mark.django_db(transaction=True)
def test_two_imports_at_once_give_two_revisions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors = _import_two_at_once(tmp_path, monkeypatch)
    assert errors == []
    assert sets.get("lamps").revision == 2
    assert sorted(Case.objects.values_list("added_in", "position")) == [(1, 0), (2, 1)]


@pytest.mark.django_db(transaction=True)
def test_without_the_lock_two_imports_at_once_collide(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sets, "locked", lambda held: CalibrationSet.objects.get(pk=held.pk))
    if connection.vendor == "sqlite":
        # There the lock is the kind of transaction.
        monkeypatch.setitem(connection.settings_dict["OPTIONS"], "transaction_mode", "DEFERRED")
    errors = _import_two_at_once(tmp_path, monkeypatch)
    places = sorted(Case.objects.values_list("added_in", "position"))
    assert errors or places == [(1, 0), (1, 0)]


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_an_import_that_is_killed_leaves_nothing_and_a_retry_completes_once(
    tmp_path: Path,
) -> None:
    if connection.vendor == "sqlite" and "memory" in str(connection.settings_dict["NAME"]):
        pytest.skip("another process cannot reach a database in memory")
    file = write(tmp_path / "lamps.jsonl", [plain_case(number) for number in range(4_000)])
    _kill_when_rows_are_written(file)
    assert rows() == (0, 0, 0, 0, 0)
    done = bundles.import_set("lamps", file).as_json()
    assert done["cases"]["added"] == 4_000
    assert done["revision"] == 1


def _kill_when_rows_are_written(file: Path) -> None:
    """Start an import in a process of its own and kill it before its last batch."""
    marker = file.with_suffix(".writing")
    process = subprocess.Popen(
        [sys.executable, "-c", _HELD_IMPORT, str(file), str(marker), *_database()],
        env=os.environ | {"PYTHONPATH": os.getcwd()},
    )
    try:
        deadline = time.monotonic() + 60
        while not marker.exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        assert marker.exists(), "the import never came to its later batches"
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


_HELD_IMPORT = """
import pathlib, sys, time
from django.conf import settings
file, marker, name = sys.argv[1:]
settings.DATABASES["default"]["NAME"] = name
import django
django.setup()
from calibration import bundles
from labeling.cases.intake import cases
store = cases._Intake._store
batches = []
def held(self, new):
    store(self, new)
    batches.append(len(new))
    if len(batches) == 4:
        pathlib.Path(marker).touch()
        time.sleep(60)
cases._Intake._store = held
bundles.import_set("lamps", file)
"""


def _database() -> list[str]:
    return [str(connection.settings_dict["NAME"])]


def _import_two_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Exception]:
    """Two imports of one case each; each waits for the other before it looks at the cases."""
    sets.get_or_create("lamps")
    both = threading.Barrier(2)
    take = case_intake.take

    def waiting(*args: Any, **options: Any) -> Any:
        # With the lock in place the other cannot come here, so nobody waits for ever.
        with contextlib.suppress(threading.BrokenBarrierError):
            both.wait(timeout=1)
        return take(*args, **options)

    monkeypatch.setattr(exchange.cases, "take", waiting)
    errors: list[Exception] = []

    def run(number: int) -> None:
        file = write(tmp_path / f"{number}.jsonl", [plain_case(number)])
        try:
            bundles.import_set("lamps", file)
        except Exception as error:
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(number,)) for number in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors
