"""How a plan's numbers are drawn."""

from __future__ import annotations

from django import template

from calibration.rendering import plan

register = template.Library()


@register.filter
def points(share: float) -> str:
    """A half-width in percentage points."""
    return plan.points(share)
