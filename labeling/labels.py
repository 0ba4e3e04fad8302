"""Labels: submitted once, superseded by newer ones, never overwritten."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Exists, F, OuterRef
from django.utils import timezone

from grounding.errors import Refused
from grounding.interchange.models import LabelRole, Origin
from labeling import cases, queues
from labeling.models import (
    Annotator,
    Assignment,
    CalibrationSet,
    Label,
    LabelQuerySet,
    Queue,
    RemarkKind,
)
from labeling.queues import claims, remarks
from labeling.sets import exposures
from labeling.values import LabelValues, checked

__all__ = [
    "LabelConflict",
    "LabelValues",
    "last_of",
    "live_of",
    "mine",
    "said",
    "submit",
    "take_back",
]

UNDO_WITHIN: Final = timedelta(hours=1)
"""How long undoing the last label is offered at the desk; it can be changed for longer."""


class LabelConflict(Refused):
    """A label that was made over another state than the present one.

    ``live`` is what stands (None where nothing does), ``proposed`` what was
    submitted; nothing was written.
    """

    def __init__(self, live: Label | None, proposed: LabelValues) -> None:
        super().__init__("this statement was labelled anew after the form was opened")
        self.live = live
        self.proposed = proposed


def submit(
    assignment: Assignment,
    values: LabelValues,
    *,
    submission: UUID,
    replaces: int | None = None,
    active_seconds: float | None = None,
) -> Label:
    """Store ``values`` as the annotator's live label of the assignment's statement.

    ``submission`` is the form's token: the same form again returns the same label.
    ``replaces`` is the primary key of the live label that the form was opened over, or of the
    one that it was carried over from to a newer revision of the case; None for the first.
    A lease that ran out loses nothing: the label is kept, if need be over the overlap.
    Raises ContractViolation or BadInput with the field named, Refused where the queue is
    closed, and LabelConflict where another label has become live meanwhile, or where the form
    was sent before and says something else now.
    """
    statement = assignment.statement
    ready = checked(values, cases.texts(statement.case), answer=statement.case.answer)
    try:
        with transaction.atomic():
            return _submitted(assignment, ready, submission, replaces, active_seconds)
    except IntegrityError:
        # The same token arrived twice and the other won: that label is the answer.
        found = _by_token(assignment, submission)
        if found is None:
            raise
        return _unchanged(found, assignment, ready)


def take_back(assignment: Assignment) -> Label:
    """Undo the label of the assignment: kept, but superseded by nothing; what it said is
    returned, so that the form can be filled with it again."""
    with transaction.atomic():
        _held(assignment.annotator)
        queues.require_labelling(assignment.queue)
        live = live_of(assignment)
        if live is None:
            raise Refused("there is no label here to take back")
        Label.objects.filter(pk=live.pk).update(superseded_at=timezone.now())
        Assignment.objects.filter(pk=assignment.pk).update(label=None)
        remarks.withdraw_all(assignment, [RemarkKind.UNSURE])
        claims.unfill(assignment)
        return live


def live_of(assignment: Assignment) -> Label | None:
    """The annotator's live label of the assignment's statement, in whatever queue it was made."""
    return (
        Label.objects.live()
        .filter(
            statement=assignment.statement_id,
            annotator=assignment.annotator_id,
            role=LabelRole.LABEL.value,
            contract_major=assignment.queue.contract_major,
        )
        .first()
    )


def last_of(queue: Queue, annotator: Annotator) -> Assignment | None:
    """What the annotator labelled last in the queue, as long as undoing it is offered."""
    since = timezone.now() - UNDO_WITHIN
    made = Assignment.objects.filter(queue=queue, annotator=annotator)
    recent = made.filter(label__recorded_at__gte=since).select_related("statement")
    return recent.order_by("-label").first()


def mine(calibration_set: CalibrationSet, user: User) -> LabelQuerySet:
    """Every label that the user made in this set, newest first, superseded ones too;
    ``replaced`` says whether a later one came."""
    later = Label.objects.filter(
        statement=OuterRef("statement"),
        annotator=OuterRef("annotator"),
        role=OuterRef("role"),
        contract_major=OuterRef("contract_major"),
        pk__gt=OuterRef("pk"),
    )
    return (
        Label.objects.filter(annotator__set=calibration_set, annotator__user=user)
        .annotate(replaced=Exists(later))
        .select_related("statement", "statement__case", "queue")
        .order_by("-pk")
    )


def _submitted(
    assignment: Assignment,
    values: LabelValues,
    submission: UUID,
    replaces: int | None,
    active_seconds: float | None,
) -> Label:
    _held(assignment.annotator)
    found = _by_token(assignment, submission)
    if found is not None:
        return _unchanged(found, assignment, values)
    queues.require_labelling(assignment.queue)
    live = live_of(assignment)
    if not _stands(replaces, live):
        raise LabelConflict(live, values)
    if live is not None:
        Label.objects.filter(pk=live.pk).update(superseded_at=timezone.now())
    label = _stored(assignment, values, submission, active_seconds)
    remarks.settle(assignment, unsure=values.unsure)
    if not assignment.gold:
        claims.fill(assignment)
    Assignment.objects.filter(pk=assignment.pk).update(
        label=label, draft=None, draft_tab=None, draft_edition=F("draft_edition") + 1
    )
    return label


def _stands(replaces: int | None, live: Label | None) -> bool:
    """Whether the label that the form was opened over is still the live one, on whatever newer
    revision of the case."""
    if live is None or replaces is None:
        return live is None and replaces is None
    return live.pk == replaces or _stands(replaces, live.carried_from)


def _held(annotator: Annotator) -> Annotator:
    """Held until the transaction ends: an annotator's submits come one after another."""
    return Annotator.objects.select_for_update().get(pk=annotator.pk)


def _by_token(assignment: Assignment, submission: UUID) -> Label | None:
    found = Label.objects.filter(submission=submission).first()
    if found is None:
        return None
    made_for = (assignment.statement_id, assignment.annotator_id)
    if (found.statement_id, found.annotator_id) != made_for:
        raise Refused("this form was already used for something else; open it anew")
    return found


def _unchanged(found: Label, assignment: Assignment, values: LabelValues) -> Label:
    """The label that a form made before; a conflict where the form says something else now."""
    stated = said(values)
    same = {name: getattr(found, name) for name in stated} == stated
    if found.superseded_at is None:
        same = same and remarks.is_unsure(assignment) == values.unsure
    if not same:
        raise LabelConflict(live_of(assignment), values)
    return found


def said(values: LabelValues) -> dict[str, Any]:
    """What the form states, as the fields of the row that keeps it."""
    return {
        "claim_class": values.claim_class,
        "verdict": values.verdict,
        "claim_type": values.claim_type,
        "speech_act": values.speech_act,
        "rationale": values.rationale,
        "evidence": [item.model_dump(mode="json") for item in values.evidence],
        "premises": [part.as_json() for part in values.parts],
        "confidence": values.confidence,
    }


def _stored(
    assignment: Assignment, values: LabelValues, submission: UUID, active_seconds: float | None
) -> Label:
    user, queue = assignment.annotator.user, assignment.queue
    seen = user is not None and exposures.exposed(queue.set, user)
    return Label.objects.create(
        statement=assignment.statement,
        annotator=assignment.annotator,
        role=LabelRole.LABEL.value,
        **said(values),
        origin=(Origin.REVEALED if seen else Origin.BLIND).value,
        selected=queue.selected,
        contract_version=queue.contract_version,
        contract_major=queue.contract_major,
        labeled_at=timezone.now(),
        submission=submission,
        queue=queue,
        active_seconds=active_seconds,
    )
