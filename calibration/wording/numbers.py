"""Rates, coefficients and counts in words: never without n, and undefined said with its reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

UNDEFINED: Final = "—"

Number = Mapping[str, Any]


class Figure(NamedTuple):
    """A number in a sentence, and the address of the list that it counts, where there is one."""

    text: str
    behind: str | None = None


Sentence = list[str | Figure]
"""A sentence in pieces; joined, they read as it reads."""


def read(sentence: Iterable[str | Figure]) -> str:
    return "".join(part.text if isinstance(part, Figure) else part for part in sentence)


def percent(share: float | None) -> str:
    return UNDEFINED if share is None else f"{100 * share:.1f}%"


def decimal(value: float | None, places: int = 4) -> str:
    if value is None:
        return UNDEFINED
    # Rounded first, so that what is nought as shown has no sign.
    return minus(f"{round(value, places) + 0.0:.{places}f}")


def p_value(p: float | None) -> str:
    """A dash where there is no test."""
    if p is None:
        return UNDEFINED
    return f"{p:.4f}" if p >= 0.0001 else f"{p:.1e}"


def signed(share: float) -> str:
    """A difference of shares in percentage points, with its sign."""
    return minus(f"{100 * share:+.1f}")


def minus(number: str) -> str:
    """With a true minus sign, as wide as a plus."""
    return number.replace("-", "−")


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


def share_in(rate: Number, what: str = "") -> Sentence:
    """`share_of` in pieces: count and n each lead to what they count."""
    if rate["rate"] is None:
        return [share_of(rate, what)]
    behind = rate.get("behind", {})
    things = f" {what}" if what else ""
    return [
        Figure(f"{rate['count']:,}", behind.get("count")),
        " of ",
        Figure(f"{rate['n']:,}", behind.get("n")),
        f"{things} ({percent(rate['rate'])})",
    ]


def counted_in(number: int, singular: str, plural: str, behind: str | None = None) -> Sentence:
    """`counted` in pieces: the number leads to what it counts."""
    figure, _, things = counted(number, singular, plural).partition(" ")
    return [Figure(figure, behind), f" {things}"]


def percent_interval(number: Number) -> str:
    """A rate's interval, or the reason why there is none."""
    if number["interval"] is None:
        return str(number["reason"] or UNDEFINED)
    low, high = number["interval"]
    return f"{percent(low)} to {percent(high)}"


def decimal_interval(number: Number, places: int = 4) -> str:
    """A coefficient's interval, or the reason why there is none."""
    if number["interval"] is None:
        return str(number["reason"] or UNDEFINED)
    low, high = number["interval"]
    return f"{decimal(low, places)} to {decimal(high, places)}"


def rate_cells(rate: Number) -> tuple[str, str, str, str]:
    """Count, n, rate and interval, as the last four cells of a table's row."""
    return (
        f"{rate['count']:,}",
        f"{rate['n']:,}",
        percent(rate["rate"]),
        percent_interval(rate),
    )


def rate_in_a_cell(rate: Number) -> str:
    """A rate that has one cell alone: ``77.0% (77 of 100) [67.8, 84.2]``."""
    if rate["rate"] is None:
        return f"{UNDEFINED} (n = {rate['n']:,})"
    low, high = (f"{100 * bound:.1f}" for bound in rate["interval"])
    return f"{percent(rate['rate'])} ({rate['count']:,} of {rate['n']:,}) [{low}, {high}]"


def coefficient_cells(coefficient: Number) -> tuple[str, str, str]:
    """Value, n and interval."""
    return (
        decimal(coefficient["value"]),
        f"{coefficient['n']:,}",
        decimal_interval(coefficient),
    )
