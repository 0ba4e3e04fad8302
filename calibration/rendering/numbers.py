"""Rates, coefficients and counts in words: never without n, and undefined said with its reason."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

UNDEFINED: Final = "—"

Number = Mapping[str, Any]


def percent(share: float | None) -> str:
    return UNDEFINED if share is None else f"{100 * share:.1f}%"


def decimal(value: float | None) -> str:
    return UNDEFINED if value is None else f"{value:.4f}"


def words(name: str) -> str:
    """A word of the vocabularies as people read it."""
    return name.replace("subject_specific", "subject-specific").replace("_", " ")


def counted(number: int, singular: str, plural: str) -> str:
    return f"{number:,} {singular if number == 1 else plural}"


def share_of(rate: Number, what: str = "") -> str:
    """``77 of 100 statements (77.0%)``, or why there is no share."""
    things = f" {what}" if what else ""
    if rate["rate"] is None:
        return f"{UNDEFINED} of 0{things} ({rate['reason']})"
    return f"{rate['count']:,} of {rate['n']:,}{things} ({percent(rate['rate'])})"


def percent_interval(number: Number) -> str:
    """A rate's interval, or the reason why there is none."""
    if number["interval"] is None:
        return str(number["reason"] or UNDEFINED)
    low, high = number["interval"]
    return f"{percent(low)} to {percent(high)}"


def decimal_interval(number: Number) -> str:
    """A coefficient's interval, or the reason why there is none."""
    if number["interval"] is None:
        return str(number["reason"] or UNDEFINED)
    low, high = number["interval"]
    return f"{decimal(low)} to {decimal(high)}"


def rate_cells(rate: Number) -> tuple[str, str, str, str]:
    """Count, n, rate and interval, as the last four cells of a table's row."""
    return (
        f"{rate['count']:,}",
        f"{rate['n']:,}",
        percent(rate["rate"]),
        percent_interval(rate),
    )


def coefficient_cells(coefficient: Number) -> tuple[str, str, str]:
    """Value, n and interval."""
    return (
        decimal(coefficient["value"]),
        f"{coefficient['n']:,}",
        decimal_interval(coefficient),
    )
