"""Labels, adjudications, and the references that they come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from django.db import models
from django.db.models import CheckConstraint, Q, UniqueConstraint

from grounding.contract import ClaimClass, ClaimType, SpeechAct, Verdict
from grounding.interchange.models import LabelRole, Origin, Selected
from labeling.columns.frozen import Frozen
from labeling.constraints import choices, contract_constraints, within
from labeling.models.cases import Statement
from labeling.models.queues import Queue
from labeling.models.sets import Annotator, CalibrationSet


class LabelQuerySet(models.QuerySet["Label"]):
    def live(self) -> LabelQuerySet:
        return self.filter(superseded_at__isnull=True)


class Label(models.Model):
    """One human's judgement of one statement; append-only, superseded, never overwritten."""

    statement = models.ForeignKey(Statement, models.PROTECT, related_name="labels")
    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="labels")
    role = models.CharField(max_length=16, choices=choices(LabelRole))
    claim_class = models.CharField(max_length=24, null=True, choices=choices(ClaimClass))
    verdict = models.CharField(max_length=16, choices=choices(Verdict))
    claim_type = models.CharField(max_length=16, null=True, choices=choices(ClaimType))
    speech_act = models.CharField(max_length=24, null=True, choices=choices(SpeechAct))
    rationale = models.TextField(null=True)
    evidence = models.JSONField(default=list)
    premises = models.JSONField(default=list)
    confidence = models.FloatField(null=True)
    origin = models.CharField(max_length=16, choices=choices(Origin))
    selected = models.CharField(max_length=24, null=True, choices=choices(Selected))
    contract_version = models.CharField(max_length=32, null=True)
    # Of contract_version; 0 where an older data set does not say, which matches no rubric.
    contract_major = models.PositiveIntegerField()
    labeled_at = models.DateTimeField(null=True)
    recorded_at = models.DateTimeField(auto_now_add=True)
    superseded_at = models.DateTimeField(null=True)
    # A form carries a fresh token, so that a second click on it is the same label.
    submission = models.UUIDField(null=True, unique=True)
    # Where it was made; null for one that was imported.
    queue = models.ForeignKey(Queue, models.PROTECT, null=True, related_name="labels")
    # Time spent on it at the desk, idle time left out; null where that was not measured.
    active_seconds = models.FloatField(null=True)
    carried_from = models.ForeignKey("self", models.PROTECT, null=True, related_name="carried_to")

    objects: ClassVar = LabelQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            *contract_constraints("label"),
            within("role", LabelRole, name="label_role_known"),
            within("origin", Origin, name="label_origin_known"),
            within("selected", Selected, name="label_selected_known"),
            within("claim_type", ClaimType, name="label_claim_type_known"),
            within("speech_act", SpeechAct, name="label_speech_act_known"),
            CheckConstraint(
                condition=Q(confidence__isnull=True) | Q(confidence__gte=0, confidence__lte=1),
                name="label_confidence_is_a_share",
            ),
            CheckConstraint(
                condition=Q(active_seconds__isnull=True) | Q(active_seconds__gte=0),
                name="label_time_not_negative",
            ),
            UniqueConstraint(
                fields=["statement", "annotator", "role", "contract_major"],
                condition=Q(superseded_at__isnull=True),
                name="label_one_live",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["annotator", "statement"], name="label_history"),
        ]


class Adjudication(models.Model):
    """What a decision was made over: the labels that stood then, by primary key.

    It is open again as soon as other labels stand.
    """

    label = models.OneToOneField(
        Label, models.PROTECT, related_name="adjudication", primary_key=True
    )
    over = models.JSONField()
    # By one of those who disagreed.
    by_party = models.BooleanField()


class LabelSheet(models.Model):
    """Where the quotes of a set's labels stand, in columns
    (`labeling.references.cited_by_labels`). Made of labels, which never change, so it may be
    deleted at any time."""

    set = models.ForeignKey(CalibrationSet, models.CASCADE, related_name="+")
    format = models.PositiveIntegerField()
    columns = models.BinaryField()

    class Meta:
        constraints: ClassVar = [
            UniqueConstraint(fields=["set", "format"], name="label_sheet_once"),
        ]


class ReferenceSnapshot(models.Model):
    """The references of one set revision, frozen: what a report was measured against.

    ``answers`` are the different ones that there are, ``statements`` in columns which of them each
    statement has (`labeling.columns.frozen`); ``tiers`` counts every tier, ``disputed`` and
    ``none`` too.
    """

    set = models.ForeignKey(CalibrationSet, models.PROTECT, related_name="snapshots")
    revision = models.PositiveIntegerField()
    contract_major = models.PositiveIntegerField()
    minimum = models.CharField(max_length=16)
    digest = models.CharField(max_length=71)
    answers = models.JSONField()
    statements = models.BinaryField()
    tiers = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            UniqueConstraint(
                fields=["set", "revision", "contract_major", "minimum", "digest"],
                name="snapshot_once",
            ),
        ]

    @cached_property
    def frozen(self) -> Frozen:
        return Frozen.unpacked(self.statements, self.answers)

    @cached_property
    def references(self) -> Mapping[str, Sequence[Any]]:
        """Each statement's answer, by its primary key as text."""
        return self.frozen.rows()
