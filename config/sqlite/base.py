"""Django's SQLite backend, with the threads of one process taking turns to write.

SQLite lets one transaction write at a time and makes the others ask again and again. Whoever
has waited longest asks least often, so among many threads some wait until they fail. Here each
waits in line for its process's turn, and only one per process asks.
"""

from __future__ import annotations

from collections import deque
from threading import Event, Lock
from typing import Any

from django.db.backends.sqlite3 import base
from django.db.utils import OperationalError


class Turnstile:
    """A lock that lets in who came first."""

    def __init__(self) -> None:
        self._mutex, self._taken = Lock(), False
        self._line: deque[Event] = deque()

    def enter(self, *, timeout: float) -> bool:
        """Whether the turn came within ``timeout`` seconds."""
        with self._mutex:
            if not self._taken:
                self._taken = True
                return True
            turn = Event()
            self._line.append(turn)
        return turn.wait(timeout) or self._came_all_the_same(turn)

    def leave(self) -> None:
        with self._mutex:
            if self._line:
                self._line.popleft().set()
            else:
                self._taken = False

    def _came_all_the_same(self, turn: Event) -> bool:
        with self._mutex:
            if turn.is_set():
                return True
            self._line.remove(turn)
            return False


_TURNSTILES: dict[str, Turnstile] = {}


class DatabaseWrapper(base.DatabaseWrapper):
    """Holds the turnstile of its file from BEGIN to COMMIT or ROLLBACK."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._inside: Turnstile | None = None

    def _start_transaction_under_autocommit(self) -> None:
        if self.transaction_mode == "IMMEDIATE":  # type: ignore[attr-defined]
            self._enter()
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self._leave()
            raise

    def _commit(self) -> None:
        super()._commit()  # type: ignore[misc]
        self._leave()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self._leave()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]
        finally:
            self._leave()

    def _enter(self) -> None:
        turnstile = _TURNSTILES.setdefault(str(self.settings_dict["NAME"]), Turnstile())
        if not turnstile.enter(timeout=self.settings_dict["OPTIONS"]["timeout"]):
            raise OperationalError("database is locked")
        self._inside = turnstile

    def _leave(self) -> None:
        inside, self._inside = self._inside, None
        if inside is not None:
            inside.leave()
