"""A part that an annotator split off a statement, put on the form of its case as a statement."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grounding.errors import NotFound, Refused
from labeling.authoring.caseforms.places import place_of
from labeling.authoring.caseforms.rows import child_id
from labeling.authoring.caseforms.typed import TypedCase, TypedStatement
from labeling.cases import caselists
from labeling.models import Case, Label


def part_of(label: Label, number: int) -> Mapping[str, Any]:
    """The part of that number, from 0; NotFound where the label has none."""
    if number >= len(label.premises):
        raise NotFound("the label has no such part")
    found: Mapping[str, Any] = label.premises[number]
    return found


def case_of(label: Label) -> Case:
    """The live revision of the label's case. Refused where it lost the statement."""
    case = label.statement.case
    live = caselists.live_of(case.set, case.case_id)
    if not live.statements.filter(statement_id=label.statement.statement_id).exists():
        raise Refused("the case no longer has the statement that this was split from")
    return live


def promoted_in(case: Case, parent_id: str, text: str) -> bool:
    """Whether the part is a statement of the case already."""
    return case.statements.filter(parent_id=parent_id, text=text).exists()


def add_part(typed: TypedCase, label: Label, number: int) -> int:
    """Put the part behind the statement that it was split from; its place among them. What its
    annotator made of it is a label, not what the author expects, and stays off the form."""
    part, parent_id = part_of(label, number), label.statement.statement_id
    ids = [one.statement_id for one in typed.statements]
    made = TypedStatement(
        statement_id=child_id(parent_id, ids),
        text=part["text"],
        span=place_of(part["text"], _span(part, label, typed.answer), typed.answer),
        parent_id=parent_id,
    )
    at = ids.index(parent_id) + 1
    typed.statements.insert(at, made)
    return at


def _span(part: Mapping[str, Any], label: Label, answer: str) -> tuple[int, int] | None:
    """None as well where the answer was changed since: the place would be other words."""
    if not part.get("span") or label.statement.case.answer != answer:
        return None
    start, end = part["span"]
    return start, end
