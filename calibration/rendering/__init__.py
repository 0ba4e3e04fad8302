"""A report, a comparison or versions as a file: JSON, text, Markdown, or one HTML page that stands
alone.

Each takes the dict of `calibration.reports.full`, of `calibration.comparing.full` or of
`calibration.versions.full`, and nothing else: no database, no settings.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from calibration.rendering import comparison, markdown, standalone, text, versions
from calibration.rendering.laid_out import Document
from calibration.rendering.outline import outline

FORMATS: Final = ("text", "json", "md", "html")

# How many disagreements each lists; what is left out is counted, and JSON has them all.
_RENDERERS: Final[Mapping[str, tuple[Callable[[Any], str], int]]] = {
    "text": (text.render, 20),
    "md": (markdown.render, 100),
    "html": (standalone.render, 500),
}


def most_listed(form: str) -> int | None:
    """How many disagreements the form lists; None where it lists all."""
    return _RENDERERS[form][1] if form in _RENDERERS else None


def render(report: Mapping[str, Any], form: str) -> str:
    """The report in one of `FORMATS`, ending in a line end."""
    return _set(report, form, outline)


def brief(report: Mapping[str, Any]) -> str:
    """What a lead reads first, for a terminal; ``report`` may come without disagreements."""
    return text.brief(outline({"disagreements": [], **report}, 0))


def render_comparison(compared: Mapping[str, Any], form: str) -> str:
    """The comparison in one of `FORMATS`, ending in a line end."""
    return _set(compared, form, comparison.outline)


def render_versions(told: Mapping[str, Any], form: str) -> str:
    """A rubric's versions in one of `FORMATS`, ending in a line end."""
    return _set(told, form, versions.outline)


def _set(figures: Mapping[str, Any], form: str, laid_out: Callable[[Any, int], Document]) -> str:
    if form == "json":
        return json.dumps(figures, ensure_ascii=False, allow_nan=False) + "\n"
    renderer, listed = _RENDERERS[form]
    return renderer(laid_out(figures, listed))
