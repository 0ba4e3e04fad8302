"""JSON read strictly: what Python's reader lets through, told apart.

Duplicate keys, NaN, and numbers that do not fit 64 bits are not raised where
they are met, because the reader does not know the path there. A `Flaw` is put in
their place instead. No field of any record accepts a Flaw, so validation finds
it at no extra cost and knows its path (`validation`); values that no model
describes are walked by `free`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from grounding.errors import BadInput
from grounding.interchange.fields import MAX_DEPTH, MAX_INTEGER

# No record has as many keys, and each unknown one costs an error to report.
MAX_KEYS: Final = 1_000
# What a line of the longest length could hold would fill memory many times over.
MAX_CONTAINERS: Final = 250_000
_SHOWN: Final = 60
_TOO_BIG: Final = "holds a number that does not fit 64 bits"
_TOO_DEEP: Final = f"nested more than {MAX_DEPTH} deep"

# Whole strings are stepped over, closed or not, so that the scan is linear.
_BRACKET = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Flaw:
    """Stands where a value should; ``key`` is the key inside it that is at fault."""

    message: str
    key: str | None = None


def decode(text: str) -> Any:
    """The value of one JSON text, Flaws in it included; BadInput where it is not JSON."""
    _require_shallow(text)
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise BadInput(f"not JSON: {_lower(error.msg)} at character {error.pos + 1}") from None


def free(text: str) -> Any:
    """The value of one JSON text of any number of lines that no model describes; BadInput for
    any Flaw, NUL or lone surrogate in it, with the dotted path as field."""
    _require_shallow(text)
    try:
        return flawless(_DECODER.decode(text))
    except json.JSONDecodeError as error:
        message = f"not JSON: {_lower(error.msg)} at character {error.colno}"
        raise BadInput(message, line=error.lineno) from None


def flawless(value: Any) -> Any:
    """``value`` as it is; BadInput where JSON could not hold it or a store not keep it, with
    the dotted path as field. For what came by another way than `decode`, as YAML does."""
    for path, flaw in _flaws(value, ()):
        raise BadInput(flaw.message, field=dotted(path, flaw.key))
    return value


def dotted(path: tuple[int | str, ...], *more: str | None) -> str | None:
    """``statements.0.span``; keys that came from outside are cut short and made printable."""
    parts = [shown(str(part)) for part in (*path, *more) if part is not None]
    return ".".join(parts) or None


def shown(text: str, length: int = _SHOWN) -> str:
    """``text`` fit for a one-line message: short, and nothing in it that a terminal obeys."""
    cut = text[:length] + ("…" if len(text) > length else "")
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in cut)


def storable(text: str) -> Flaw | None:
    """What keeps ``text`` from being stored: a NUL, a lone surrogate, or nothing."""
    found = _SURROGATE.search(text)
    if found:
        return Flaw(f"holds a lone surrogate at character {found.start()}, which is no character")
    if "\x00" in text:
        return Flaw(f"holds U+0000 at character {text.index(chr(0))}, which cannot be stored")
    return None


def _require_shallow(text: str) -> None:
    if text.count("{") + text.count("[") <= MAX_DEPTH:
        return
    depth = containers = 0
    for match in _BRACKET.finditer(text):
        if match[0] in "[{":
            depth, containers = depth + 1, containers + 1
        elif match[0] in "]}":
            depth -= 1
        if depth > MAX_DEPTH:
            raise BadInput(_TOO_DEEP)
        if containers > MAX_CONTAINERS:
            raise BadInput(f"holds more than {MAX_CONTAINERS} lists and objects")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any] | Flaw:
    if len(pairs) > MAX_KEYS:
        return Flaw(f"has more than {MAX_KEYS} keys")
    found = dict(pairs)
    return found if len(found) == len(pairs) else _duplicate(pairs)


def _duplicate(pairs: list[tuple[str, Any]]) -> Flaw:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            return Flaw("stands twice in one object", key)
        seen.add(key)
    raise AssertionError("called only where a key repeats")


def _integer(digits: str) -> int | Flaw:
    # Twenty characters hold every 64-bit number; int() of thousands is slow or refused.
    if len(digits) <= 20 and _fits(value := int(digits)):
        return value
    return Flaw(_TOO_BIG)


def _float(digits: str) -> float | Flaw:
    value = float(digits)
    return value if _fits(value) else Flaw(_TOO_BIG)


def _fits(value: float) -> bool:
    if isinstance(value, int):
        return -MAX_INTEGER - 1 <= value <= MAX_INTEGER
    return math.isfinite(value)


def _constant(name: str) -> Flaw:
    return Flaw(f"holds {name}, which JSON does not have")


def _flaws(value: Any, path: tuple[int | str, ...]) -> Iterator[tuple[tuple[int | str, ...], Flaw]]:
    if isinstance(value, Flaw):
        yield path, value
    elif isinstance(value, str) and (flaw := storable(value)):
        yield path, flaw
    elif isinstance(value, int | float) and not _fits(value):
        yield path, Flaw(_TOO_BIG)
    elif len(path) > MAX_DEPTH:
        yield path, Flaw(_TOO_DEEP)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _flaws(item, (*path, index))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _flaws(key, (*path, key))
            yield from _flaws(item, (*path, key))


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_int=_integer,
    parse_float=_float,
    parse_constant=_constant,
)
