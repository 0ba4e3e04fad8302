"""Sets, cases, statements, labels, references: fields, constraints and querysets only.

Rows are written by the noun modules beside this file (`cases`, `labels`, …).
Cases, statements, expectations and labels are never changed once written; a
newer row supersedes an older one.
"""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import CheckConstraint, F, Q, UniqueConstraint

from grounding.contract import CONTRACT, ClaimClass, ClaimType, SpeechAct, Verdict
from grounding.interchange.models import MAX_ID, LabelRole, Origin, Selected
from labeling.constraints import choices, contract_constraints, within


class Role(models.TextChoices):
    ANNOTATOR = "annotator"
    LEAD = "lead"
    ADMIN = "admin"


class CalibrationSet(models.Model):
    """Cases that are measured together; ``revision`` grows whenever they change."""

    slug = models.CharField(max_length=MAX_ID, unique=True)
    title = models.CharField(max_length=200, blank=True)
    revision = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["slug"]

    def __str__(self) -> str:
        return self.slug


class Membership(models.Model):
    """What one account may do in one set; ended, never deleted."""

    set = models.ForeignKey(CalibrationSet, models.PROTECT, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=16, choices=Role.choices)
    active = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            UniqueConstraint(fields=["set", "user"], name="membership_one_per_user"),
            within("role", Role.values, name="membership_role_known"),
        ]


class Exposure(models.Model):
    """That an account has seen what a blind annotator must not: from then on its labels on
    this set are `revealed`."""

    set = models.ForeignKey(CalibrationSet, models.PROTECT, related_name="exposures")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="exposures")
    to = models.CharField(max_length=64)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            UniqueConstraint(fields=["set", "user"], name="exposure_first_only"),
        ]


class Annotator(models.Model):
    """Someone who labels, known to exports by ``code`` alone; an import makes no sign-in."""

    set = models.ForeignKey(CalibrationSet, models.PROTECT, related_name="annotators")
    code = models.CharField(max_length=MAX_ID)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="annotators"
    )

    class Meta:
        constraints: ClassVar = [
            UniqueConstraint(fields=["set", "code"], name="annotator_code_unique"),
            UniqueConstraint(fields=["set", "user"], name="annotator_one_per_user"),
        ]

    def __str__(self) -> str:
        return self.code


class Source(models.Model):
    """An approved source for external claims."""

    set = models.ForeignKey(CalibrationSet, models.PROTECT, related_name="sources")
    source_id = models.CharField(max_length=MAX_ID)
    text = models.TextField()
    uri = models.TextField(null=True)
    retrieved_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            UniqueConstraint(fields=["set", "source_id"], name="source_id_unique"),
        ]


class CaseQuerySet(models.QuerySet["Case"]):
    def live(self) -> CaseQuerySet:
        return self.filter(superseded_in__isnull=True)

    def at(self, revision: int) -> CaseQuerySet:
        """The cases that made up the set at ``revision``."""
        return self.filter(added_in__lte=revision).filter(
            Q(superseded_in__isnull=True) | Q(superseded_in__gt=revision)
        )


