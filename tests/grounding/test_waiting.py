"""Coroutines for callers that wait."""

from __future__ import annotations

import asyncio

import pytest

from grounding.waiting import finish


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
