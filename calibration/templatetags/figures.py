"""How a report's numbers are drawn: never a rate without its n, never an undefined one as 0."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from calibration.rendering import comparison

register = template.Library()


@register.simple_tag
def rate(value: Mapping[str, Any]) -> SafeString:
    """“77 of 100” with its share and interval; where undefined, a dash, n and the reason."""
    if value["rate"] is None:
        return _undefined(value)
    low, high = value["interval"]
    return format_html(
        '<span class="rate">{} of {}</span> <span class="share">{}%</span>'
        ' <span class="interval">[{}, {}]</span>',
        value["count"],
        value["n"],
        f"{100 * value['rate']:.1f}",
        f"{100 * low:.1f}",
        f"{100 * high:.1f}",
    )


@register.simple_tag
def coefficient(value: Mapping[str, Any]) -> SafeString:
    """The value with its interval and n; where undefined, a dash, n and the reason."""
    if value["value"] is None:
        return _undefined(value)
    if value["interval"] is None:
        return format_html(
            '<span class="rate">{}</span> <span class="share">n = {}</span>'
            ' <span class="interval">{}</span>',
            f"{value['value']:.4f}",
            value["n"],
            value["reason"] or "",
        )
    low, high = value["interval"]
    return format_html(
        '<span class="rate">{}</span> <span class="interval">[{}, {}]</span>'
        ' <span class="share">n = {}</span>',
        f"{value['value']:.4f}",
        f"{low:.4f}",
        f"{high:.4f}",
        value["n"],
    )


@register.simple_tag
def difference(value: Mapping[str, Any]) -> SafeString:
    """First minus second in percentage points, with its interval."""
    if value["value"] is None:
        return _undefined(value)
    low, high = value["interval"]
    return format_html(
        '<span class="rate">{}</span> <span class="interval">[{}, {}]</span>',
        f"{100 * value['value']:+.1f}",
        f"{100 * low:+.1f}",
        f"{100 * high:+.1f}",
    )


@register.filter
def p_value(value: float | None) -> str:
    """A p-value as comparisons print it; a dash where nothing tells the two apart."""
    return comparison.p_value(value)


@register.simple_tag
def plain(value: float | None) -> SafeString:
    """A bare number, such as F1; a dash where it is undefined."""
    if value is None:
        return format_html('<span class="none">— <span class="why">{}</span></span>', "undefined")
    return format_html('<span class="rate">{}</span>', f"{value:.4f}")


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
        value["n"],
        value["reason"],
    )