class Case(models.Model):
    """One revision of a case: question, admitted context, answer.

    ``context`` and ``retrieved`` are lists of ``{"id", "text", "source"}``. They
    are documents, stored exactly as they were sent to the model.
    """

    set = models.ForeignKey(CalibrationSet, models.PROTECT, related_name="cases")
    case_id = models.CharField(max_length=MAX_ID)
    added_in = models.PositiveIntegerField()
    superseded_in = models.PositiveIntegerField(null=True)
    # Place in the export; a newer revision of a case keeps the place of the older.
    position = models.PositiveIntegerField()
    pair_id = models.CharField(max_length=MAX_ID, null=True)
    pair_kind = models.TextField(null=True)
    question = models.TextField(null=True)
    context = models.JSONField()
    retrieved = models.JSONField(null=True)
    answer = models.TextField()
    answerable = models.BooleanField(null=True)
    answerable_from_retrieved = models.BooleanField(null=True)
    tags = models.JSONField(default=list)
    source = models.TextField(null=True)
    licence = models.TextField(null=True)
    # Of the whole interchange record: tells "the same again" from "the same id, other text".
    digest = models.CharField(max_length=71)
    # Of what an annotator sees: labels carry over to a newer revision where it is unchanged.
    content_digest = models.CharField(max_length=71)

    objects: ClassVar = CaseQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["position"]
        constraints: ClassVar = [
            UniqueConstraint(
                fields=["set", "case_id"],
                condition=Q(superseded_in__isnull=True),
                name="case_one_live_revision",
            ),
            UniqueConstraint(fields=["set", "case_id", "added_in"], name="case_revision_unique"),
            CheckConstraint(
                condition=Q(superseded_in__isnull=True) | Q(superseded_in__gt=F("added_in")),
                name="case_superseded_later",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["set", "position"], name="case_export_order"),
            models.Index(fields=["set", "pair_id"], name="case_by_pair"),
        ]

    def __str__(self) -> str:
        return self.case_id


class Statement(models.Model):
    """One checkable assertion of an answer. ``key`` is its public name, which tells an
    annotator nothing of its case or pair."""

    case = models.ForeignKey(Case, models.PROTECT, related_name="statements")
    key = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    statement_id = models.CharField(max_length=MAX_ID)
    position = models.PositiveIntegerField()
    text = models.TextField()
    span_start = models.PositiveIntegerField(null=True)
    span_end = models.PositiveIntegerField(null=True)
    parent_id = models.CharField(max_length=MAX_ID, null=True)
    claim_type = models.CharField(max_length=16, null=True, choices=choices(ClaimType))
    speech_act = models.CharField(max_length=24, null=True, choices=choices(SpeechAct))

    class Meta:
        ordering: ClassVar = ["case__position", "position"]
        constraints: ClassVar = [
            UniqueConstraint(fields=["case", "statement_id"], name="statement_id_unique"),
            CheckConstraint(
                # Said of null as well: a condition that comes out as null counts as met.
                condition=Q(span_start__isnull=True, span_end__isnull=True)
                | Q(
                    span_start__isnull=False,
                    span_end__isnull=False,
                    span_start__lt=F("span_end"),
                ),
                name="statement_span_whole",
            ),
            within("claim_type", ClaimType, name="statement_claim_type_known"),
            within("speech_act", SpeechAct, name="statement_speech_act_known"),
        ]


class Expectation(models.Model):
    """The author's hypothesis. A table of its own, so that no query made for an annotator
    can carry it along."""

    statement = models.OneToOneField(
        Statement, models.PROTECT, related_name="expectation", primary_key=True
    )
    claim_class = models.CharField(max_length=24, null=True, choices=choices(ClaimClass))
    verdict = models.CharField(max_length=16, null=True, choices=choices(Verdict))
    rationale = models.TextField(null=True)
    evidence = models.JSONField(default=list)
    # Of the contract that it was written under: no measure for a rubric of another.
    contract_major = models.PositiveIntegerField(default=CONTRACT.major)

    class Meta:
        constraints: ClassVar = contract_constraints("expectation")


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
            UniqueConstraint(
                fields=["statement", "annotator", "role", "contract_major"],
                condition=Q(superseded_at__isnull=True),
                name="label_one_live",
            ),
        ]


class ReferenceSnapshot(models.Model):
    """The references of one set revision, frozen: what a report was measured against.

    ``references`` maps the statement's primary key to ``[tier, class, verdict]``
    (class may be null); ``tiers`` counts every tier, ``disputed`` and ``none`` too.
    """

    set = models.ForeignKey(CalibrationSet, models.PROTECT, related_name="snapshots")
    revision = models.PositiveIntegerField()
    contract_major = models.PositiveIntegerField()
    minimum = models.CharField(max_length=16)
    digest = models.CharField(max_length=71)
    references = models.JSONField()
    tiers = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            UniqueConstraint(
                fields=["set", "revision", "contract_major", "minimum", "digest"],
                name="snapshot_once",
            ),
        ]
