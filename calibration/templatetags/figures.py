"""How a report's numbers are drawn: never a rate without its n, never an undefined one as 0.

A number that counts leads to the list of what it counts, where its figures carry the link.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django import template
from django.utils.safestring import SafeString, mark_safe

from calibration.charts import Cell, Linked
from calibration.readings import PLACES
from calibration.wording import numbers
from calibration.wording.numbers import Figure, decimal, signed
from labeling.templatetags.assize import faithful, number
from labeling.wording.markup import format_html, joined

register = template.Library()


@register.simple_tag
def rate(value: Mapping[str, Any]) -> SafeString:
    """“77 of 100” with its share and interval; where undefined, a dash, n and the reason."""
    if value["rate"] is None:
        return _undefined(value)
    behind = value.get("behind", {})
    return format_html(
        '<span class="rate">{} of {}</span> {}',
        counted(value["count"], behind.get("count")),
        counted(value["n"], behind.get("n")),
        share(value),
    )


@register.simple_tag
def share(value: Mapping[str, Any]) -> SafeString:
    """The percentage of a defined rate with its interval, where its counts stand beside it."""
    low, high = value["interval"]
    return mark_safe(  # noqa: S308  # numbers alone
        f'<span class="share">{100 * value["rate"]:.1f}%</span> '
        f'<span class="interval">[{100 * low:.1f}, {100 * high:.1f}]</span>'
    )


@register.simple_tag
def interval_bar(value: Mapping[str, Any]) -> SafeString:
    """A rate on a scale from 0 to 1, its 95% interval as a bar with ends; where undefined, nothing.

    Drawn in the text's own colour, so that it holds in every scheme; what it shows is said
    in its label, and `rate` stands beside it in numbers.
    """
    if value["rate"] is None:
        return mark_safe("")
    rate, low, high = (100 * share for share in (value["rate"], *value["interval"]))
    left, right = f"{4 + low:.1f}", f"{4 + high:.1f}"
    return mark_safe(  # noqa: S308  # numbers alone
        '<svg class="interval-bar" viewBox="0 0 108 14" width="108" height="14" role="img" '
        f'aria-label="{rate:.1f}% on a scale from 0 to 100, '
        f'95% interval {low:.1f} to {high:.1f}">'
        '<path d="M4 7H104M4 4.5V9.5M54 5.5V8.5M104 4.5V9.5" stroke="currentColor" '
        'stroke-width="1" opacity="0.35" fill="none"/>'
        f'<path d="M{left} 7H{right}M{left} 2.5V11.5M{right} 2.5V11.5" stroke="currentColor" '
        'stroke-width="2" fill="none"/>'
        f'<circle cx="{4 + rate:.1f}" cy="7" r="3.5" fill="currentColor"/></svg>'
    )


@register.filter
def counted(count: int, behind: str | None) -> SafeString:
    """A count, as a link to what it counts; nothing is no link."""
    return _led(number(count), behind if count else None)


@register.filter
def figure_row(row: Sequence[Cell]) -> SafeString:
    """A row of the table behind a picture, headed by its first cell."""
    first, *rest = map(_figure_cell, row)
    numbers = joined(format_html('<td class="num">{}</td>', cell) for cell in rest)
    return format_html('<tr><th scope="row">{}</th>{}</tr>', first, numbers)


def _figure_cell(cell: Cell) -> SafeString:
    """As a link where it leads to what it counts."""
    if isinstance(cell, Linked):
        return _led(cell.text, cell.href)
    return faithful(cell)


@register.simple_tag
def matrix_cells(
    which: str, name: str, counts: Iterable[tuple[str, int]], statements: str
) -> SafeString:
    """A row of a confusion matrix: references say ``name``, and each count is of the answer of the
    judge beside it; ``statements`` is the address of the list that they lead to."""
    to = f"{statements}?human_{which}={name}&judge_{which}="
    return joined(
        format_html(
            '<td class="num{}{}">{}</td>',
            " agreed" if label == name else "",
            "" if count else " nought",
            counted(count, f"{to}{label}"),
        )
        for label, count in counts
    )


@register.filter
def drawn(sentence: Iterable[str | Figure]) -> SafeString:
    """A sentence with its figures set off, so that the eye finds them first."""
    return joined(map(_piece, sentence))


def _piece(part: str | Figure) -> SafeString:
    if not isinstance(part, Figure):
        return faithful(part)
    led = _led(part.text, None if part.text == "0" else part.behind)
    return format_html('<strong class="figure">{}</strong>', led)


def _led(text: str, behind: str | None) -> SafeString:
    return format_html('<a href="{}">{}</a>', behind, text) if behind else format_html("{}", text)


@register.simple_tag
def coefficient(value: Mapping[str, Any], *, n_beside: bool = False) -> SafeString:
    """The value with its interval and n, which leads to what it counts where the figures carry the
    link; where undefined, a dash, n and the reason. ``n_beside``: n stands beside it already."""
    if value["value"] is None:
        return _undefined(value)
    n = counted(value["n"], value.get("behind", {}).get("n"))
    return format_html(
        '<span class="rate">{}</span>{}{}{}',
        decimal(value["value"], PLACES),
        _bounds(value["interval"]),
        "" if n_beside else format_html(' <span class="share">n = {}</span>', n),
        format_html(' <span class="share why">{}</span>', value["reason"])
        if value["reason"]
        else "",
    )


def _bounds(interval: Sequence[float] | None) -> SafeString:
    if interval is None:
        return mark_safe("")
    low, high = (decimal(bound, PLACES) for bound in interval)
    return format_html(' <span class="interval">[{}, {}]</span>', low, high)


@register.simple_tag
def difference(value: Mapping[str, Any]) -> SafeString:
    """First minus second in percentage points, with its interval."""
    if value["value"] is None:
        return _undefined(value)
    low, high = value["interval"]
    return format_html(
        '<span class="rate">{}</span> <span class="interval">[{}, {}]</span>',
        signed(value["value"]),
        signed(low),
        signed(high),
    )


@register.filter
def share_of_one(value: float) -> str:
    """A confidence, or another number from 0 to 1: 0.875."""
    return decimal(value, PLACES)


@register.filter
def p_value(value: float | None) -> str:
    """A p-value as comparisons print it; a dash where nothing tells the two apart."""
    return numbers.p_value(value)


@register.simple_tag
def plain(value: float | None) -> SafeString:
    """A bare number, such as F1; a dash where it is undefined."""
    if value is None:
        return format_html('<span class="none">— <span class="why">{}</span></span>', "undefined")
    return format_html('<span class="rate">{}</span>', decimal(value, PLACES))


@register.filter
def percent(share: float) -> str:
    """A bare share, such as the end of a range; its n stands beside it."""
    return f"{100 * share:.1f}%"


@register.filter
def title(word: str) -> str:
    """``class_escape`` → Class escape."""
    return word.replace("_", " ").capitalize()


@register.filter
def item(mapping: Mapping[str, Any], key: str) -> Any:
    """The value of a key that is itself a variable."""
    return mapping.get(key)


def _undefined(value: Mapping[str, Any]) -> SafeString:
    return format_html(
        '<span class="none">— <span class="why">n = {}; {}</span></span>',
        number(value["n"]),
        value["reason"],
    )
