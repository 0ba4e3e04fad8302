"""How surely one version is more lenient than another, in words."""

from __future__ import annotations

from typing import Any

import pytest

from calibration.rendering.leniency import more_or_less, with_p


def lenient(first: int, second: int, p: float | None, reason: str | None = None) -> dict[str, Any]:
    return {
        "first": {"count": first, "n": 9},
        "second": {"count": second, "n": 9},
        "p_more_lenient": p,
        "reason": reason,
    }


def said(told: dict[str, Any]) -> str:
    return more_or_less(told, "the other") + with_p(told, told["p_more_lenient"], "exact p")


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (lenient(1, 8, 0.0039), "more lenient than the other, beyond chance (exact p = 0.0039)."),
        (
            lenient(1, 3, 0.25),
            "more lenient than the other, though chance could explain it (exact p = 0.2500).",
        ),
        (
            lenient(8, 1, 1.0),
            "less lenient than the other; the one-sided test asks only whether it passes more, and "
            "it does not.",
        ),
        (
            lenient(4, 4, 0.6367),
            "as lenient as the other; the one-sided test asks only whether it passes more, and it "
            "does not.",
        ),
        (
            lenient(4, 4, None, "no statement tells the two apart"),
            "as lenient as the other (exact p = —: no statement tells the two apart).",
        ),
    ],
)
def test_a_p_near_one_never_stands_where_the_second_passes_no_more(
    told: dict[str, Any], words: str
) -> None:
    assert said(told) == words
