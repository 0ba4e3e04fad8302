"""Whether one version is more lenient than another, and how surely, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from calibration.wording.numbers import p_value

Lenient = Mapping[str, Any]

CHANCE: Final = 0.05
"""At most this p-value is said to be beyond chance."""


def more_or_less(lenient: Lenient, first: str) -> str:
    """How the second's leniency stands to that of ``first``."""
    change = _change(lenient)
    if change <= 0:
        return f"as lenient as {first}" if change == 0 else f"less lenient than {first}"
    surely = lenient["p_more_lenient"] <= CHANCE
    doubt = "beyond chance" if surely else "though chance could explain it"
    return f"more lenient than {first}, {doubt}"


def with_p(lenient: Lenient, p: float | None, test: str) -> str:
    """The end of a sentence that has counted what each passes: p, or why there is none.

    Where the second passes no more, p is near 1 and would read as “no difference”, although it was
    never asked whether the second passes less: there the question stands instead.
    """
    if p is None:
        return f" ({test} = {p_value(p)}: {lenient['reason']})."
    if _change(lenient) > 0:
        return f" ({test} = {p_value(p)})."
    return "; the one-sided test asks only whether it passes more, and it does not."


def _change(lenient: Lenient) -> int:
    return int(lenient["second"]["count"]) - int(lenient["first"]["count"])
