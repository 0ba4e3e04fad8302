"""The Versions page's pictures, from its figures with their links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Final, NamedTuple

from calibration import charts
from calibration.readings.pictures import kept
from calibration.rendering.comparison import cell_name
from calibration.rendering.versions import lines_of_cells, stands_as
from calibration.wording.numbers import words

Told = Mapping[str, Any]

NO_MODEL: Final = "not reported"
_DIRECTIONS: Final = {
    "verdict": "Verdict right",
    "lenient": "Lenient errors",
    "strict": "Strict errors",
    "class_escape": "Class escapes",
}
MOST_BARS: Final = 20
"""Bars over time, the latest; the table has them all."""


class Pictures(NamedTuple):
    """Of each block, in order, and of what was said over time."""

    blocks: Sequence[Sequence[charts.Panels]]
    drift: charts.Figure | None


def of_page(told: Told) -> Pictures:
    """All of them, kept by what they are made from: one query, and one for those not drawn yet."""
    of_blocks = [of_block(block) for block in told["blocks"]]
    last = drift(told["drift"])
    every = [figure for panels in chain(*of_blocks) for figure in panels.figures]
    drawn = iter(kept([*every, last] if last else every))
    blocks = [
        [replace(panels, figures=[next(drawn) for _ in panels.figures]) for panels in block]
        for block in of_blocks
    ]
    return Pictures(blocks, next(drawn, None))


def of_block(block: Told) -> list[charts.Panels]:
    """Nothing of a scope in which one run alone would be a line of one point."""
    versions: Sequence[Told] = block["versions"]
    if len(versions) < 2:
        return []
    same = f"On the same {block['statements']['common']:,} statements, with 95% intervals."
    return [
        charts.lines(
            "Agreement and direction over versions",
            f"{same} Of the failing statements the lenient ones, of the supported ones the strict "
            "ones, of the subject-specific ones those that escape.",
            [
                charts.Series(title, [_point(block, one, one[name]) for one in versions])
                for name, title in _DIRECTIONS.items()
            ],
        ),
        charts.lines("Right, cell by cell, over versions", same, _cells(block)),
    ]


def _cells(block: Told) -> list[charts.Series]:
    """Those with a statement."""
    return [
        charts.Series(
            cell_name(cells[0]),
            [_point(block, one, cell) for one, cell in zip(block["versions"], cells, strict=True)],
        )
        for cells in lines_of_cells(block)
        if cells[0]["n"]
    ]


def _point(block: Told, one: Told, rate: Told) -> charts.Interval:
    low, high = rate["interval"] or (None, None)
    behind = rate.get("behind", {})
    return charts.Interval(
        stands_as(block, one),
        rate["count"],
        rate["n"],
        rate["rate"],
        low,
        high,
        href=behind.get("count") if rate["count"] else None,
        n_href=behind.get("n"),
    )


def drift(told: Told) -> charts.Figure | None:
    """None of no run at all."""
    tellings: Sequence[Told] = told["tellings"][-MOST_BARS:]
    if not tellings:
        return None
    names = list(tellings[0]["verdicts"])
    return charts.shares(
        "Verdicts by reported model and run, in the order of time",
        "Of all statements that each graded, with a reference or without.",
        [words(name) for name in names],
        [_stack(one, names) for one in tellings],
    )


def _stack(one: Told, names: Sequence[str]) -> charts.Stack:
    verdicts = [one["verdicts"][name] for name in names]
    return charts.Stack(
        f"{one['model'] or NO_MODEL}, run {one['run']}",
        [rate["count"] for rate in verdicts],
        [rate.get("behind", {}).get("count") for rate in verdicts],
    )
