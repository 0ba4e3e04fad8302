"""A model's answer, read strictly: what it says of each statement, by id and never by place.

A text is one JSON object that holds ``answers``, or it is unreadable: no fence is peeled off, no
prose searched for something that looks like a verdict, no second object preferred to a first.

**Asked again, once**, with what was wrong, about the statements concerned alone:

- a text that cannot be read at all, is empty, or was cut off (then about all of them);
- an answer for a statement that breaks its form: a word off its menu or in other letters, a key
  that is absent or that nobody asked for, a confidence that is no number from 0 to 1.

These are slips of form, and what the model thinks of the statement is not yet known. The second
answer is final: unreadable, or invalid.

**Never asked again**, since the answer could be read and says something of the judge that a
second answer would hide:

- a statement left out is missing, one that is answered twice invalid, an answer about something
  else noted;
- evidence that is not there is invalid (`grounding.verdicts` looks);
- a refusal in plain words is refused. Only English ones that come first are known; others come
  out as unreadable, which is a failure as well.

An answer that is sound stands, whatever becomes of others in the same text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from grounding.errors import BadInput
from grounding.interchange import strictjson
from grounding.interchange.validation import explained


class Strict(BaseModel):
    """An object in an answer: nothing of another type, nothing that was not asked for."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


class Item(Strict):
    """One answer about one statement."""

    statement_id: str


AnswerT = TypeVar("AnswerT")


class Unreadable(Exception):
    """A text that is no answer at all; the message says why."""


class RefusedInWords(Exception):
    """A text in which the model declines, in place of an answer."""


@dataclass(frozen=True)
class Reading(Generic[AnswerT]):
    """What one text says. ``sound`` answers are by the ids that were asked; ``faults`` say by id
    what is wrong with an answer; ``doubled`` ids have several; ``unknown`` ones were not asked."""

    sound: Mapping[str, AnswerT] = field(default_factory=dict)
    faults: Mapping[str, str] = field(default_factory=dict)
    doubled: Collection[str] = ()
    unknown: tuple[str, ...] = ()


def read(text: str, asked: Collection[str], answered: Callable[[Any], AnswerT]) -> Reading[AnswerT]:
    """The answers in ``text`` by statement. ``answered`` makes one of an object, or raises
    ValidationError or BadInput. Raises Unreadable or RefusedInWords for a text without any."""
    rows = [(_id_of(row), row) for row in _rows(text)]
    counts = Counter(key for key, _ in rows)
    doubled = {key for key in asked if counts[key] > 1}
    unknown = tuple(dict.fromkeys(key for key, _ in rows if key not in asked))
    sound: dict[str, AnswerT] = {}
    faults: dict[str, str] = {}
    for key, row in rows:
        if counts[key] == 1 and key in asked:
            try:
                sound[key] = answered(row)
            except ValidationError as error:
                faults[key] = str(explained(error))
            except BadInput as error:
                faults[key] = str(error)
    return Reading(sound, faults, doubled, unknown)


def _rows(text: str) -> list[Any]:
    try:
        value = strictjson.decode(text)
    except BadInput as error:
        if _REFUSAL.match(text) and "{" not in text:
            raise RefusedInWords from None
        raise Unreadable(str(error) if text.strip() else "the answer is empty") from None
    if isinstance(value, strictjson.Flaw):
        raise Unreadable(f"{value.key or 'the answer'} {value.message}")
    if not isinstance(value, dict) or value.keys() != {"answers"}:
        raise Unreadable('the answer is not one object with the key "answers" and no other')
    if not isinstance(value["answers"], list):
        raise Unreadable('"answers" is not a list')
    return value["answers"]


def _id_of(row: Any) -> str:
    if isinstance(row, strictjson.Flaw):
        raise Unreadable(f"in one of the answers {row.key or 'a value'} {row.message}")
    key = row.get("statement_id") if isinstance(row, dict) else None
    if not isinstance(key, str):
        raise Unreadable("one of the answers names no statement_id")
    return key


_REFUSAL: Final = re.compile(
    r"\s*(?:i['’]?m|i am)? ?(?:(?:very |so )?sorry\b|afraid\b|unable to (?:help|assist|comply)\b"
    r"|i (?:can(?:['’]t|not)|won['’]t|will not|must decline to) "
    r"(?:help|assist|comply|do|provide|fulfil|continue|process|discuss|engage|answer)\b"
    r"|as an ai\b)",
    re.IGNORECASE,
)
