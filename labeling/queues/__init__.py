"""Queues: opened over a selection of statements, paused, closed, reopened, revised, revealed."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count
from django.utils import timezone

from grounding.contract import CONTRACT
from grounding.errors import BadInput, Refused
from grounding.interchange.models import LabelRole
from labeling.models import (
    CalibrationSet,
    GoldStatement,
    Label,
    Queue,
    QueueOrder,
    QueueState,
    Slot,
    Statement,
)
from labeling.queues import order, selections
from labeling.queues.order import Candidate, Place
from labeling.queues.selections import Selection
from labeling.references import Reference

MAX_OVERLAP = 20
MAX_SEED = 2**63 - 1

# What a later version takes over from the one before.
_KEPT = (
    "title",
    "selection",
    "selected",
    "overlap",
    "lease_seconds",
    "order",
    "seed",
    "gold_every",
)


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
    ordinary = {pk: 0 for pk in statements if pk not in known}
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
    _require_last_and_unrevealed(queue)
    _move(queue, QueueState.OPEN, {QueueState.PAUSED, QueueState.CLOSED})


def close(queue: Queue) -> None:
    """The end of labelling and of changing one's labels; drafts stay, should it reopen."""
    _move(queue, QueueState.CLOSED, {QueueState.OPEN, QueueState.PAUSED})


def revise(queue: Queue, user: User, guideline: str) -> Queue:
    """Close ``queue`` and open its next version, with another guideline or, where it has moved,
    under the present contract.

    It asks for what is left: of each statement's places those for which no label stands that
    was made in this queue or in one before it, under the present contract's major version. The
    labels stay what and where they are. Refused where nothing is left.
    """
    with transaction.atomic():
        held = Queue.objects.select_for_update().select_related("set").get(pk=queue.pk)
        _require_last_and_unrevealed(held)
        if held.guideline == guideline and held.contract_version == CONTRACT.version:
            raise BadInput("neither the guideline nor the contract has changed", field="guideline")
        left, known = _asked(held)
        if not left:
            raise Refused("every place is filled, so a new version would ask for nothing")
        if held.state != QueueState.CLOSED:
            close(held)
        later = _next(held, user, guideline)
        _place(later, left, known)
    return later


def reveal(queue: Queue) -> None:
    """Let those who labelled in a closed queue see what the others said of the same statements,
    and the references. For good: a revealed queue is not opened again."""
    if Queue.objects.filter(previous=queue).exclude(state=QueueState.CLOSED).exists():
        raise Refused("a later version of this queue is not closed yet")
    closed = Queue.objects.filter(pk=queue.pk, state=QueueState.CLOSED, revealed_at__isnull=True)
    if not closed.update(revealed_at=timezone.now()):
        raise Refused("only a closed queue can be revealed, and only once")


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


def _require_last_and_unrevealed(queue: Queue) -> None:
    if Queue.objects.filter(previous=queue).exists():
        raise Refused("a later version took this queue's place; go on with that one")
    if queue.revealed_at is not None:
        raise Refused("its labels were revealed; open a queue over the statements instead")


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


def _next(queue: Queue, user: User, guideline: str) -> Queue:
    return Queue.objects.create(
        set=queue.set,
        version=queue.version + 1,
        previous=queue,
        guideline=guideline,
        opened_by=user,
        **contract_fields(),
        **{name: getattr(queue, name) for name in _KEPT},
    )


def left(queue: Queue) -> tuple[int, int]:
    """How many statements a next version would ask for, and how many labels; gold apart."""
    asked, _ = _asked(queue)
    return len(asked), sum(queue.overlap - taken for taken in asked.values())


def _asked(queue: Queue) -> tuple[dict[int, int], dict[int, Reference]]:
    """What a next version asks for: how many places of each statement are taken already, and
    the gold statements. One whose answer does not hold under the present contract is gold no
    longer, but labelled like the others."""
    versions = _versions(queue)
    slots = Slot.objects.filter(queue__in=versions, statement__case__superseded_in__isnull=True)
    gold = _gold_of(queue)
    moved = queue.contract_major != CONTRACT.major
    known = selections.with_answers(queue.set, gold) if moved else gold
    placed = slots.order_by().values_list("statement_id", flat=True).distinct()
    asked, taken = {*placed, *gold} - set(known), _taken(versions)
    return {pk: taken.get(pk, 0) for pk in asked if taken.get(pk, 0) < queue.overlap}, known


def _versions(queue: Queue) -> list[int]:
    """The queue and those whose place it took."""
    found = [queue.pk]
    while queue.previous is not None:
        queue = queue.previous
        found.append(queue.pk)
    return found


def _taken(queues: Collection[int]) -> dict[int, int]:
    labels = Label.objects.live().filter(
        queue__in=queues, role=LabelRole.LABEL.value, contract_major=CONTRACT.major
    )
    counted = labels.order_by().values_list("statement_id").annotate(Count("pk"))
    return dict(counted)


def _gold_of(queue: Queue) -> dict[int, Reference]:
    rows = GoldStatement.objects.filter(
        queue=queue, statement__case__superseded_in__isnull=True
    ).order_by()
    return {
        pk: Reference(tier, claim_class, verdict)
        for pk, tier, claim_class, verdict in rows.values_list(
            "statement_id", "tier", "claim_class", "verdict"
        )
    }


def _place(queue: Queue, ordinary: Mapping[int, int], known: Mapping[int, Reference]) -> None:
    """Slots for the ordinary statements, less those that are taken; the gold ones in the half
    that keeps them apart from their partners."""
    candidates = list(_candidates(queue.set, {**ordinary, **known}))
    placed = list(order.places(candidates, seed=queue.seed))
    Slot.objects.bulk_create(
        slot
        for place in placed
        if place.statement in ordinary
        for slot in _slots(queue, place, taken=ordinary[place.statement])
    )
    GoldStatement.objects.bulk_create(
        _gold(queue, place, known[place.statement]) for place in placed if place.statement in known
    )


def _slots(queue: Queue, place: Place, *, taken: int) -> Iterator[Slot]:
    for number in range(taken, queue.overlap):
        yield Slot(
            queue=queue,
            statement_id=place.statement,
            number=number,
            half=place.half,
            rank=place.rank,
            pair_id=place.pair_id,
        )


def _gold(queue: Queue, place: Place, reference: Reference) -> GoldStatement:
    return GoldStatement(
        queue=queue,
        statement_id=place.statement,
        half=place.half,
        pair_id=place.pair_id,
        **reference._asdict(),
    )


def _candidates(calibration_set: CalibrationSet, wanted: Collection[int]) -> Iterator[Candidate]:
    """The live statements of the set that are ``wanted``. Picked here: there may be more of
    them than a query takes parameters."""
    live = Statement.objects.filter(
        case__set=calibration_set, case__superseded_in__isnull=True
    ).order_by("pk")
    for row in live.values_list("pk", "case_id", "case__pair_id").iterator():
        if row[0] in wanted:
            yield Candidate(*row)
