"""Labels: submitted once, superseded by newer ones, never overwritten."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from grounding.contract import CONTRACT
from grounding.errors import Refused
from grounding.interchange.models import LabelRole, Origin
from labeling import annotators, cases, exposures, order
from labeling.models import Annotator, CalibrationSet, Label, LabelQuerySet, Statement
from labeling.values import LabelValues, checked

__all__ = ["LabelConflict", "LabelValues", "Progress", "mine", "next_for", "progress", "submit"]


class LabelConflict(Refused):
    """A label that was made over another state than the present one.

    ``live`` is what stands (None where nothing does), ``proposed`` what was
    submitted; nothing was written.
    """

    def __init__(self, live: Label | None, proposed: LabelValues) -> None:
        super().__init__("this statement was labelled anew after the form was opened")
        self.live = live
        self.proposed = proposed


@dataclass(frozen=True)
class Progress:
    """Statements that this annotator has labelled, and all there are."""

    mine: int
    total: int


def submit(
    statement: Statement,
    user: User,
    values: LabelValues,
    *,
    submission: UUID,
    replaces: int | None = None,
) -> Label:
    """Store ``values`` as the user's live label of ``statement``.

    ``submission`` is the form's token: the same form again returns the same label.
    ``replaces`` is the primary key of the live label that the form was opened over,
    None for the first. Raises ContractViolation or BadInput with the field named,
    and LabelConflict where another label has become live meanwhile, or where the form
    was sent before and says something else now.
    """
    ready = checked(values, cases.texts(statement.case))
    try:
        with transaction.atomic():
            return _submitted(statement, user, ready, submission, replaces)
    except IntegrityError:
        # The same token arrived twice and the other won: that label is the answer.
        found = _by_token(statement, user, submission)
        if found is None:
            raise
        return _unchanged(found, user, ready)


def live_of(statement: Statement, user: User) -> Label | None:
    """The user's live label of ``statement`` under the contract's present major version."""
    return _mine_live(statement.case.set_id, user).filter(statement=statement).first()


def next_for(calibration_set: CalibrationSet, user: User) -> Statement | None:
    """The live statement that the user should label next; None when all are done.

    Depends on the set, the account and the account's own labels alone: neither on
    judges nor on what others said.
    """
    done = list(
        _mine_live(calibration_set.pk, user).order_by("pk").values_list("statement_id", flat=True)
    )
    places = [order.Place(*row) for row in _live_statements(calibration_set).values_list(*_PLACE)]
    chosen = order.next_place(places, done, seed=f"{calibration_set.pk}/{user.pk}")
    if chosen is None:
        return None
    return Statement.objects.select_related("case").get(pk=chosen.statement)


def progress(calibration_set: CalibrationSet, user: User) -> Progress:
    """How many of the set's live statements the user has labelled."""
    live = _live_statements(calibration_set)
    labelled = _mine_live(calibration_set.pk, user).values("statement_id")
    return Progress(mine=live.filter(pk__in=labelled).count(), total=live.count())


def mine(calibration_set: CalibrationSet, user: User) -> LabelQuerySet:
    """Every label that the user made in this set, newest first, superseded ones too."""
    return (
        Label.objects.filter(annotator__set=calibration_set, annotator__user=user)
        .select_related("statement", "statement__case")
        .order_by("-pk")
    )


_PLACE = ("pk", "key", "case_id", "case__pair_id")


def _live_statements(calibration_set: CalibrationSet) -> QuerySet[Statement]:
    return Statement.objects.filter(
        case__set=calibration_set, case__superseded_in__isnull=True
    ).order_by("pk")


def _mine_live(set_pk: int, user: User) -> LabelQuerySet:
    return Label.objects.live().filter(
        annotator__set_id=set_pk,
        annotator__user=user,
        role=LabelRole.LABEL.value,
        contract_major=CONTRACT.major,
    )


def _submitted(
    statement: Statement, user: User, values: LabelValues, submission: UUID, replaces: int | None
) -> Label:
    annotator = _held(annotators.of(statement.case.set, user))
    found = _by_token(statement, user, submission)
    if found is not None:
        return _unchanged(found, user, values)
    live = live_of(statement, user)
    if (live.pk if live else None) != replaces:
        raise LabelConflict(live, values)
    if live is not None:
        Label.objects.filter(pk=live.pk).update(superseded_at=timezone.now())
    return _stored(statement, annotator, values, submission)


def _held(annotator: Annotator) -> Annotator:
    """Held until the transaction ends: an annotator's submits come one after another."""
    return Annotator.objects.select_for_update().get(pk=annotator.pk)


def _by_token(statement: Statement, user: User, submission: UUID) -> Label | None:
    found = Label.objects.select_related("annotator").filter(submission=submission).first()
    if found is None:
        return None
    if found.statement_id != statement.pk or found.annotator.user_id != user.pk:
        raise Refused("this form was already used for something else; open it anew")
    return found


def _unchanged(found: Label, user: User, values: LabelValues) -> Label:
    """The label that a form made before; a conflict where the form says something else now."""
    said = _said(values)
    if {name: getattr(found, name) for name in said} != said:
        raise LabelConflict(live_of(found.statement, user), values)
    return found


def _said(values: LabelValues) -> dict[str, Any]:
    """What the form states, as the fields of the row that keeps it."""
    return {
        "claim_class": values.claim_class,
        "verdict": values.verdict,
        "claim_type": values.claim_type,
        "speech_act": values.speech_act,
        "rationale": values.rationale,
        "evidence": [item.model_dump(mode="json") for item in values.evidence],
        "confidence": values.confidence,
    }


def _stored(
    statement: Statement, annotator: Annotator, values: LabelValues, submission: UUID
) -> Label:
    user = annotator.user
    seen = user is not None and exposures.exposed(statement.case.set, user)
    return Label.objects.create(
        statement=statement,
        annotator=annotator,
        role=LabelRole.LABEL.value,
        **_said(values),
        origin=(Origin.REVEALED if seen else Origin.BLIND).value,
        contract_version=CONTRACT.version,
        contract_major=CONTRACT.major,
        labeled_at=timezone.now(),
        submission=submission,
    )
