"""Queues (annotation rounds), the places in them, and one annotator's work on one statement."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import CheckConstraint, Q, UniqueConstraint

from grounding.contract import ClaimClass, Verdict
from grounding.interchange.models import MAX_ID, Selected
from labeling.constraints import choices, contract_constraints, within
from labeling.models.cases import Statement
from labeling.models.sets import Annotator, CalibrationSet


class QueueState(models.TextChoices):
    OPEN = "open"
    PAUSED = "paused"
    CLOSED = "closed"


class QueueOrder(models.TextChoices):
    RANDOM = "random"
    FEWEST = "fewest", "Fewest labels first"


class Queue(models.Model):
    """Statements of a set that are each to be labelled by ``overlap`` annotators.

    The guideline and the contract are those that it was opened with, and stay so: another
    guideline is another version, which names the queue that it took the place of.
    """

    set = models.ForeignKey(CalibrationSet, models.PROTECT, related_name="queues")
    title = models.CharField(max_length=200)
    version = models.PositiveIntegerField(default=1)
    previous = models.OneToOneField("self", models.PROTECT, null=True, related_name="next")
    guideline = models.TextField(blank=True)
    contract_version = models.CharField(max_length=32)
    contract_major = models.PositiveIntegerField()
    contract = models.JSONField()
    # {"kind", "value"}: which statements were asked for; what they were then is in the slots.
    selection = models.JSONField()
    selected = models.CharField(max_length=24, null=True, choices=choices(Selected))
    overlap = models.PositiveIntegerField()
    lease_seconds = models.PositiveIntegerField()
    order = models.CharField(max_length=16, choices=QueueOrder.choices)
    seed = models.BigIntegerField()
    # One statement in so many is a gold one, as long as there are any; 0 for none.
    gold_every = models.PositiveIntegerField(default=0)
    state = models.CharField(max_length=16, choices=QueueState.choices, default=QueueState.OPEN)
    opened_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    opened_at = models.DateTimeField(auto_now_add=True)
    closed_at = models.DateTimeField(null=True)
    revealed_at = models.DateTimeField(null=True)

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            within("state", QueueState.values, name="queue_state_known"),
            within("order", QueueOrder.values, name="queue_order_known"),
            within("selected", Selected, name="queue_selected_known"),
            CheckConstraint(condition=Q(overlap__gte=1), name="queue_overlap_positive"),
            CheckConstraint(condition=Q(lease_seconds__gte=1), name="queue_lease_positive"),
            CheckConstraint(
                condition=Q(state=QueueState.CLOSED, closed_at__isnull=False)
                | (~Q(state=QueueState.CLOSED) & Q(closed_at__isnull=True)),
                name="queue_closed_when",
            ),
            CheckConstraint(
                condition=Q(revealed_at__isnull=True) | Q(state=QueueState.CLOSED),
                name="queue_revealed_once_closed",
            ),
        ]

    def __str__(self) -> str:
        return self.title if self.version == 1 else f"{self.title}, version {self.version}"


class Assignment(models.Model):
    """One annotator's work on one statement of a queue, from the moment it was handed out.

    It outlives its lease: whoever was late still finds what they had written. ``half`` and
    ``rank`` say how far the annotator has come in the queue.
    """

    queue = models.ForeignKey(Queue, models.PROTECT, related_name="assignments")
    statement = models.ForeignKey(Statement, models.PROTECT, related_name="assignments")
    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="assignments")
    gold = models.BooleanField(default=False)
    half = models.PositiveSmallIntegerField()
    rank = models.PositiveIntegerField()
    pair_id = models.CharField(max_length=MAX_ID, null=True)
    started_at = models.DateTimeField(auto_now_add=True)
    # The live label made on it.
    label = models.OneToOneField(
        "labeling.Label", models.PROTECT, null=True, related_name="assignment"
    )
    # What is being written. A save names the edition that it began from, and which tab it
    # comes from as that tab's how-manieth, so that one that arrives late cannot win.
    draft = models.JSONField(null=True)
    draft_edition = models.PositiveIntegerField(default=0)
    draft_tab = models.UUIDField(null=True)
    draft_number = models.PositiveIntegerField(default=0)
    draft_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            UniqueConstraint(
                fields=["queue", "annotator", "statement"], name="assignment_one_per_statement"
            ),
        ]


class SlotQuerySet(models.QuerySet["Slot"]):
    """A place is free, leased or filled; as conditions, so that they can be counted too."""

    FILLED = Q(assignment__isnull=False, until__isnull=True)
    # Word for word the condition of the index below, or a database will not use it.
    UNFILLED = Q(assignment__isnull=True) | Q(until__isnull=False)

    @staticmethod
    def free_at(at: datetime) -> Q:
        """That it may be taken: nobody's, or of a lease that ran out."""
        return Q(assignment__isnull=True) | Q(until__lt=at)

    @staticmethod
    def leased_at(at: datetime) -> Q:
        return Q(until__gte=at)

    def free(self, at: datetime) -> SlotQuerySet:
        return self.filter(self.UNFILLED, self.free_at(at))

    def leased(self, at: datetime) -> SlotQuerySet:
        return self.filter(self.leased_at(at))

    def filled(self) -> SlotQuerySet:
        return self.filter(self.FILLED)


