"""What moved between a draft and the version that it is compared with, in words."""

from __future__ import annotations

from typing import Final

from django import template

from calibration.rubrics.definitions import ABSENT, Move

register = template.Library()

_VALUES: Final = {
    "null": "not set",
    "true": "yes",
    "false": "no",
    "": "empty",
    "[]": "an empty list",
    "{}": "empty",
    ABSENT: "nothing",
}
_ASKS: Final = {
    "patch": "moves no verdict and no decision",
    "minor": "can move a verdict or a decision",
    "major": "changes what a right answer is, so that a new baseline begins",
}
_SHORT: Final = 32


@register.filter
def told(value: str) -> str:
    """A value as people read it."""
    return _VALUES.get(value, value)


@register.filter
def asks(level: str) -> str:
    """Why a field of this level asks for this step of the number."""
    return _ASKS.get(level, "")


@register.filter
def in_words(path: str) -> str:
    """``judge.parameters.most_windows`` → Judge › parameters › most windows."""
    steps = (f"{int(step) + 1}" if step.isdigit() else step for step in path.split("."))
    words = " › ".join(steps).replace("_", " ")
    return words[:1].upper() + words[1:]


@register.filter
def short(move: Move) -> bool:
    """Whether both values fit on a line."""
    return max(len(move.before), len(move.after)) <= _SHORT
