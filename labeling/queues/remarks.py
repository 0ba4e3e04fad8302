"""What an annotator says of a statement apart from its verdict: unsure, skipped, flagged.

None of them is a label, and none changes what a label counts for. Withdrawn, never deleted.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, QuerySet
from django.utils import timezone

from grounding.errors import BadInput, Refused
from labeling import queues
from labeling.models import Annotator, Assignment, CalibrationSet, Remark, RemarkKind
from labeling.queues import claims

MAX_REASON: Final = 2_000


def skip(assignment: Assignment, reason: str) -> Remark:
    """Go on without a label: the place is given back for someone else."""
    with transaction.atomic():
        remark = _reasoned(assignment, RemarkKind.SKIPPED, reason)
        if Assignment.objects.get(pk=assignment.pk).label_id is not None:
            raise Refused("you labelled this statement: take the label back before skipping it")
        claims.release(assignment)
        return remark


def flag(assignment: Assignment, reason: str) -> Remark:
    """Tell the leads that something is wrong with the case; the work on it goes on."""
    with transaction.atomic():
        return _reasoned(assignment, RemarkKind.FLAGGED, reason)


def settle_flag(flag: Remark) -> None:
    """A lead takes the flag off the list of what is open; it is kept, with the time."""
    open_still = Remark.objects.filter(pk=flag.pk, withdrawn_at__isnull=True)
    if not open_still.update(withdrawn_at=timezone.now()):
        raise Refused("this flag was settled before")


def settle(assignment: Assignment, *, unsure: bool) -> None:
    """A label was made: it was not skipped after all, and is unsure or not as it says itself."""
    over = [RemarkKind.SKIPPED] if unsure else [RemarkKind.SKIPPED, RemarkKind.UNSURE]
    withdraw_all(assignment, over)
    if unsure and not is_unsure(assignment):
        Remark.objects.create(assignment=assignment, kind=RemarkKind.UNSURE)


def is_unsure(assignment: Assignment) -> bool:
    return standing(assignment, [RemarkKind.UNSURE]).exists()


def standing(assignment: Assignment, kinds: Collection[RemarkKind]) -> QuerySet[Remark]:
    return Remark.objects.filter(assignment=assignment, kind__in=kinds, withdrawn_at__isnull=True)


def withdraw_all(assignment: Assignment, kinds: Collection[RemarkKind]) -> None:
    standing(assignment, kinds).update(withdrawn_at=timezone.now())


def withdraw(assignment: Assignment, kind: RemarkKind) -> None:
    """Take back what was said; where nothing stands that is no error."""
    queues.require_labelling(assignment.queue)
    withdraw_all(assignment, [kind])


def mine(calibration_set: CalibrationSet, user: User, kind: str | None = None) -> QuerySet[Remark]:
    """The user's remarks that stand, newest first; of one ``kind`` or of all."""
    found = Remark.objects.filter(
        assignment__queue__set=calibration_set,
        assignment__annotator__user=user,
        withdrawn_at__isnull=True,
    )
    found = found.select_related("assignment__queue", "assignment__statement").order_by("-pk")
    return found.filter(kind=kind) if kind else found


def counts(calibration_set: CalibrationSet, user: User) -> dict[str, int]:
    """How many rows `mine` has for each kind."""
    counted = mine(calibration_set, user).order_by().values_list("kind").annotate(Count("pk"))
    return {kind.value: 0 for kind in RemarkKind} | dict(counted)


def _reasoned(assignment: Assignment, kind: RemarkKind, reason: str) -> Remark:
    """The remark of its kind on the assignment, with this reason in place of any earlier one."""
    said = _checked(reason, f"{kind.value}_reason")
    Annotator.objects.select_for_update().get(pk=assignment.annotator_id)
    queues.require_labelling(assignment.queue)
    present = standing(assignment, [kind])
    same = present.filter(reason=said).first()
    if same is not None:
        return same
    present.update(withdrawn_at=timezone.now())
    return Remark.objects.create(assignment=assignment, kind=kind, reason=said)


def _checked(reason: str, field: str) -> str:
    said = reason.replace("\r\n", "\n").strip()
    if not said:
        raise BadInput("say in a few words why", field=field)
    if len(said) > MAX_REASON or "\x00" in said:
        raise BadInput(f"takes at most {MAX_REASON:,} characters, and no U+0000", field=field)
    return said
