"""Text from outside, safe to print on one line of a terminal or a Markdown file."""

from __future__ import annotations

import re
from typing import Final

# Controls could move a terminal's cursor or colour it; the others reorder, or hide, what stands
# around them. A line end would break out of a table or a list.
_UNSEEN: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]"
)
_LINE_END: Final = re.compile(r"\s*\n\s*")


def visible(text: str) -> str:
    """``text`` with line ends as ⏎ and what could act unseen as its code point in ⟨⟩."""
    return _UNSEEN.sub(_named, _LINE_END.sub(" ⏎ ", text))


def line_by_line(text: str) -> list[str]:
    """The lines of ``text``, each safe to print as one; only a line feed ends a line."""
    return [visible(line) for line in text.split("\n")]


def _named(found: re.Match[str]) -> str:
    return f"⟨U+{ord(found.group()):04X}⟩"
