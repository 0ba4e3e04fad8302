"""The types that fields of the records have: what one value alone must satisfy.

Strictness is about types (no "1" for 1, no 1.0 for 1). Enumerations and lists
are declared lax because JSON has neither enumerations nor tuples: a name and an
array are the strictest spelling there is.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Annotated, Any, Final

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    PlainSerializer,
    StringConstraints,
)
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

MAX_ID: Final = 128
MAX_TEXT: Final = 1_000_000
# Of what went to a judge and came back in one attempt.
MAX_EXCHANGED: Final = 5_000_000
MAX_LINE: Final = 16 * 1024 * 1024
MAX_DEPTH: Final = 32
MAX_INTEGER: Final = 2**63 - 1

IDENTIFIER: Final = r"^[A-Za-z0-9._:\-]+$"
VERSION: Final = r"^(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})$"

# One pass that leaves no "\r\n" behind: replaced pairwise, "\r\r\n" would become
# "\r\n", and the next import of the export would move every later offset.
_LINE_END = re.compile(r"\r+\n")
_MOMENT = re.compile(
    r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)", re.ASCII
)


def _storable(text: str) -> str:
    """Refuse what not every store can hold; line ends become one line feed.

    Lone surrogates never come this far: the string type itself refuses them.
    """
    if "\x00" in text:
        at = text.index("\x00")
        raise PydanticCustomError(
            "unstorable", "holds U+0000 at character {at}, which cannot be stored", {"at": at}
        )
    return _LINE_END.sub("\n", text) if "\r" in text else text


def _moment(value: object) -> object:
    """A time as written, read; digits past microseconds are cut, as every store would."""
    if not isinstance(value, str):
        return value
    if not _MOMENT.fullmatch(value):
        raise _bad_moment()
    try:
        return datetime.fromisoformat(value.upper())
    except ValueError:
        raise _bad_moment() from None


def _utc(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise _bad_moment()
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise _bad_moment() from None


def _bad_moment() -> PydanticCustomError:
    return PydanticCustomError(
        "moment", "must be a time with its offset from UTC, such as 2026-11-02T09:30:00Z"
    )


def _iso(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


def _no_negative_zero(number: float) -> float:
    # Some stores keep the sign of zero and some do not.
    return number + 0.0


class NullMeans:
    """Annotation: null reads as ``value``; the published schema admits both."""

    def __init__(self, value: object) -> None:
        self.value = value

    def _read(self, given: object) -> object:
        return self.value if given is None else given

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        inner = handler(source)
        return core_schema.no_info_before_validator_function(
            self._read, inner, json_schema_input_schema=core_schema.nullable_schema(inner)
        )


# A list reports its first bad item only: a hostile line could hold millions.
LISTED: Final = Field(strict=False, fail_fast=True)
NULL_IS_EMPTY: Final = NullMeans(())
NAMED: Final = Field(strict=False)

Identifier = Annotated[str, StringConstraints(pattern=IDENTIFIER, min_length=1, max_length=MAX_ID)]
Text = Annotated[str, StringConstraints(max_length=MAX_TEXT), AfterValidator(_storable)]
Exchanged = Annotated[str, StringConstraints(max_length=MAX_EXCHANGED), AfterValidator(_storable)]
Slug = Annotated[str, StringConstraints(min_length=1, max_length=MAX_ID), AfterValidator(_storable)]
Version = Annotated[str, StringConstraints(pattern=VERSION)]
Offset = Annotated[int, Field(ge=0, le=MAX_TEXT)]
Span = Annotated[tuple[Offset, Offset], Field(strict=False)]
Confidence = Annotated[float, Field(ge=0, le=1), AfterValidator(_no_negative_zero)]
Cost = Annotated[float, Field(ge=0), AfterValidator(_no_negative_zero)]
Seconds = Annotated[float, Field(ge=0), AfterValidator(_no_negative_zero)]
Digest = Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=0, le=MAX_INTEGER)]
Moment = Annotated[
    datetime,
    BeforeValidator(_moment),
    AfterValidator(_utc),
    PlainSerializer(_iso, return_type=str, when_used="json"),
]
