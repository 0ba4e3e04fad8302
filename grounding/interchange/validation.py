"""Validation errors in words for people, with the field that they are about."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from grounding.errors import BadInput, ContractViolation
from grounding.interchange.fields import IDENTIFIER, VERSION
from grounding.interchange.models import Record
from grounding.interchange.strictjson import Flaw, dotted, shown, storable

R = TypeVar("R", bound=Record)

_PATTERNS: Final = {
    IDENTIFIER: "may hold only A–Z a–z 0–9 . _ : -",
    VERSION: "must be a version such as 1.0.0",
}
_MUST_BE: Final = {
    "string_type": "must be text",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "int_parsing_size": "does not fit 64 bits",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "bool_type": "must be true or false",
    "tuple_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "datetime_type": "must be a time with its offset from UTC, such as 2026-11-02T09:30:00Z",
    "missing": "is required",
    "extra_forbidden": "is not a key of this format",
    "string_too_short": "must not be empty",
}
_BOUNDED: Final[Mapping[str, Callable[[Mapping[str, Any]], str]]] = {
    "string_too_long": lambda ctx: f"is longer than {ctx['max_length']} characters",
    "string_pattern_mismatch": lambda ctx: _PATTERNS.get(ctx["pattern"], "has the wrong form"),
    "too_short": lambda ctx: f"must have at least {ctx['min_length']} item",
    "too_long": lambda ctx: f"must have at most {ctx['max_length']} items",
    "greater_than_equal": lambda ctx: f"must be at least {ctx['ge']}",
    "less_than_equal": lambda ctx: f"must be at most {ctx['le']}",
    "enum": lambda ctx: f"must be {ctx['expected']}",
    "literal_error": lambda ctx: f"must be {ctx['expected']}",
}


def validated(model: type[R], value: object) -> R:
    """``value`` (a decoded JSON object) as a record.

    Raises BadInput, or ContractViolation where class and verdict do not go
    together, with ``field`` such as ``statements.0.span`` and a message that never
    repeats the value.
    """
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise explained(error) from None


def faults(model: type[R], value: object) -> list[BadInput]:
    """Everything that keeps ``value`` from being a record, but that a list tells of its first
    bad item only; empty where nothing does."""
    try:
        model.model_validate(value)
    except ValidationError as error:
        return [_explained(detail) for detail in error.errors(include_url=False)]
    return []


def explained(error: ValidationError) -> BadInput:
    """The first thing wrong, as BadInput; what the JSON itself has wrong comes first."""
    details = error.errors(include_url=False)
    return _explained(next((d for d in details if isinstance(d["input"], Flaw)), details[0]))


def _explained(detail: ErrorDetails) -> BadInput:
    kind = ContractViolation if detail["type"] == "contract" else BadInput
    flaw = _flaw(detail)
    if flaw:
        return kind(flaw.message, field=dotted(detail["loc"], flaw.key))
    return kind(_message(detail), field=dotted(detail["loc"], detail.get("ctx", {}).get("field")))


def _flaw(detail: ErrorDetails) -> Flaw | None:
    value = detail["input"]
    if isinstance(value, Flaw):
        return value
    return storable(value) if detail["type"] == "string_unicode" else None


def _message(detail: ErrorDetails) -> str:
    kind = detail["type"]
    if detail["input"] is None and kind.endswith(("_type", "enum")):
        return "must not be null"
    if kind in _MUST_BE:
        return _MUST_BE[kind]
    if kind in _BOUNDED:
        return _BOUNDED[kind](detail["ctx"])
    return shown(detail["msg"], 200)
