"""What a form asks for beyond what the format requires, in words for whoever left it out.

The format takes an empty answer or passage, since files of real cases hold them; on a form it
is a field that was not filled in. A case that came in with one may keep it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from grounding.errors import BadInput
from labeling.authoring.caseforms.typed import FOUND, TypedPair, TypedPassage, TypedStatement

_ID: Final = "letters, digits and . _ : - without spaces."
PAIR_ID: Final = f"Give the pair an id: {_ID}"
_CASE_ID: Final = f"Give the case an id: {_ID}"
_ANSWER: Final = "Write the answer whose statements are to be judged."
_PASSAGE: Final = "Write the passage, or take it away."
_STATEMENT: Final = "Write the statement, or take it away."
_NO_STATEMENT: Final = "Add a statement: a case without one has nothing to judge."


def left_out(pair: TypedPair, side: str) -> Iterator[BadInput]:
    """Each with the path of its field in the record."""
    typed = pair.sides[side]
    new = not typed.opened
    if not typed.case_id:
        yield BadInput(_CASE_ID, field="case_id")
    if new:
        for name in ("context", "retrieved"):
            yield from _passages(name, getattr(typed, name))
        if not typed.answer.strip():
            yield BadInput(_ANSWER, field="answer")
    yield from _statements(typed.statements, new=new)


def _passages(name: str, passages: Sequence[TypedPassage]) -> Iterator[BadInput]:
    for at, one in enumerate(passages):
        if not one.text.strip():
            yield BadInput(_PASSAGE, field=f"{name}.{at}.text")


def _statements(statements: Sequence[TypedStatement], *, new: bool) -> Iterator[BadInput]:
    if not statements:
        yield BadInput(_NO_STATEMENT, field="statements")
    for at, one in enumerate(statements):
        if not one.text.strip() and (new or one.span == FOUND):
            yield BadInput(_STATEMENT, field=f"statements.{at}.text")
