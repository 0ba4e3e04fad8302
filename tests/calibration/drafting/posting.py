"""What a browser would send of a form."""

from __future__ import annotations

import re

from calibration.drafting.showing import Layout

# What is drawn without an input of its own name.
_PARTS = {"row", "item", "stray", "long"}


def posted(layout: Layout) -> dict[str, str]:
    """Every field of the form as it came, line ends as browsers send them."""
    form = {}
    for field in layout.fields:
        if field.kind in ("rows", "items"):
            form[f"{field.name}.rows"] = field.value
        elif field.kind == "group":
            form |= {f"{field.name}.was": field.value} if field.value else {}
        elif field.kind not in _PARTS:
            form[field.name] = re.sub(r"\r\n?|\n", "\r\n", field.value)
    return form
