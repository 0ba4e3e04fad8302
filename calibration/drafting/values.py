"""Single values as text in a field, and back. What cannot be read stays the text it is."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from calibration.drafting.shapes import Leaf

MISSING: Final = object()
"""Where a definition says nothing."""

_LINE_END = re.compile(r"\r\n?")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,17})(?:\.\d{1,20})?(?:[eE][-+]?\d{1,2})?", re.ASCII)
_WORDS: Final = {"yes": True, "no": False}


def as_text(value: Any) -> str:
    """How a value stands in its field."""
    if value is MISSING or value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def kept_or_read(leaf: Leaf, text: str, stored: Any) -> Any:
    """The value that was typed; the stored one, to the letter, where nothing was changed."""
    if sent(text) == sent(as_text(stored)) and _may_stay(leaf, stored):
        return stored
    return read_value(leaf, sent(text))


def _may_stay(leaf: Leaf, stored: Any) -> bool:
    # A number that a file gave in quotes, shown in a field for numbers, becomes one when saved.
    if stored is MISSING or leaf.kind == "json":
        return True
    if stored is None:
        return leaf.nullable or leaf.kind == "null"
    number = isinstance(stored, int | float) and not isinstance(stored, bool)
    kinds = {"number": number, "boolean": isinstance(stored, bool)}
    return kinds.get(leaf.kind, isinstance(stored, str))


def read_value(leaf: Leaf, text: str) -> Any:
    if text == "" and (leaf.nullable or leaf.kind == "null"):
        return None
    match leaf.kind:
        case "number":
            return _number(text.strip())
        case "boolean":
            return _WORDS.get(text, text)
        case "line":
            return text.strip()
        case "json":
            return _json(text)
    return text


def sent(text: str) -> str:
    """``text`` with the line ends that a browser makes of any."""
    return _LINE_END.sub("\n", text)


def _number(text: str) -> int | float | str:
    return json.loads(text) if _NUMBER.fullmatch(text) else text


def _json(text: str) -> Any:
    try:
        found = json.loads(text)
        # What JSON proper cannot hold, such as NaN, stays text too.
        json.dumps(found, allow_nan=False)
        return found
    except (ValueError, RecursionError):
        return text
