"""A report or a comparison at a glance: the few lines that a terminal shows right after a run."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import fill
from typing import Any, Final

from calibration.rendering import comparison, leniency
from calibration.wording.numbers import percent_interval, share_of, words

Figures = Mapping[str, Any]

_LABEL: Final = 14
_WIDTH: Final = 92


def report(figures: Figures) -> str:
    """What ran, what of it was graded, how often it agrees, the floor, and how lenient it is."""
    outcomes, run = figures["outcomes"], figures["run"]
    rows = {
        "graded": f"{outcomes['graded']:,} of {outcomes['planned']:,} planned{_failed(outcomes)}",
        "agreement": share_of(figures["verdict"]),
        **(_beside(figures) if figures["verdict"]["n"] else {}),
    }
    return "\n".join(
        [f"{comparison.name_of(figures)}: run {run['id']}, {run['status']}"]
        + [f"  {label:{_LABEL}}{told}" for label, told in rows.items()]
    )


def _beside(figures: Figures) -> dict[str, str]:
    """What there is to say where anything was compared."""
    interval = percent_interval(figures["verdict"])
    return {
        "agreement": f"{share_of(figures['verdict'])}, 95% interval {interval}",
        "floor": f"{share_of(figures['floor']['always_majority'])}: {_always(figures)}",
        "lenient": f"{share_of(figures['lenient'])} failing statements passed as supported",
    }


def compared(figures: Figures) -> str:
    """Whether the second became more lenient, or why the two cannot be compared."""
    return fill(_became(figures), _WIDTH, break_on_hyphens=False)


def _became(figures: Figures) -> str:
    first, second = (comparison.name_of(figures[side]) for side in ("first", "second"))
    lenient = figures.get("lenient")
    if lenient is None or not lenient["first"]["n"]:
        return comparison.sentences(figures)[0]
    return (
        f"{second} is {leniency.more_or_less(lenient, first)}: it passes "
        f"{share_of(lenient['second'], 'failing statements')}, the other "
        f"{lenient['first']['count']:,}."
    )


def _failed(outcomes: Figures) -> str:
    kinds = {kind: n for kind, n in outcomes.items() if kind not in ("planned", "graded")}
    return "".join(f", {n:,} {words(kind)}" for kind, n in kinds.items() if n)


def _always(figures: Figures) -> str:
    by_verdict = figures["by_verdict"]
    commonest = max(by_verdict, key=lambda name: by_verdict[name]["n"], default="")
    return f"always answering “{words(commonest)}”"
