"""Text as HTML, every character kept and the invisible ones marked.

A mark is drawn by the style sheet before an element that holds the character
itself, so the text content of the page stays the text and offsets into it hold.
"""

from __future__ import annotations

import re
import unicodedata
from html import escape
from typing import Final

from django.utils.safestring import SafeString

_NAMES: Final = {
    "\r": "CR",
    "\u00a0": "NBSP",
    "\u00ad": "SHY",
    "\u061c": "ALM",
    "\u180e": "MVS",
    "\u2007": "FSP",
    "\u200b": "ZWSP",
    "\u200c": "ZWNJ",
    "\u200d": "ZWJ",
    "\u200e": "LRM",
    "\u200f": "RLM",
    "\u2028": "LS",
    "\u2029": "PS",
    "\u202a": "LRE",
    "\u202b": "RLE",
    "\u202c": "PDF",
    "\u202d": "LRO",
    "\u202e": "RLO",
    "\u202f": "NNBSP",
    "\u2060": "WJ",
    "\u2066": "LRI",
    "\u2067": "RLI",
    "\u2068": "FSI",
    "\u2069": "PDI",
    "\ufeff": "BOM",
}
# These reorder what follows them. Kept inside an isolated element they are shown
# and cannot: the text stands in the order in which it is stored.
_REORDERING: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

_JOINERS: Final = "\u200c\u200d"
# What a joiner properly follows: a symbol of an emoji sequence, or a letter or
# sign of a script that joins. After a Latin letter it is only hidden.
_JOINING: Final = frozenset({"So", "Sk", "Mn", "Mc", "Lo"})

_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\xa0\xad\u061c\u180e\u2007\u200b-\u200f\u2028-\u202f"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
    "]|(?<=[\ufe00-\ufe0f\U000e0100-\U000e01ef])[\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)


def faithful(text: str) -> SafeString:
    """``text`` escaped, with a mark around each character that cannot be seen."""
    parts: list[str] = []
    at = 0
    for found in _UNSEEN.finditer(text):
        if _properly_hidden(text, found.start()):
            continue
        parts += [escape(text[at : found.start()]), _marked(found.group())]
        at = found.end()
    parts.append(escape(text[at:]))
    # Not `mark_safe`, which asks first whether the text is lazy: every part was escaped above.
    return SafeString("".join(parts))


def _properly_hidden(text: str, at: int) -> bool:
    """Whether this character belongs to the shape of what stands before it."""
    before = text[at - 1] if at else ""
    if text[at] in _JOINERS:
        return bool(before) and unicodedata.category(before) in _JOINING
    return _is_tag(text[at]) and (before == "\U0001f3f4" or _in_flag(text, at))


def _is_tag(character: str) -> bool:
    return "\U000e0020" <= character <= "\U000e007f"


def _in_flag(text: str, at: int) -> bool:
    """Whether only tag characters, six at most, stand between ``at`` and a black flag."""
    window = text[max(0, at - 7) : at]
    flag = window.rfind("\U0001f3f4")
    return flag >= 0 and all(map(_is_tag, window[flag + 1 :]))


def _marked(character: str) -> str:
    name = _NAMES.get(character) or f"U+{ord(character):04X}"
    kind = "unseen reordering" if character in _REORDERING else "unseen"
    # A raw carriage return would reach the page as a line feed.
    kept = "&#13;" if character == "\r" else character
    return f'<span class="{kind}" data-mark="{name}">{kept}</span>'
