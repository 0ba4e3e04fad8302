"""A report as a file: JSON, text for a terminal, Markdown, or one HTML page that stands alone.

Each takes the dict of `calibration.reports.full` and nothing else: no database, no settings.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from calibration.rendering import markdown, standalone, text
from calibration.rendering.outline import outline

FORMATS: Final = ("text", "json", "md", "html")

# How many disagreements each lists; what is left out is counted, and JSON has them all.
_RENDERERS: Final[Mapping[str, tuple[Callable[[Any], str], int]]] = {
    "text": (text.render, 20),
    "md": (markdown.render, 100),
    "html": (standalone.render, 500),
}


def render(report: Mapping[str, Any], form: str) -> str:
    """The report in one of `FORMATS`, ending in a line end."""
    if form == "json":
        return json.dumps(report, ensure_ascii=False, allow_nan=False) + "\n"
    renderer, listed = _RENDERERS[form]
    return renderer(outline(report, listed))
