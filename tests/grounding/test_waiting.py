"""Coroutines for callers that wait."""

from __future__ import annotations

import asyncio

import pytest

from grounding.waiting import computed, finish


async def _doubled(number: int) -> int:
    await asyncio.sleep(0)
    return 2 * number


async def _broken() -> int:
    raise ZeroDivisionError


def test_work_is_finished_outside_of_a_loop() -> None:
    assert finish(_doubled(4)) == 8


def test_work_is_finished_inside_of_a_running_loop_as_in_a_notebook() -> None:
    async def cell() -> int:
        return finish(_doubled(4))

    assert asyncio.run(cell()) == 8


def test_what_breaks_breaks_in_the_caller() -> None:
    async def cell() -> int:
        return finish(_broken())

    with pytest.raises(ZeroDivisionError):
        finish(_broken())
    with pytest.raises(ZeroDivisionError):
        asyncio.run(cell())


async def _summed(number: int) -> int:
    return number + number


def test_work_that_waits_for_nobody_is_computed_without_a_loop() -> None:
    async def looped() -> bool:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return False
        return True

    assert computed(_summed(4)) == 8
    assert computed(looped()) is False


def test_work_that_waits_after_all_is_not_taken_for_computed() -> None:
    with pytest.raises(RuntimeError, match="waited"):
        computed(_doubled(4))
