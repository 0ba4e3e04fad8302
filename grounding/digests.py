"""Content digests: the same value has the same digest, wherever it is computed."""

from __future__ import annotations

import hashlib
import json
from json.encoder import encode_basestring
from typing import Any, Final

from grounding.errors import BadInput


def canonical_json(value: Any) -> str:
    """``value`` as JSON with sorted keys, no white space and characters left as they are.

    Takes what ``json`` takes. Raises BadInput for NaN, infinities, keys that are not
    text and lone surrogates: none of them means the same everywhere.
    """
    return _written(value, sort_keys=True)


def plain_json(value: Any) -> str:
    """As `canonical_json`, with the keys in the order given: what is sent to somebody."""
    return _written(value, sort_keys=False)


quoted: Final = encode_basestring
"""One text as canonical JSON has it."""


def _written(value: Any, *, sort_keys: bool) -> str:
    _require_text_keys(value)
    try:
        text = json.dumps(
            value, sort_keys=sort_keys, separators=(",", ":"), ensure_ascii=False, allow_nan=False
        )
        text.encode("utf-8")
    except (ValueError, TypeError, RecursionError) as error:
        raise BadInput(f"cannot be written as canonical JSON: {error}") from None
    return text


def digest(value: Any) -> str:
    """``"sha256:"`` and the 64 hexadecimal digits of the canonical JSON's UTF-8 bytes."""
    return digest_written(canonical_json(value))


def digest_written(text: str) -> str:
    """`digest` of the value whose canonical JSON ``text`` is."""
    return "sha256:" + hashlib.sha256(text.encode("utf-8")).hexdigest()


def _require_text_keys(value: Any) -> None:
    # json would turn 1 and "1" into the same key without a word.
    pending = [value]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            if not all(isinstance(key, str) for key in node):
                raise BadInput("a key that is not text cannot be written as canonical JSON")
            node = node.values()
        elif not isinstance(node, list | tuple):
            continue
        # What holds nothing is left where it is: a digest may be of a million words.
        pending += [each for each in node if isinstance(each, _HOLDERS)]


_HOLDERS = (dict, list, tuple)
