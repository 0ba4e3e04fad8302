"""Queues: opened over a selection of statements, paused, closed, opened again."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from grounding.contract import CONTRACT
from grounding.errors import BadInput, Refused
from labeling import order, selections
from labeling.models import (
    CalibrationSet,
    GoldStatement,
    Queue,
    QueueOrder,
    QueueState,
    Slot,
    Statement,
)
from labeling.references import Reference
from labeling.selections import Selection

MAX_OVERLAP = 20
MAX_SEED = 2**63 - 1


class LabellingEnded(Refused):
    """In this queue labels can neither be made nor changed any more."""


@dataclass(frozen=True)
class Terms:
    """What a lead decides on when opening a queue, beside its statements."""

    title: str
    guideline: str = ""
    overlap: int = 2
    lease_seconds: int = 30 * 60
    order: QueueOrder = QueueOrder.RANDOM
    seed: int | None = None
    gold_every: int = 0


def open_queue(
    calibration_set: CalibrationSet,
    user: User,
    terms: Terms,
    selection: Selection,
    *,
    gold: Collection[int] = (),
) -> Queue:
    """Open a queue over what ``selection`` finds now, live statements all.

    ``gold`` are primary keys of statements that every annotator is to meet; each needs a
    reference that is adjudicated, agreed on, or the author's. Refused where nothing is found.
    """
    _require(terms)
    statements = selections.found(calibration_set, selection)
    known = _known(calibration_set, gold)
    ordinary = [pk for pk in statements if pk not in known]
    if not ordinary:
        raise BadInput("no statement was found to label", field="selection")
    with transaction.atomic():
        queue = _stored(calibration_set, user, terms, selection)
        _place(queue, ordinary, known)
    return queue


def pause(queue: Queue) -> None:
    """Hand out nothing more; what is being written can still be sent."""
    _move(queue, QueueState.PAUSED, {QueueState.OPEN})


def reopen(queue: Queue) -> None:
    """Hand out again. What was shown to annotators of a closed queue stays shown."""
    _require_present_contract(queue)
    if Queue.objects.filter(previous=queue).exists():
        raise Refused("a later version took this queue's place; reopen that one")
    if queue.revealed_at is not None:
        raise Refused("its labels were revealed; open a queue over the statements instead")
    _move(queue, QueueState.OPEN, {QueueState.PAUSED, QueueState.CLOSED})


def close(queue: Queue) -> None:
    """The end of labelling and of changing one's labels; drafts stay, should it reopen."""
    _move(queue, QueueState.CLOSED, {QueueState.OPEN, QueueState.PAUSED})


def require_labelling(queue: Queue) -> None:
    """Refused where labels of the queue can neither be made nor changed."""
    if queue.state == QueueState.CLOSED:
        raise LabellingEnded("this queue is closed")
    _require_present_contract(queue)


def _require_present_contract(queue: Queue) -> None:
    if queue.contract_major != CONTRACT.major:
        raise LabellingEnded(
            f"this queue asks under contract {queue.contract_version}, and the product now under"
            f" {CONTRACT.version}: a lead opens a new version of it"
        )


def _move(queue: Queue, to: QueueState, allowed: Collection[QueueState]) -> None:
    closed = timezone.now() if to is QueueState.CLOSED else None
    moved = Queue.objects.filter(pk=queue.pk, state__in=allowed)
    if not moved.update(state=to, closed_at=closed):
        raise Refused(f"a queue that is {Queue.objects.get(pk=queue.pk).state} cannot be {to}")
    queue.state, queue.closed_at = to, closed


def _require(terms: Terms) -> None:
    if not terms.title.strip():
        raise BadInput("give it a title that annotators will recognise", field="title")
    if not 1 <= terms.overlap <= MAX_OVERLAP:
        raise BadInput(f"must lie between 1 and {MAX_OVERLAP}", field="overlap")
    if not 60 <= terms.lease_seconds <= 7 * 24 * 3600:
        raise BadInput("must lie between a minute and a week", field="lease_seconds")
    if terms.seed is not None and not 0 <= terms.seed <= MAX_SEED:
        raise BadInput("must be a whole number of at most 63 bits", field="seed")
    if terms.gold_every == 1:
        raise BadInput("one in one would leave nothing to label", field="gold_every")


def _known(calibration_set: CalibrationSet, gold: Collection[int]) -> dict[int, Reference]:
    """The answers of the gold statements, as they stand now."""
    known = selections.with_answers(calibration_set, gold)
    if len(known) < len(set(gold)):
        raise BadInput(
            "a gold statement needs an answer that is adjudicated, agreed on or the author's",
            field="gold",
        )
    return known


def _stored(
    calibration_set: CalibrationSet, user: User, terms: Terms, selection: Selection
) -> Queue:
    drawn = secrets.randbelow(2**31) if terms.seed is None else terms.seed
    return Queue.objects.create(
        set=calibration_set,
        title=terms.title.strip(),
        guideline=terms.guideline,
        **contract_fields(),
        selection=selection.as_json(),
        selected=selection.selected,
        overlap=terms.overlap,
        lease_seconds=terms.lease_seconds,
        order=terms.order,
        seed=drawn,
        gold_every=terms.gold_every,
        opened_by=user,
    )


def contract_fields() -> dict[str, Any]:
    """The contract as a queue that is opened now keeps it."""
    return {
        "contract_version": CONTRACT.version,
        "contract_major": CONTRACT.major,
        "contract": CONTRACT.model_dump(mode="json"),
    }


def _place(queue: Queue, ordinary: Collection[int], known: dict[int, Reference]) -> None:
    """Slots for the ordinary statements; the gold ones in the half that keeps them apart from
    their partners."""
    placed = list(order.places(list(_candidates([*ordinary, *known])), seed=queue.seed))
    Slot.objects.bulk_create(
        slot for place in placed if place.statement not in known for slot in _slots(queue, place)
    )
    GoldStatement.objects.bulk_create(
        _gold(queue, place, known[place.statement]) for place in placed if place.statement in known
    )


def _slots(queue: Queue, place: order.Place) -> Iterator[Slot]:
    for number in range(queue.overlap):
        yield Slot(
            queue=queue,
            statement_id=place.statement,
            number=number,
            half=place.half,
            rank=place.rank,
            pair_id=place.pair_id,
        )


def _gold(queue: Queue, place: order.Place, reference: Reference) -> GoldStatement:
    return GoldStatement(
        queue=queue,
        statement_id=place.statement,
        half=place.half,
        pair_id=place.pair_id,
        **reference._asdict(),
    )


def _candidates(statements: Collection[int]) -> Iterator[order.Candidate]:
    rows = Statement.objects.filter(pk__in=statements).order_by("pk")
    for row in rows.values_list("pk", "case_id", "case__pair_id"):
        yield order.Candidate(*row)