class Slot(models.Model):
    """One of the ``overlap`` places that a statement has in a queue.

    Free without an assignment, leased until ``until``, filled where that is null: so more
    labels than places cannot be asked for. The sides of a pair stand in different halves.
    """

    queue = models.ForeignKey(Queue, models.PROTECT, related_name="slots")
    statement = models.ForeignKey(Statement, models.PROTECT, related_name="slots")
    number = models.PositiveIntegerField()
    half = models.PositiveSmallIntegerField()
    rank = models.PositiveIntegerField()
    pair_id = models.CharField(max_length=MAX_ID, null=True)
    assignment = models.OneToOneField(Assignment, models.PROTECT, null=True, related_name="slot")
    until = models.DateTimeField(null=True)

    objects: ClassVar = SlotQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            UniqueConstraint(fields=["queue", "statement", "number"], name="slot_unique"),
            CheckConstraint(
                condition=Q(until__isnull=True) | Q(assignment__isnull=False),
                name="slot_leased_to_someone",
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["queue", "half", "rank", "number"],
                condition=SlotQuerySet.UNFILLED,
                name="slot_unfilled",
            ),
        ]


class GoldStatement(models.Model):
    """A statement of a queue whose answer was known when it was opened. Every annotator
    meets it, whatever the overlap, and none can tell it from the others."""

    queue = models.ForeignKey(Queue, models.PROTECT, related_name="gold")
    statement = models.ForeignKey(Statement, models.PROTECT, related_name="+")
    half = models.PositiveSmallIntegerField()
    pair_id = models.CharField(max_length=MAX_ID, null=True)
    tier = models.CharField(max_length=16)
    claim_class = models.CharField(max_length=24, null=True, choices=choices(ClaimClass))
    verdict = models.CharField(max_length=16, choices=choices(Verdict))

    class Meta:
        constraints: ClassVar = [
            UniqueConstraint(fields=["queue", "statement"], name="gold_once"),
            *contract_constraints("gold"),
        ]


class RemarkKind(models.TextChoices):
    UNSURE = "unsure"
    SKIPPED = "skipped"
    FLAGGED = "flagged"


class Remark(models.Model):
    """What an annotator says of a statement apart from its verdict: unsure of the label,
    skipped without one, or the case itself flagged. Withdrawn, never deleted."""

    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="remarks")
    kind = models.CharField(max_length=16, choices=RemarkKind.choices)
    reason = models.TextField(blank=True)
    at = models.DateTimeField(auto_now_add=True)
    withdrawn_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            within("kind", RemarkKind.values, name="remark_kind_known"),
            UniqueConstraint(
                fields=["assignment", "kind"],
                condition=Q(withdrawn_at__isnull=True),
                name="remark_one_live",
            ),
        ]


class Snippet(models.Model):
    """A sentence that an annotator uses again in rationales; seen by nobody else."""

    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="snippets")
    text = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["pk"]
