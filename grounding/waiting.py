"""From coroutines to callers that wait for them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


def computed(work: Coroutine[Any, Any, T]) -> T:
    """What ``work`` comes to, without an event loop: it computes, and waits for nobody.

    Raises RuntimeError where it waits after all.
    """
    try:
        work.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    work.close()
    raise RuntimeError("what was to compute waited for something")


def finish(work: Coroutine[Any, Any, T]) -> T:
    """What ``work`` comes to, whether or not this thread runs an event loop (a notebook does).

    The work gets a loop of its own: what it opens on a loop it has to close before it ends.
    """
    if not _looping():
        return asyncio.run(work)
    done: Future[T] = Future()
    thread = threading.Thread(target=_settle, args=(done, work), daemon=True)
    thread.start()
    return done.result()


def _settle(done: Future[T], work: Coroutine[Any, Any, T]) -> None:
    try:
        done.set_result(asyncio.run(work))
    except BaseException as error:
        done.set_exception(error)


def _looping() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
