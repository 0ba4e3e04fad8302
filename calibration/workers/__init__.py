"""Processes that are kept running: Celery workers and the web server.

A supervised process is the leader of a process group of its own and has the supervisor at the
other end of its standard input, so that it ends when the supervisor does, however that went
(`config.lifeline`). It is restarted when it dies, after a pause that grows while it keeps
dying.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from time import monotonic
from types import FrameType
from typing import Final

from django.conf import settings

FIRST_PAUSE: Final = 1.0
LONGEST_PAUSE: Final = 30.0
# A process that lived this long was well; what ends it later is a new mishap.
WELL_AFTER: Final = 60.0
STOP_SECONDS: Final = 20.0
TICK_SECONDS: Final = 0.2


class Supervised:
    """One process that is started, restarted and stopped as a whole group."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = list(command)
        self._process: subprocess.Popen[bytes] | None = None
        self._started = 0.0
        self._due = 0.0
        self._pause = FIRST_PAUSE
        self.deaths = 0

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    def tend(self) -> None:
        """Start the process where it is not running and the time for it has come."""
        if self._process is not None and self._process.poll() is not None:
            self._bury(self._process)
        if self._process is None and monotonic() >= self._due:
            self._process = self._start()

    def stop(self) -> None:
        """End the process: asked first, so that it finishes what it holds, then by force."""
        if self._process is None:
            return
        with suppress(ProcessLookupError):
            self._process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(STOP_SECONDS)
        _end_group(self._process)
        self._process = None

    def _start(self) -> subprocess.Popen[bytes]:
        self._started = monotonic()
        return subprocess.Popen(  # noqa: S603  # the command is this product's own
            self._command,
            cwd=settings.BASE_DIR,
            stdin=subprocess.PIPE,
            # Standard output is the command's own, for its one JSON object.
            stdout=2,
            start_new_session=True,
        )

    def _bury(self, process: subprocess.Popen[bytes]) -> None:
        _end_group(process)
        self._process = None
        self.deaths += 1
        if monotonic() - self._started > WELL_AFTER:
            self._pause = FIRST_PAUSE
        self._due = monotonic() + self._pause
        self._pause = min(self._pause * 2, LONGEST_PAUSE)


def embedded_broker() -> bool:
    """Whether the broker is the embedded one, whose worker is run along with what needs it."""
    return str(settings.CELERY_BROKER_URL).startswith("sqla+sqlite:")


def worker(concurrency: int = 2) -> Supervised:
    """A Celery worker, named after this process so that workers on one machine differ."""
    return Supervised(
        [
            *(sys.executable, "-m", "celery", "-q", "-A", "config", "worker", "--supervised"),
            *("--concurrency", str(concurrency), "--hostname", f"worker-{os.getpid()}@%h"),
            *("--loglevel", "WARNING", "--without-gossip", "--without-mingle"),
        ]
    )


def web_server(port: int) -> Supervised:
    return Supervised(
        [
            *(sys.executable, "-m", "gunicorn", "config.wsgi:application"),
            *("--bind", f"127.0.0.1:{port}", "--config", "python:config.gunicorn"),
            *("--log-level", "warning"),
        ]
    )


@contextmanager
def supervised(*processes: Supervised) -> Iterator[None]:
    """The processes started, and stopped when the block ends, by SIGTERM too.

    Inside the block somebody has to `tend` them.
    """
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        for process in processes:
            process.tend()
        yield
    finally:
        # A second signal must not leave processes behind.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        for process in processes:
            process.stop()
        signal.signal(signal.SIGTERM, before)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of the process and its children."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdin is not None:
        process.stdin.close()
