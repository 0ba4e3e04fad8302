"""A body as it came to a text that may be kept: unpacked, bounded, without the key."""

from __future__ import annotations

import re
import zlib
from typing import Final

from pydantic import SecretStr

KEY_MARK: Final = "[key]"
# Shorter ones are no secrets but words that servers without keys want to be given.
_SHORTEST_KEY = 8


class BodyBroken(Exception):
    """The body cannot be read; the message says why, and nothing of what is in it."""

    def __init__(self, error: str, *, status: int | None = None) -> None:
        super().__init__(error)
        self.error = error
        self.status = status


def unpacked(body: bytes, encoding: str, most_bytes: int) -> bytes:
    """The body behind its Content-Encoding. Raises BodyBroken for one that is larger than
    ``most_bytes``, without unpacking more, and for one that is broken or packed otherwise."""
    packing = encoding.strip().lower()
    if packing in ("", "identity"):
        return body
    if packing not in ("gzip", "x-gzip", "deflate"):
        raise BodyBroken("the body is packed in a way that was not asked for")
    opened = zlib.decompressobj(wbits=47)  # either header, gzip's or zlib's
    try:
        plain = opened.decompress(body, most_bytes + 1)
    except zlib.error:
        raise BodyBroken("the body is packed and cannot be unpacked") from None
    if len(plain) > most_bytes:
        raise BodyBroken(f"the body unpacks to more than {most_bytes} bytes")
    if not opened.eof:
        raise BodyBroken("the body is packed and ends early")
    return plain


class Redaction:
    """Takes one key out of texts, in plain letters or as JSON may escape them."""

    def __init__(self, key: SecretStr | None) -> None:
        letters = key.get_secret_value() if key is not None else ""
        self._letters = letters if len(letters) >= _SHORTEST_KEY else ""
        self._escaped = re.compile("".join(map(_either, self._letters)))

    def __call__(self, text: str) -> str:
        if not self._letters:
            return text
        plain = text.replace(self._letters, KEY_MARK)
        return self._escaped.sub(KEY_MARK, plain) if "\\" in plain else plain


def _either(letter: str) -> str:
    """A pattern for a letter, plain or as ``\\uXXXX`` or ``\\/``, at any depth of JSON in JSON."""
    code = "".join(f"[{digit}{digit.upper()}]" for digit in f"{ord(letter):04x}")
    return rf"(?:\\*{re.escape(letter)}|\\+u{code})"
