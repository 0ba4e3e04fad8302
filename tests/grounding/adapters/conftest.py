"""No test of an adapter leads anywhere but to 127.0.0.1."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

LOOKED_AT = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto")


@dataclass
class Connections:
    """What Python's sockets were led to, and looked up, while it was open."""

    open: bool = False
    elsewhere: list[tuple[str, Any]] = field(default_factory=list)
    here: int = 0

    def see(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.open or event not in LOOKED_AT:
            return
        place = arguments[0] if event.startswith("socket.get") else arguments[1]
        host = place[0] if isinstance(place, tuple) else place
        if host == "127.0.0.1":
            self.here += 1
        elif isinstance(place, tuple) or event.startswith("socket.get"):
            self.elsewhere.append((event, place))
            raise ConnectionRefusedError(f"{event} to {place}")


# An audit hook cannot be taken away again, so that there is one, opened for each test.
SEEN = Connections()
sys.addaudithook(SEEN.see)


@pytest.fixture(autouse=True)
def connections() -> Iterator[Connections]:
    SEEN.open, SEEN.here = True, 0
    SEEN.elsewhere.clear()
    yield SEEN
    SEEN.open = False
    assert SEEN.elsewhere == []
