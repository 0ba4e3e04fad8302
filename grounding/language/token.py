"""What a text is made of: words and numbers, as they are compared."""

from __future__ import annotations

from decimal import Decimal
from enum import Enum
from typing import Final, NamedTuple

NO_UNIT: Final = ""


class Near(Enum):
    """What a number says of its own precision."""

    PLAIN = "plain"
    """Nothing: it is meant to its last written digit."""
    STRICTLY = "strictly"
    """*Exactly*, or a bound (*at least*, *over* …): it rounds nothing."""
    ABOUT = "about"
    """*About*, *roughly*, *some* …: its trailing zeros may be rounded."""
    NEARLY = "nearly"
    """*Nearly*, *almost*: the same, and what it rounds is less."""


class Token(NamedTuple):
    """A word or number. ``stem`` is what is compared; ``number`` its likeliest value, if any.

    ``values`` are all that the digits can mean. ``base`` is the value in the base unit of
    ``dimension`` (a unit's, ``ordinal``, ``clock``, or none). ``step`` is what its last written
    digit counts, None for what is never rounded (`quantities`).
    """

    stem: str
    prefix: str
    start: int
    end: int
    is_name: bool
    is_content: bool
    number: Decimal | None = None
    is_month: bool = False
    is_opening: bool = False
    """A capital at the start of a sentence: a name, or only the subject."""
    word: str = ""
    is_negation: bool = False
    values: tuple[Decimal, ...] = ()
    dimension: str = NO_UNIT
    base: Decimal | None = None
    is_spelled: bool = False
    root: str = ""
    step: Decimal | None = None
    near: Near = Near.PLAIN


Tokens = tuple[Token, ...]
