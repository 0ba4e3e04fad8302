"""What showing and reading must see alike: which part of a value goes into which field."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from calibration.drafting.shapes import Group, Items, Leaf, Lines, Rows, Shape, Variants
from calibration.drafting.values import MISSING
from grounding.errors import BadInput

MOST_ROWS: Final = 40
"""A longer list is not shown as fields: it is kept as it is, and edited as YAML."""


def has_place(shape: Shape, value: Any) -> bool:
    """Whether a value can be shown in the fields of its shape at all."""
    match shape:
        case Leaf(kind="json"):
            return True
        case Leaf(kind="null"):
            return value is None
        case Leaf():
            return not isinstance(value, dict | list)
        case Lines():
            return isinstance(value, list) and all(map(_is_line, value))
        case Items():
            return isinstance(value, list)
        case Rows():
            return isinstance(value, dict) or _is_pairs(value)
        case Group() | Variants():
            return isinstance(value, dict)


def kind_of(shape: Variants, value: Any) -> str:
    """The kind that the value says it is; the first where it says none that there is."""
    word = value.get(shape.tag) if isinstance(value, Mapping) else None
    return word if isinstance(word, str) and word in shape.groups else next(iter(shape.groups))


def group_of(shape: Variants, value: Any, kind: str | None = None) -> Group:
    """The fields of ``kind``, or of the kind that the value is."""
    return shape.groups.get(kind or "") or shape.groups[kind_of(shape, value)]


def pairs_of(value: Any) -> list[tuple[str, Any]]:
    if value is MISSING:
        return []
    pairs = value.items() if isinstance(value, Mapping) else value
    return [(str(key), one) for key, one in pairs]


def strays_of(shape: Group, value: Any) -> list[str]:
    """The keys that the shape has no field for."""
    return [] if value is MISSING else [key for key in value if key not in shape.fields]


def row_names(name: str, count: str) -> list[str]:
    """The names of so many rows; BadInput for what no form of ours counted."""
    if not (re.fullmatch(r"[0-9]{1,3}", count) and int(count) <= MOST_ROWS + 1):
        raise BadInput("is no number of rows", field=f"{name}.rows")
    return [f"{name}.{number}" for number in range(int(count))]


def _is_line(value: Any) -> bool:
    return not isinstance(value, dict | list) and "\n" not in str(value) and str(value) != ""


def _is_pairs(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, list) and len(one) == 2 for one in value)
