"""Runs, their judgments, and the attempts that each judgment took."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Final
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import CheckConstraint, Q, UniqueConstraint

from calibration.models.rubrics import RubricVersion
from grounding.contract import ClaimClass, ClaimType, SpeechAct, Verdict
from grounding.interchange.models import MAX_ID, Outcome
from labeling.constraints import choices, contract_constraints, within
from labeling.models import CalibrationSet, Statement


def new_key() -> str:
    return uuid4().hex


# Came to its end, complete or partial: a cancelled run never does.
ENDED: Final = Q(finished_at__isnull=False, cancelled_at__isnull=True)
# A probe's judgments are of cases told otherwise: reports, baselines, comparisons, gates and
# exports never take them.
MEASURES: Final = Q(probe__isnull=True)
FINISHED: Final = ENDED & MEASURES


class Run(models.Model):
    """One rubric version over one set revision. Its state is derived by counting judgments;
    ``finished_at`` only remembers when the count first came out even."""

    set = models.ForeignKey(CalibrationSet, models.PROTECT, related_name="runs")
    revision = models.PositiveIntegerField()
    rubric_version = models.ForeignKey(RubricVersion, models.PROTECT, related_name="runs")
    repeats = models.PositiveIntegerField(default=1)
    planned = models.PositiveIntegerField()
    failure_ceiling = models.FloatField(default=0.05)
    # How the cases are told otherwise (`probes.Probe`); null for a run that measures.
    probe = models.JSONField(null=True)
    # Grows when what failed is judged again; attempts and judgments carry theirs.
    round = models.PositiveIntegerField(default=1)
    # The most that all rounds together may take of each; null where nothing was said.
    budget_calls = models.PositiveBigIntegerField(null=True)
    budget_tokens = models.PositiveBigIntegerField(null=True)
    budget_cost = models.FloatField(null=True)
    # Which budget stopped the run, in words.
    budget_spent = models.CharField(max_length=200, null=True)
    # Its name in files: survives export and import, where a primary key would not.
    key = models.CharField(max_length=MAX_ID, default=new_key, editable=False)
    started_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="runs"
    )
    started_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)
    cancelled_at = models.DateTimeField(null=True)

    class Meta:
        ordering: ClassVar = ["-pk"]
        constraints: ClassVar = [
            UniqueConstraint(fields=["set", "key"], name="run_key_unique"),
        ]


class JudgmentQuerySet(models.QuerySet["Judgment"]):
    def waiting(self, now: datetime) -> JudgmentQuerySet:
        """Planned rows that no worker holds at ``now``."""
        return self.filter(outcome__isnull=True).filter(
            Q(lease_until__isnull=True) | Q(lease_until__lt=now)
        )


class Judgment(models.Model):
    """One planned statement and repeat of a run; planned while ``outcome`` is null.

    A worker claims rows by conditional update, which sets ``lease`` (its token) and
    ``lease_until``; it may write a result only while the lease is its own.
    """

    run = models.ForeignKey(Run, models.PROTECT, related_name="judgments")
    statement = models.ForeignKey(Statement, models.PROTECT, related_name="judgments")
    # Judging goes case by case, so the plan keeps which case a row belongs to.
    case_pk = models.PositiveBigIntegerField()
    repeat = models.PositiveIntegerField(default=0)
    outcome = models.CharField(max_length=16, null=True, choices=choices(Outcome))
    claim_class = models.CharField(max_length=24, null=True, choices=choices(ClaimClass))
    verdict = models.CharField(max_length=16, null=True, choices=choices(Verdict))
    raw_verdict = models.TextField(null=True)
    claim_type = models.CharField(max_length=16, null=True, choices=choices(ClaimType))
    speech_act = models.CharField(max_length=24, null=True, choices=choices(SpeechAct))
    premises = models.JSONField(default=list)
    evidence = models.JSONField(default=list)
    # Offsets that were mended because the quote occurs exactly once.
    evidence_repaired = models.BooleanField(default=False)
    # A recorded verdict that should cite evidence and does not: kept, and counted apart.
    without_evidence = models.BooleanField(default=False)
    explanation = models.TextField(null=True)
    error = models.TextField(null=True)
    confidence = models.FloatField(null=True)
    judge_model = models.TextField(null=True)
    attempts = models.PositiveIntegerField(null=True)
    claims = models.PositiveIntegerField(default=0)
    lease = models.UUIDField(null=True)
    lease_until = models.DateTimeField(null=True)
    judged_at = models.DateTimeField(null=True)
    # The round of its run in which its outcome was found.
    round = models.PositiveIntegerField(default=1)

    objects: ClassVar = JudgmentQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            *contract_constraints("judgment"),
            within("outcome", Outcome, name="judgment_outcome_known"),
            UniqueConstraint(
                fields=["run", "statement", "repeat"], name="judgment_one_per_statement_and_repeat"
            ),
            CheckConstraint(
                # Said of null as well: a condition that comes out as null counts as met.
                condition=Q(outcome__isnull=False, outcome="graded", verdict__isnull=False)
                | (
                    (Q(outcome__isnull=True) | ~Q(outcome="graded"))
                    & Q(verdict__isnull=True, claim_class__isnull=True)
                ),
                name="judgment_failure_is_no_verdict",
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["run", "case_pk"],
                condition=Q(outcome__isnull=True),
                name="judgment_planned",
            ),
        ]


class RoundSheet(models.Model):
    """The judgments of a finished round of a run, in columns, with what was counted of them
    (`calibration.loading.judged`). Made of rows that never change, so any sheet may be deleted
    while its round is the latest."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="+")
    round = models.PositiveIntegerField()
    format = models.PositiveIntegerField()
    columns = models.BinaryField()
    told = models.JSONField()

    class Meta:
        constraints: ClassVar = [
            UniqueConstraint(fields=["run", "round", "format"], name="round_sheet_once"),
        ]


class Attempt(models.Model):
    """One try at one pass of a judgment, with what came back.

    One call may have been for several judgments, and then each has its attempt with the
    figures of the whole call; ``counts`` marks the one by which the call is counted.
    """

    judgment = models.ForeignKey(Judgment, models.PROTECT, related_name="attempt_rows")
    number = models.PositiveIntegerField()
    judge_pass = models.CharField(max_length=16, null=True)
    outcome = models.CharField(max_length=16, choices=choices(Outcome))
    raw = models.TextField(null=True)
    error = models.TextField(null=True)
    judge_model = models.TextField(null=True)
    started_at = models.DateTimeField(null=True)
    seconds = models.FloatField(null=True)
    # Of the `SentRequest`, where what was sent was kept.
    request_digest = models.CharField(max_length=71, null=True)
    http_status = models.PositiveIntegerField(null=True)
    retry = models.PositiveIntegerField(default=0)
    input_tokens = models.PositiveBigIntegerField(null=True)
    output_tokens = models.PositiveBigIntegerField(null=True)
    cost = models.FloatField(null=True)
    cached = models.BooleanField(default=False)
    round = models.PositiveIntegerField(default=1)
    counts = models.BooleanField(default=False)

    class Meta:
        ordering: ClassVar = ["number"]
        constraints: ClassVar = [
            within("outcome", Outcome, name="attempt_outcome_known"),
            UniqueConstraint(fields=["judgment", "number"], name="attempt_number_unique"),
        ]
