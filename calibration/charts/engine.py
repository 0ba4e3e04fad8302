"""vl-convert in a process of its own.

It holds Python's lock while it draws, a second for the first picture and a tenth for each
further one, and 60 MB for as long as its process lives. In here it would stop every other
request meanwhile. Its process is started when something is first drawn, ends by itself when
nothing is, and is killed when a drawing takes too long.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Final

SECONDS: Final = 15.0
"""What a picture may take, the start of the process included."""

_AHEAD: Final = 32
"""Pictures of about 20 kB that were drawn ahead, and wait to be asked for."""

_PROGRAM: Final = Path(__file__).with_name("engine_process.py")


class NotDrawn(Exception):
    """The engine drew nothing, or nothing that may be shown.

    A template shows nothing in its place, and with that the table behind the picture.
    """

    silent_variable_failure = True


class Engine:
    """One process, started when it is needed. Callers in several threads wait for each other."""

    def __init__(self, program: Path = _PROGRAM, seconds: float = SECONDS) -> None:
        self._program = program
        self._seconds = seconds
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self._answers: dict[bytes, bytes] = {}

    def svg(self, spec: Mapping[str, Any]) -> str:
        """The specification as the engine draws it; raises `NotDrawn` where it does not."""
        line = _line(spec)
        with self._lock:
            answer = self._answers.pop(line, b"") or self._answer(line)
        if not answer:
            raise NotDrawn("the drawing process ended without an answer")
        said = json.loads(answer)
        if "svg" not in said:
            raise NotDrawn(said["error"])
        return str(said["svg"])

    def ahead(self, specs: Iterable[Mapping[str, Any]]) -> threading.Thread:
        """Draw these beside whatever else is done, so that they are there when they are asked for.
        The thread that does it may be waited for, and need not be."""
        lines = [_line(spec) for spec in specs]
        thread = threading.Thread(target=self._draw_ahead, args=[lines], daemon=True)
        thread.start()
        return thread

    def _draw_ahead(self, lines: Iterable[bytes]) -> None:
        for line in lines:
            # One that was not drawn is drawn by whoever asks for it, who is told why.
            with self._lock, suppress(NotDrawn, OSError):
                if line not in self._answers:
                    self._answers[line] = self._answer(line)
                # Those that nobody came for.
                for oldest in list(self._answers)[:-_AHEAD]:
                    del self._answers[oldest]

    def warm(self) -> None:
        """Start the process, so that it is ready by the time something is drawn."""
        with self._lock:
            self._running()

    def stop(self) -> None:
        with self._lock:
            self._end()

    def _answer(self, line: bytes) -> bytes:
        # A process that had nothing to do may be ending just now; a new one is not.
        return self._asked(line) or self._asked(line)

    def _asked(self, line: bytes) -> bytes:
        """The answer, or nothing where the process ended instead."""
        asking, answering = _pipes(self._running())
        try:
            asking.write(line)
            asking.flush()
        except BrokenPipeError:
            self._end()
            return b""
        if not select.select([answering], [], [], self._seconds)[0]:
            self._end()
            raise NotDrawn(f"not drawn within {self._seconds:.0f} seconds")
        answer = answering.readline()
        if not answer:
            self._end()
        return answer

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._owner != os.getpid():
            self._process = None  # a fork's copy: the pipes are the parent's
        if self._process is None or self._process.poll() is not None:
            self._end()
            self._process, self._owner = _started(self._program), os.getpid()
        return self._process

    def _end(self) -> None:
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        for pipe in _pipes(self._process):
            with suppress(BrokenPipeError):
                pipe.close()
        self._process = None


def _line(spec: Mapping[str, Any]) -> bytes:
    return json.dumps(spec).encode() + b"\n"


def _started(program: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603  # the command is this product's own
        [sys.executable, "-P", str(program)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        # It needs none of what the environment holds, which includes the app's secrets.
        env={},
    )


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    if process.stdin is None or process.stdout is None:
        raise AssertionError("the process was started with both")
    return process.stdin, process.stdout


ENGINE: Final = Engine()
