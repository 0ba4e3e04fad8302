"""What follows a case to a newer revision in which annotators see the same: its labels, and its
places in queues."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final
from uuid import uuid4

from django.db.models import BigIntegerField, Case, Model, Value, When

from labeling.cases import records
from labeling.models import Assignment, GoldStatement, Label, Slot, Statement

_KEPT: Final = (
    *records.LABEL_VALUES,
    "annotator_id",
    "role",
    "contract_major",
    "queue_id",
    "active_seconds",
)
_AT_ONCE: Final = 200


def carry(revisions: Mapping[int, int]) -> None:
    """Carry over what stands on cases, from the older to the newer, both by primary key.

    Labels are copied: each revision has its own. Places, and the work on them, move, and so
    does the name under which annotators reach a statement, so that whoever has it on their
    screen goes on as if nothing had happened. That holds for closed queues as well: what was
    done in one is not undone by a case that changed in its tags alone.
    """
    if not revisions:
        return
    older = list(Statement.objects.filter(case__in=revisions).order_by())
    newer = list(Statement.objects.filter(case__in=revisions.values()).order_by())
    by_name = {(one.case_id, one.statement_id): one for one in newer}
    pairs = [(one, by_name[revisions[one.case_id], one.statement_id]) for one in older]
    _hand_over_keys(pairs)
    statements = {old.pk: new.pk for old, new in pairs}
    labels = _carry_labels(revisions, statements)
    for model in (Slot, GoldStatement, Assignment):
        _repoint(model, "statement", statements)
    _repoint(Assignment, "label", labels)


def _hand_over_keys(pairs: Sequence[tuple[Statement, Statement]]) -> None:
    for old, new in pairs:
        old.key, new.key = uuid4(), old.key
    # The older first: a key is one statement's at any time.
    Statement.objects.bulk_update([old for old, _ in pairs], ["key"], batch_size=_AT_ONCE)
    Statement.objects.bulk_update([new for _, new in pairs], ["key"], batch_size=_AT_ONCE)


def _carry_labels(revisions: Mapping[int, int], statements: Mapping[int, int]) -> dict[int, int]:
    """Live labels, copied; by the older the newer one."""
    held = list(Label.objects.live().filter(statement__case__in=revisions).order_by("pk"))
    carried = [
        Label(
            statement_id=statements[label.statement_id],
            carried_from=label,
            **{name: getattr(label, name) for name in _KEPT},
        )
        for label in held
    ]
    Label.objects.bulk_create(carried)
    return {old.pk: new.pk for old, new in zip(held, carried, strict=True)}


def _repoint(model: type[Model], field: str, moves: Mapping[int, int]) -> None:
    """Make rows that refer to an older one refer to the newer: as many queries for many rows
    as for one."""
    for part in _parts(moves):
        rows: Any = model._default_manager.filter(**{f"{field}__in": part})
        whens = (When(**{field: old}, then=Value(new)) for old, new in part.items())
        rows.update(**{field: Case(*whens, output_field=BigIntegerField())})


def _parts(moves: Mapping[int, int]) -> Iterator[dict[int, int]]:
    pairs = iter(moves.items())
    while part := dict(islice(pairs, _AT_ONCE)):
        yield part
