"""An installation of its own for tests that start processes: workers, writers, commands."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import psutil
import psycopg

from tests.grounding.rubric_examples import SHIPPED

ROOT = Path(__file__).parents[2]
SMALL = ROOT / "tests" / "records" / "small"


class House:
    """Commands and processes on one database and one broker, with short leases."""

    def __init__(self, folder: Path, database_url: str, broker_url: str | None = None) -> None:
        self.folder = folder
        self.calls_file = folder / "calls"
        own = {
            "DATABASE_URL": database_url,
            "CELERY_BROKER_URL": broker_url or f"sqla+sqlite:///{folder / 'broker.sqlite3'}",
            "DJANGO_SETTINGS_MODULE": "tests.calibration.house_settings",
            "ASSIZE_TEST_QUEUE": f"assize-test-{uuid4().hex}",
            "ASSIZE_TEST_CALLS": str(self.calls_file),
            "PYTHONPATH": str(ROOT),
            # Celery's own guard against pickles read by root must not stand in for ours.
            "C_FORCE_ROOT": "1",
        }
        self.environment = {**os.environ, **own}

    def migrated(self) -> House:
        self.manage("migrate", "-v0")
        return self

    def slow(self, seconds: float) -> House:
        """Every case takes the judge so long from now on."""
        self.environment["ASSIZE_TEST_JUDGE_SECONDS"] = str(seconds)
        return self

    def waiting(self, seconds: float) -> House:
        """Every case waits so long for somebody from now on, many of them at once."""
        self.environment["ASSIZE_TEST_JUDGE_WAITS"] = "1"
        return self.slow(seconds)

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
        )

    def manage(self, *arguments: str) -> str:
        """Standard output of a command that must go well."""
        done = self.command(*arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def json(self, *arguments: str) -> Any:
        return json.loads(self.manage(*arguments, "--json"))

    def python(self, code: str) -> Any:
        """What ``code`` binds to `answer`, with Django set up."""
        script = f"import json\n{code}\nprint(json.dumps(answer))"
        return json.loads(self.manage("shell", "-v0", "-c", script).splitlines()[-1])

    def with_set(self, path: Path = SMALL, slug: str = "small") -> House:
        self.python(
            "from calibration import bundles\n"
            f"answer = bundles.import_set({slug!r}, {str(path)!r}).revision"
        )
        self.manage("release_rubric", str(SHIPPED))
        return self

    def start(self, slug: str = "small") -> int:
        return int(self.json("start_run", "groundedness@1.0.0", slug)["run"])

    @contextmanager
    def process(self, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
        """A command that runs until the block ends; what it started ends with it."""
        log = (self.folder / f"{arguments[0]}.log").open("ab")
        process = subprocess.Popen(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            stdout=log,
            stderr=log,
        )
        try:
            yield process
        finally:
            family = tree(process.pid)
            with suppress(ProcessLookupError):
                process.send_signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                process.wait(15)
            kill(family)
            process.wait()
            log.close()

    def progress(self, run: int) -> dict[str, Any]:
        """The run's outcomes, what is pending, and its status."""
        return dict(
            self.python(
                "from calibration import runs\n"
                "from calibration.models import Run\n"
                f"found = runs.progress(Run.objects.get(pk={run}))\n"
                "answer = {'status': found.status, 'waiting': found.waiting,"
                " 'leased': found.leased, **found.outcomes}"
            )
        )

    def finished(self, run: int, *, within: float = 60) -> dict[str, Any]:
        """The run's figures once it is no longer running."""
        planned = f"SELECT count(*) FROM calibration_judgment WHERE run_id = {run}"
        pending = f"{planned} AND outcome IS NULL"
        wait_for(lambda: self.number(pending), lambda left: left == 0, within)
        return self.progress(run)

    def number(self, query: str) -> int:
        """One figure straight from the database: cheap enough to ask for again and again."""
        url = self.environment["DATABASE_URL"]
        if url.startswith("sqlite"):
            with closing(sqlite3.connect(url.removeprefix("sqlite:///"), timeout=20)) as file:
                return int(file.execute(query).fetchone()[0])
        with psycopg.connect(url) as server:
            found = server.execute(query).fetchone()  # type: ignore[arg-type]
            return int(found[0]) if found else 0

    def calls(self) -> Counter[str]:
        """How often the judge was asked about each case so far."""
        if not self.calls_file.exists():
            return Counter()
        return Counter(self.calls_file.read_text().split())


def wait_for(look: Callable[[], Any], good: Callable[[Any], bool], within: float) -> Any:
    end = time.monotonic() + within
    seen = look()
    while not good(seen):
        assert time.monotonic() < end, f"still {seen} after {within} s"
        time.sleep(0.2)
        seen = look()
    return seen


def tree(pid: int) -> list[psutil.Process]:
    """A process and everything below it."""
    try:
        process = psutil.Process(pid)
        return [process, *process.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def kill(family: list[psutil.Process]) -> None:
    for member in family:
        with suppress(psutil.NoSuchProcess):
            member.kill()


def sqlite_database(folder: Path) -> str:
    return f"sqlite:///{folder / 'assize.sqlite3'}"


@contextmanager
def postgresql_database(server: str) -> Iterator[str]:
    """A database of its own on the server, dropped afterwards."""
    name = f"assize_test_{uuid4().hex[:12]}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        try:
            yield f"{server.rpartition('/')[0]}/{name}"
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
