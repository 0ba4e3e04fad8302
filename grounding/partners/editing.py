"""One edit in a case: its text changed, and every offset that stands behind it moved along."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from grounding.interchange.models import Case, Evidence, Passage, Statement

ANSWER: Final = "answer"


@dataclass(frozen=True, slots=True)
class Edit:
    """``old`` at ``start`` becomes ``new``, in the answer or in the passage of that id.

    Offsets are code points into the text before the edit.
    """

    passage_id: str | None
    start: int
    end: int
    old: str
    new: str

    @property
    def longer(self) -> int:
        """How many characters longer the text becomes; negative where it becomes shorter."""
        return len(self.new) - (self.end - self.start)


class Unclear(Exception):
    """The edit cannot be carried through every statement that it touches."""


def edited(case: Case, edit: Edit) -> Case:
    """``case`` with the edit made. Raises Unclear where a statement that was put together
    from the place of the edit does not say what is changed, exactly once."""
    if edit.passage_id is None:
        statements = tuple(_in_answer(one, case.answer, edit) for one in case.statements)
        return case.model_copy(
            update={"answer": _changed(case.answer, edit), "statements": statements}
        )
    return case.model_copy(
        update={
            "context": tuple(_passage(one, edit) for one in case.context),
            "retrieved": case.retrieved and tuple(_passage(one, edit) for one in case.retrieved),
            "statements": tuple(_in_passage(one, edit) for one in case.statements),
        }
    )


def touches(span: tuple[int, int] | None, edit: Edit) -> bool:
    """Whether the edit falls into the span; one that inserts at its edge does."""
    if span is None:
        return False
    return span[0] <= edit.start and edit.end <= span[1]


def _changed(text: str, edit: Edit) -> str:
    return text[: edit.start] + edit.new + text[edit.end :]


def moved(span: tuple[int, int], edit: Edit) -> tuple[int, int]:
    """Where a span stands after the edit: before it, around it, or behind it.

    Raises Unclear where the edit cuts across its edge.
    """
    start, end = span
    if end <= edit.start and not touches(span, edit):
        return span
    if touches(span, edit):
        return start, end + edit.longer
    if start >= edit.end:
        return start + edit.longer, end + edit.longer
    raise Unclear


def _in_answer(statement: Statement, answer: str, edit: Edit) -> Statement:
    if statement.span is None:
        return statement
    span = moved(statement.span, edit)
    if not touches(statement.span, edit):
        return statement.model_copy(update={"span": span})
    text = _changed(answer, edit)[slice(*span)]
    if answer[slice(*statement.span)] != statement.text:
        text = _put_together(statement.text, edit)
    return statement.model_copy(update={"span": span, "text": text})


def _put_together(text: str, edit: Edit) -> str:
    if not edit.old or text.count(edit.old) != 1:
        raise Unclear
    return text.replace(edit.old, edit.new)


def _passage(passage: Passage, edit: Edit) -> Passage:
    if passage.id != edit.passage_id or passage.text[edit.start : edit.end] != edit.old:
        return passage
    return passage.model_copy(update={"text": _changed(passage.text, edit)})


def _in_passage(statement: Statement, edit: Edit) -> Statement:
    expected = statement.expected
    if expected is None or not expected.evidence:
        return statement
    evidence = tuple(_evidence(one, edit) for one in expected.evidence)
    return statement.model_copy(
        update={"expected": expected.model_copy(update={"evidence": evidence})}
    )


def _evidence(evidence: Evidence, edit: Edit) -> Evidence:
    if evidence.passage_id != edit.passage_id or evidence.start is None or evidence.end is None:
        return evidence
    span = (evidence.start, evidence.end)
    start, end = moved(span, edit)
    quote = evidence.quote
    if touches(span, edit) and quote is not None:
        left, right = edit.start - span[0], edit.end - span[0]
        quote = quote[:left] + edit.new + quote[right:]
    return evidence.model_copy(update={"start": start, "end": end, "quote": quote})
