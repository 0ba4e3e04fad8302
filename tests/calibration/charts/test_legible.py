"""Words on the darkest shades stand out from them, in light and in dark."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from calibration.charts.vega import heat, shares

BASE = (Path(__file__).parents[3] / "static" / "css" / "base.css").read_text()
LIGHT, DARK = (
    dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", block))
    for block in re.findall(r":root \{(.*?)\n *\}", BASE, re.DOTALL)[:2]
)


def channels(colour: str) -> list[int]:
    return [int(colour[at : at + 2], 16) for at in (1, 3, 5)]


def luminance(mixed: list[float]) -> float:
    """Relative luminance as WCAG 2.2 defines it."""
    shares = [c / 255 for c in mixed]
    linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("darkest", [heat.DARKEST, shares.DARKEST], ids=["heat", "shares"])
def test_ink_on_the_darkest_shade_has_the_contrast_of_text(scheme, darkest):
    accent, surface = channels(scheme["accent"]), channels(scheme["surface"])
    shade = [darkest * a + (1 - darkest) * s for a, s in zip(accent, surface, strict=True)]
    pair = sorted((luminance(shade), luminance([*map(float, channels(scheme["ink"]))])))
    assert (pair[1] + 0.05) / (pair[0] + 0.05) >= 4.5
