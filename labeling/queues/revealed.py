"""What those who labelled in a revealed queue may see: on their own statements, what the others
said there, and the reference. Reads only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from django.contrib.auth.models import User
from django.db.models import QuerySet

from grounding.interchange.models import LabelRole
from labeling import references
from labeling.models import Assignment, Label, Queue, Statement
from labeling.references import Reference


@dataclass(frozen=True)
class Row:
    """One statement of the annotator's; ``reference`` is a word where there is none."""

    statement: Statement
    mine: Label
    others: Sequence[Label]
    reference: Reference | None
    without: str


def assignments(queue: Queue, user: User) -> QuerySet[Assignment]:
    """What ``user`` labelled in ``queue``, in the order in which it came to them."""
    return (
        Assignment.objects.filter(queue=queue, annotator__user=user, label__isnull=False)
        .select_related("label", "statement__expectation")
        .order_by("pk")
    )


def rows(queue: Queue, labelled: Sequence[Assignment]) -> list[Row]:
    """``labelled`` (some of `assignments`) beside what was said in that queue, and nowhere
    else. In no order that would tell who said what."""
    statements = [one.statement for one in labelled]
    said = _said(queue, statements)
    found = references.of_statements(statements, queue.contract_major)
    return [_row(one, said.get(one.statement_id, []), found[one.statement_id]) for one in labelled]


def _row(mine: Assignment, said: Sequence[Label], found: Reference | str) -> Row:
    stated = isinstance(found, Reference)
    return Row(
        statement=mine.statement,
        mine=cast(Label, mine.label),
        others=[label for label in said if label.annotator_id != mine.annotator_id],
        reference=cast(Reference, found) if stated else None,
        without="" if stated else str(found),
    )


def _said(queue: Queue, statements: Sequence[Statement]) -> dict[int, list[Label]]:
    found = Label.objects.live().filter(
        queue=queue, statement__in=statements, role=LabelRole.LABEL.value
    )
    said: dict[int, list[Label]] = {}
    for label in found.order_by("verdict", "claim_class", "rationale", "pk"):
        said.setdefault(label.statement_id, []).append(label)
    return said
