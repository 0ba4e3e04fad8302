"""The event loop of this process, on a thread of its own.

It is started when it is first needed, which is after Celery's fork: a thread does not live on
in a forked child, and neither would its loop. Nothing on it touches the database.
"""

from __future__ import annotations

import asyncio
import os
import threading

_guard = threading.Lock()
_loops: dict[int, asyncio.AbstractEventLoop] = {}


def running() -> asyncio.AbstractEventLoop:
    """The loop of this very process, by now running."""
    with _guard:
        loop = _loops.get(os.getpid())
        if loop is None:
            _loops.clear()
            loop = _loops[os.getpid()] = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="judging", daemon=True).start()
        return loop
