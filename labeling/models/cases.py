"""Cases, their statements, and what the author expected of each."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.db import models
from django.db.models import CheckConstraint, F, Q, UniqueConstraint

from grounding.contract import CONTRACT, ClaimClass, ClaimType, SpeechAct, Verdict
from grounding.interchange.models import MAX_ID
from labeling.constraints import choices, contract_constraints, within
from labeling.models.sets import CalibrationSet


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


class RevisionSheet(models.Model):
    """A set as it stood at a revision, in columns (`labeling.references.stood`). Made of rows that
    never change, so any sheet may be deleted at any time.

    ``names`` has a line for each statement, both its ids in canonical JSON.
    """

    set = models.ForeignKey(CalibrationSet, models.CASCADE, related_name="+")
    revision = models.PositiveIntegerField()
    format = models.PositiveIntegerField()
    columns = models.BinaryField()
    names = models.TextField()

    class Meta:
        constraints: ClassVar = [
            UniqueConstraint(fields=["set", "revision", "format"], name="revision_sheet_once"),
        ]
