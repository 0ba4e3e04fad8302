"""Ending with the process that supervises this one, even when that is killed outright.

The supervisor holds the other end of this process's standard input and never writes to it:
when the supervisor is gone, however it went, reading comes to an end.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

GRACE_SECONDS = 10


def hold() -> None:
    """Watch standard input from a thread of its own."""
    threading.Thread(target=_watch, name="lifeline", daemon=True).start()


def _watch() -> None:
    # Read by descriptor: the buffered reader would hold a lock that a fork could inherit.
    while os.read(sys.__stdin__.fileno() if sys.__stdin__ else 0, 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE_SECONDS)
    # A supervised process leads a group of its own, which holds its children and no one else.
    if os.getpgid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)
