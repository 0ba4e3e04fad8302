"""Real workers with many cases in flight: killed, asked to stop, cancelled (rows E1, E6, E7)."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import psutil
import pytest

from tests.calibration.house import House, kill, sqlite_database, tree, wait_for
from tests.calibration.judging.test_workers import copies, reconciled

pytestmark = pytest.mark.slow

_HELD = "SELECT count(*) FROM calibration_judgment WHERE lease_until IS NOT NULL"
_CLAIMS = "SELECT coalesce(max(claims), 0) FROM calibration_judgment WHERE outcome IS NULL"
_DONE = "SELECT count(*) FROM calibration_judgment WHERE outcome IS NOT NULL"


@pytest.fixture
def lamps(tmp_path: Path) -> House:
    house = House(tmp_path, sqlite_database(tmp_path)).migrated()
    return house.with_set(copies(tmp_path, 200), "lamps")


def test_killed_in_mid_flight_nothing_is_lost_or_doubled(lamps: House) -> None:
    run = lamps.waiting(0.5).start("lamps")
    with lamps.process("worker") as first:
        wait_for(lambda: sum(lamps.calls().values()), lambda calls: calls >= 64, 60)
        family = tree(first.pid)
        kill(family)
        psutil.wait_procs(family, timeout=10)
    assert lamps.progress(run)["status"] == "running"
    with lamps.process("worker"):
        end = lamps.finished(run, within=120)
    assert (end["planned"], end["graded"]) == (200, 200)
    assert reconciled(end)


def test_a_case_that_kills_its_worker_fails_alone_though_many_were_in_flight(
    lamps: House,
) -> None:
    """Row E6."""
    lamps.waiting(0.2).environment["ASSIZE_TEST_KILLER"] = "lamp-70"
    run = lamps.start("lamps")
    with lamps.process("worker"):
        end = lamps.finished(run, within=200)
    assert (end["graded"], end["unavailable"]) == (199, 1)
    assert lamps.calls()["lamp-70"] == 3


def test_asked_to_stop_a_worker_records_what_is_done_and_gives_back_the_rest(
    lamps: House,
) -> None:
    lamps.environment["JUDGE_CONCURRENCY"] = "4"
    run = lamps.waiting(1.0).start("lamps")
    with lamps.process("worker") as worker:
        wait_for(lambda: lamps.number(_DONE), lambda done: done > 0, 60)
        began = time.monotonic()
        worker.send_signal(signal.SIGTERM)
        worker.wait(20)
        assert time.monotonic() - began < 15
    assert (lamps.number(_HELD), lamps.number(_CLAIMS)) == (0, 0)
    made, done = sum(lamps.calls().values()), lamps.number(_DONE)
    assert 0 < done < 200
    assert done == made, "each call that was begun was waited for and written down"
    with lamps.process("worker"):
        end = lamps.finished(run, within=120)
    assert end["graded"] == 200
    assert set(lamps.calls().values()) == {1}


def test_after_cancelling_calls_are_broken_off_and_none_is_made(lamps: House) -> None:
    """Row E7."""
    run = lamps.waiting(3.0).start("lamps")
    with lamps.process("worker"):
        wait_for(lambda: sum(lamps.calls().values()), lambda calls: calls >= 32, 60)
        lamps.python(
            "from calibration import runs\nfrom calibration.models import Run\n"
            f"runs.cancel(Run.objects.get(pk={run}))\nanswer = 1"
        )
        wait_for(lambda: lamps.number(_HELD), lambda held: held == 0, 15)
        before = lamps.calls()
    with lamps.process("worker"):
        workers = "SELECT count(*) FROM calibration_workerbeat"
        wait_for(lambda: lamps.number(workers), lambda found: found == 2, 60)
        time.sleep(2)
        assert lamps.calls() == before
    assert lamps.progress(run)["status"] == "cancelled"
    assert sum(before.values()) < 200
