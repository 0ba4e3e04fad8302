"""The words of the vocabulary as people read them."""

from __future__ import annotations

import re
from typing import Final

# Letters, with a hyphen or an apostrophe inside. What holds anything else, or stands before a
# colon, is the name of something: human_verdict, judge@1.0.0, direction: takes one of.
_WORD: Final = re.compile(r"[^\W\d_]+(?:[-'][^\W\d_]+)*(?=[\s,.;]|$)")


def words(value: str | None) -> str:
    """``subject_specific`` → subject-specific."""
    spelled = {"subject_specific": "subject-specific"}
    return spelled.get(value or "", (value or "").replace("_", " "))


def sentence(text: str) -> str:
    """``text`` as it stands at the beginning of a line: a word gets its capital, a name stays."""
    return text[:1].upper() + text[1:] if _WORD.match(text) else text
