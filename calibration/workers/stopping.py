"""Whether this worker was asked to stop: from its main process to the children that judge.

Celery waits for its children when it is asked to stop, and does not tell them. They share a
byte with it: mapped before the fork, it is the same one in all of them.
"""

from __future__ import annotations

import mmap

_asked = mmap.mmap(-1, 1)


def ask() -> None:
    _asked[0] = 1


def asked() -> bool:
    return _asked[0] == 1


def forget() -> None:
    _asked[0] = 0
