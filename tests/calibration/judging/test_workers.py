"""Real workers in processes of their own: rows E1, E6, E9, B9, and runs over real data."""

from __future__ import annotations

import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from grounding.interchange.models import Outcome
from tests import services
from tests.calibration.house import (
    ROOT,
    House,
    kill,
    postgresql_database,
    sqlite_database,
    tree,
    wait_for,
)

pytestmark = pytest.mark.slow

FAILURES = [outcome.value for outcome in Outcome if outcome is not Outcome.GRADED]


def reconciled(outcomes: dict[str, Any]) -> bool:
    return outcomes["planned"] == outcomes["graded"] + sum(outcomes[name] for name in FAILURES)


def copies(folder: Path, number: int) -> Path:
    """A cases file with as many small cases."""
    path = folder / "cases.jsonl"
    with path.open("w") as file:
        for index in range(number):
            text = f"Lamp {index} burns for {index + 3} hours."
            case = {
                "case_id": f"lamp-{index}",
                "context": [{"id": "p1", "text": text}],
                "answer": text,
                "statements": [{"statement_id": "s1", "text": text}],
            }
            file.write(json.dumps(case) + "\n")
    return path


@pytest.fixture(
    params=[
        "embedded",
        pytest.param("redis", marks=pytest.mark.services),
        pytest.param("rabbitmq", marks=pytest.mark.services),
    ]
)
def brokered(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[House]:
    """A house on each broker."""
    urls = {
        "embedded": lambda: None,
        "redis": lambda: f"{services.redis()}/11",
        "rabbitmq": services.rabbitmq,
    }
    broker = urls[request.param]()
    made = House(tmp_path, sqlite_database(tmp_path), broker)
    yield made.migrated()
    # Nothing of the test stays on a shared server.
    made.manage(
        "shell",
        "-v0",
        "-c",
        "from config.celery import app\n"
        "from django.conf import settings\n"
        "with app.connection_for_write() as connection:\n"
        "    channel = connection.default_channel\n"
        "    channel.queue_delete(settings.CELERY_TASK_DEFAULT_QUEUE)\n",
    )


def celery_of(supervisor: int) -> list[psutil.Process]:
    """The worker that a supervisor keeps, and its judging children."""
    return tree(supervisor)[1:]


def test_kill_9_of_worker_and_children_in_mid_run_loses_and_doubles_nothing(
    brokered: House, tmp_path: Path
) -> None:
    brokered.slow(0.1).with_set(copies(tmp_path, 60), "lamps")
    run = brokered.start("lamps")
    with brokered.process("worker") as first:
        wait_for(lambda: sum(brokered.calls().values()), lambda calls: calls >= 8, 40)
        family = tree(first.pid)
        kill(family)
        psutil.wait_procs(family, timeout=10)
    midway = brokered.progress(run)
    assert midway["status"] == "running"
    assert 0 < midway["waiting"] + midway["leased"] < 60 or midway["graded"] == 0
    with brokered.process("worker"):
        end = brokered.finished(run, within=180)
    assert (end["planned"], end["graded"]) == (60, 60)
    assert reconciled(end)
    rows = brokered.python(
        "from calibration.models import Attempt, Judgment\n"
        f"rows = Judgment.objects.filter(run={run})\n"
        "made = Attempt.objects.filter(judgment__in=rows)\n"
        "answer = [rows.count(), rows.values('statement').distinct().count(),"
        " made.count(), made.values('judgment', 'number').distinct().count()]"
    )
    assert rows[0] == rows[1] == 60
    assert rows[2] == rows[3]


def test_a_run_whose_every_message_was_lost_is_taken_up(brokered: House) -> None:
    """Row E3: the broker was emptied while no worker was there."""
    brokered.with_set()
    run = brokered.start()
    left = brokered.python(
        "from config.celery import app\n"
        "from django.conf import settings\n"
        "with app.connection_for_write() as connection:\n"
        "    channel, queue = connection.default_channel, settings.CELERY_TASK_DEFAULT_QUEUE\n"
        "    purged = channel.queue_purge(queue)\n"
        "    answer = [purged, channel.queue_purge(queue)]"
    )
    assert left == [1, 0]
    with brokered.process("worker"):
        end = brokered.finished(run)
    assert end["graded"] == 11


def test_the_supervisor_starts_a_killed_worker_again(house: House, tmp_path: Path) -> None:
    house.slow(0.1).with_set(copies(tmp_path, 40), "lamps")
    run = house.start("lamps")
    with house.process("worker") as supervisor:
        wait_for(lambda: sum(house.calls().values()), lambda calls: calls >= 5, 40)
        kill(celery_of(supervisor.pid))
        end = house.finished(run, within=180)
        assert supervisor.poll() is None
    assert end["graded"] == 40


def test_a_worker_ends_when_its_supervisor_is_killed_outright(tmp_path: Path) -> None:
    house = House(tmp_path, sqlite_database(tmp_path)).migrated()
    with house.process("worker") as supervisor:
        children = wait_for(
            lambda: celery_of(supervisor.pid), lambda found: len(found) >= 3, within=90
        )
        supervisor.kill()
        _, alive = psutil.wait_procs(children, timeout=25)
        kill(alive)
    assert not alive


def test_sigterm_ends_supervisor_worker_and_children(tmp_path: Path) -> None:
    house = House(tmp_path, sqlite_database(tmp_path)).migrated()
    with house.process("worker") as supervisor:
        family = wait_for(lambda: tree(supervisor.pid), lambda found: len(found) >= 4, within=90)
        supervisor.send_signal(signal.SIGTERM)
        _, alive = psutil.wait_procs(family, timeout=30)
        kill(alive)
    assert not alive
    assert supervisor.returncode == 0


def test_a_case_that_kills_its_worker_each_time_fails_and_the_others_proceed(
    tmp_path: Path,
) -> None:
    house = House(tmp_path, sqlite_database(tmp_path)).migrated()
    house.with_set(copies(tmp_path, 12), "lamps")
    house.environment["ASSIZE_TEST_KILLER"] = "lamp-7"
    run = house.start("lamps")
    with house.process("worker"):
        end = house.finished(run, within=240)
    assert (end["graded"], end["unavailable"]) == (11, 1)
    assert reconciled(end)
    assert house.calls()["lamp-7"] == 3


def _database_ports(process: psutil.Process) -> set[int]:
    """The local ports of a process's connections to PostgreSQL."""
    return {
        found.laddr.port
        for found in process.net_connections("tcp")
        if found.raddr and found.raddr.port == 5432
    }


@pytest.mark.services
def test_forked_processes_share_no_database_connection(tmp_path: Path) -> None:
    """Neither the worker nor the web server connects before it forks."""
    with postgresql_database(services.postgresql()) as url, socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        house = House(tmp_path, url).migrated().slow(0.5).with_set(copies(tmp_path, 80), "lamps")
        with house.process("serve", "--port", str(port)) as server:
            house.start("lamps")
            wait_for(lambda: sum(house.calls().values()), lambda calls: calls >= 4, 60)
            for _ in range(30):
                # A session to look up makes the server ask the database.
                page = urllib.request.Request(
                    f"http://127.0.0.1:{port}/", headers={"Cookie": "sessionid=" + "n" * 32}
                )
                urllib.request.urlopen(page).close()
            mains = psutil.Process(server.pid).children()
            held = [[_database_ports(child) for child in main.children()] for main in mains]
            assert [_database_ports(main) for main in mains] == [set(), set()]
    assert [sum(map(bool, ports)) for ports in held] == [2, 2], "all were at work"
    everyone = [port for ports in held for own in ports for port in own]
    assert len(everyone) == len(set(everyone))


def test_the_server_needs_its_port(tmp_path: Path) -> None:
    house = House(tmp_path, sqlite_database(tmp_path)).migrated()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = house.command("serve", "--port", str(taken.getsockname()[1]))
    assert done.returncode == 3
    assert "cannot be had" in done.stderr


_LEASED = (
    "SELECT count(*) FROM calibration_judgment WHERE run_id = {run} AND outcome IS NULL"
    " AND lease_until > CURRENT_TIMESTAMP"
)


def test_after_cancelling_no_call_is_made_not_even_by_a_new_worker(
    house: House, tmp_path: Path
) -> None:
    house.slow(0.2).with_set(copies(tmp_path, 60), "lamps")
    run = house.start("lamps")
    with house.process("worker"):
        wait_for(lambda: sum(house.calls().values()), lambda calls: calls >= 4, 40)
        house.python(
            "from calibration import runs\nfrom calibration.models import Run\n"
            f"runs.cancel(Run.objects.get(pk={run}))\nanswer = 1"
        )
        wait_for(lambda: house.number(_LEASED.format(run=run)), lambda leased: leased == 0, 30)
        before = house.calls()
    with house.process("worker"):
        # Two turns of its reconciler prove that it is up and had its chance.
        workers = "SELECT count(*) FROM calibration_workerbeat"
        wait_for(lambda: house.number(workers), lambda found: found == 2, 40)
        time.sleep(2)
        assert house.calls() == before
    assert house.progress(run)["status"] == "cancelled"
    assert 4 <= sum(before.values()) < 60


def test_start_run_waits_with_a_worker_of_its_own_and_leaves_none_behind(house: House) -> None:
    house.with_set()
    answer = house.json("start_run", "groundedness@1.0.0", "small", "--wait", "--repeats", "2")
    assert set(answer) == {"run", "status", "outcomes"}
    assert answer["status"] == "complete"
    assert answer["outcomes"]["planned"] == answer["outcomes"]["graded"] == 22
    mine = house.environment["ASSIZE_TEST_QUEUE"]
    assert not [p for p in psutil.process_iter(["environ"]) if mine in str(p.info["environ"])]


def test_a_broker_that_is_away_holds_nobody_up_and_loses_nothing(tmp_path: Path) -> None:
    """Row E4: the run is committed and waits; its start is no error and takes but a moment."""
    house = House(tmp_path, sqlite_database(tmp_path), "redis://127.0.0.1:1/0").migrated()
    house.with_set()
    seconds, waiting = house.python(
        "import time\n"
        "from calibration import rubrics, runs\n"
        "from labeling import sets\n"
        "version, held = rubrics.get('groundedness@1.0.0'), sets.get('small')\n"
        "before = time.monotonic()\n"
        "run = runs.start(held, version, repeats=40)\n"
        "answer = [time.monotonic() - before, runs.progress(run).waiting]"
    )
    assert (seconds < 5, waiting) == (True, 440)
    house.environment["CELERY_BROKER_URL"] = f"sqla+sqlite:///{tmp_path / 'broker.sqlite3'}"
    with house.process("worker"):
        assert house.finished(1)["graded"] == 440


@pytest.mark.services
def test_without_a_worker_on_a_shared_broker_waiting_ends_with_exit_3(tmp_path: Path) -> None:
    house = House(tmp_path, sqlite_database(tmp_path), f"{services.redis()}/11").migrated()
    house.with_set()
    done = house.command("start_run", "groundedness@1.0.0", "small", "--wait", "--json")
    assert done.returncode == 3
    assert "no worker for 30 s" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("slug", ["fever_symmetric", "cad_nli"])
def test_the_lexical_judge_over_real_pairs_by_a_real_worker(
    slug: str, tmp_path: Path, data_folder: Path
) -> None:
    house = House(tmp_path, sqlite_database(tmp_path)).migrated()
    house.with_set(data_folder / slug, slug)
    answer = house.json("start_run", "groundedness@1.0.0", slug, "--wait")
    assert answer["outcomes"]["planned"] == 400
    assert reconciled(answer["outcomes"])
    assert answer["status"] in ("complete", "partial")
    assert set(house.calls().values()) == {1}


def test_a_pickle_on_the_queue_is_refused(brokered: House, tmp_path: Path) -> None:
    """Row B9: had it been unpickled, the file would be there."""
    trace = tmp_path / "unpickled"
    brokered.with_set()
    brokered.manage("shell", "-v0", "-c", _PUBLISH_PICKLE.format(trace=str(trace)))
    run = brokered.start()
    log = brokered.folder / "worker.log"
    with brokered.process("worker"):
        wait_for(lambda: (trace.exists(), log.read_text()), _taken, 60)
        assert not trace.exists()
        end = brokered.finished(run)
    assert end["graded"] == 11
    assert not trace.exists()


def _taken(seen: tuple[bool, str]) -> bool:
    """The message was either unpickled or refused by its kind."""
    return seen[0] or "pickle" in seen[1]


_PUBLISH_PICKLE = """
import os
from django.conf import settings
from kombu import Exchange, Queue
from config.celery import app
class Trap:
    def __reduce__(self):
        return (os.mknod, ({trace!r},))
name = settings.CELERY_TASK_DEFAULT_QUEUE
with app.connection_for_write() as connection:
    producer = connection.Producer(serializer='pickle')
    producer.publish(
        ((Trap(),), dict(), dict()), exchange=name, routing_key=name,
        declare=[Queue(name, Exchange(name), routing_key=name)],
        headers=dict(task='calibration.tasks.judge', id='trap', lang='py'),
    )
"""


def test_the_trap_of_the_pickle_test_springs_where_pickles_are_read(tmp_path: Path) -> None:
    """The control: what is sent would make the file if anyone unpickled it."""
    trace = tmp_path / "unpickled"

    class Trap:
        def __reduce__(self) -> Any:
            return (os.mknod, (str(trace),))

    pickle.loads(pickle.dumps(Trap()))
    assert trace.exists()


_WRITER = """
import sys, uuid
from django.db import transaction
from labeling.models import CalibrationSet
made = []
for number in range({rounds}):
    with transaction.atomic():
        first = CalibrationSet.objects.get(slug='tally')
        first.revision += 1
        first.save()
        CalibrationSet.objects.create(slug=uuid.uuid4().hex)
"""


def _write_at_once(house: House, settings: str, *, writers: int, rounds: int) -> list[str]:
    """The errors of so many processes that read, then write, in one transaction each."""
    house.python(
        "from labeling.models import CalibrationSet\n"
        "answer = CalibrationSet.objects.create(slug='tally').pk"
    )
    code = (
        "import django\ndjango.setup()\n"
        f"from django.db import connections\n{settings}\n{_WRITER.format(rounds=rounds)}"
    )
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env=house.environment,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(writers)
    ]
    return [process.communicate(timeout=120)[1] for process in running]


_TALLY = (
    "from labeling.models import CalibrationSet\n"
    "answer = [CalibrationSet.objects.get(slug='tally').revision, CalibrationSet.objects.count()]"
)


def test_eight_writers_on_sqlite_meet_no_lock_and_lose_no_update(tmp_path: Path) -> None:
    house = House(tmp_path, sqlite_database(tmp_path)).migrated()
    errors = _write_at_once(house, "", writers=8, rounds=25)
    assert errors == [""] * 8
    assert house.python(_TALLY) == [200, 201]


def test_without_immediate_transactions_eight_writers_do_meet_locks(tmp_path: Path) -> None:
    """The control: the same writers, each transaction beginning as a reader."""
    house = House(tmp_path, sqlite_database(tmp_path)).migrated()
    deferred = "connections['default'].settings_dict['OPTIONS']['transaction_mode'] = 'DEFERRED'"
    errors = _write_at_once(house, deferred, writers=8, rounds=25)
    assert any("database is locked" in error for error in errors)
    assert house.python(_TALLY)[0] < 200
