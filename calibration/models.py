"""Rubric versions, runs, judgments, reports: fields, constraints and querysets only.

Rows are written by the noun modules beside this file (`rubrics`, `runs`, …).
"""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Final
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import CheckConstraint, Q, UniqueConstraint

from grounding.contract import ClaimClass, ClaimType, SpeechAct, Verdict
from grounding.interchange.models import MAX_ID, Outcome
from labeling.constraints import choices, contract_constraints, within
from labeling.models import CalibrationSet, ReferenceSnapshot, Statement


def new_key() -> str:
    return uuid4().hex


class RubricVersion(models.Model):
    """A released rubric version, which never changes.

    ``definition`` is the whole definition as released. A ``recorded`` version was
    never released here: it has neither definition, digest nor scope.
    """

    name = models.CharField(max_length=MAX_ID)
    version = models.CharField(max_length=MAX_ID)
    major = models.PositiveIntegerField(null=True)
    minor = models.PositiveIntegerField(null=True)
    patch = models.PositiveIntegerField(null=True)
    recorded = models.BooleanField(default=False)
    definition = models.JSONField(null=True)
    digest = models.CharField(max_length=71, null=True)
    scope_digest = models.CharField(max_length=71, null=True)
    contract_major = models.PositiveIntegerField(default=1)
    required_bump = models.CharField(max_length=8, null=True)
    released_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["name", "major", "minor", "patch", "version"]
        constraints: ClassVar = [
            UniqueConstraint(fields=["name", "version"], name="rubric_version_unique"),
            CheckConstraint(
                condition=Q(recorded=True, definition__isnull=True, digest__isnull=True)
                | Q(recorded=False, definition__isnull=False, digest__isnull=False),
                name="rubric_version_released_or_recorded",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name}@{self.version}"

    @property
    def version_parts(self) -> tuple[int, int, int]:
        return self.major or 0, self.minor or 0, self.patch or 0


class RubricDraft(models.Model):
    """A rubric version that is being written, and may be anything until it is released.

    ``definition`` is the JSON of what was typed, as text: the order of its fields and what is
    wrong with them stay as they are. ``edition`` grows with each save, so that a save that
    began from an older one is seen.
    """

    based_on = models.ForeignKey(RubricVersion, models.PROTECT, null=True, related_name="drafts")
    title = models.CharField(max_length=2 * MAX_ID + 1, blank=True)
    definition = models.TextField()
    edition = models.PositiveIntegerField(default=1)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    updated_at = models.DateTimeField(auto_now_add=True)
    released_as = models.ForeignKey(
        RubricVersion, models.PROTECT, null=True, related_name="drafts_released"
    )
    discarded_at = models.DateTimeField(null=True)

    class Meta:
        ordering: ClassVar = ["-updated_at", "-pk"]
        constraints: ClassVar = [
            CheckConstraint(
                condition=Q(released_as__isnull=True) | Q(discarded_at__isnull=True),
                name="rubric_draft_released_or_discarded",
            ),
        ]

    def __str__(self) -> str:
        return self.title or f"draft {self.pk}"


class Artifact(models.Model):
    """What a rubric names by its digest because it is too large to stand in it: trained weights.
    Never changed; it holds no text of any case."""

    digest = models.CharField(max_length=71, unique=True)
    kind = models.CharField(max_length=32)
    payload = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.kind} {self.digest}"


# Came to its end, complete or partial: a cancelled run never does.
ENDED: Final = Q(finished_at__isnull=False, cancelled_at__isnull=True)
# Those of them that measure. A probe's judgments are of cases told otherwise: reports,
# baselines, comparisons, gates and exports never take them.
FINISHED: Final = ENDED & Q(probe__isnull=True)


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
    (`calibration.judged`). Made of rows that never change, so any sheet may be deleted while its
    round is the latest."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="+")
    round = models.PositiveIntegerField()
    format = models.PositiveIntegerField()
    columns = models.BinaryField()
    told = models.JSONField()

    class Meta:
        constraints: ClassVar = [
            UniqueConstraint(fields=["run", "round", "format"], name="round_sheet_once"),
        ]


class SentRequest(models.Model):
    """What was sent to a provider, once for each digest, however often it was sent."""

    digest = models.CharField(max_length=71, primary_key=True)
    body = models.TextField()


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


class WorkerBeat(models.Model):
    """When a worker last proved, by running a task, that it is there."""

    worker = models.CharField(max_length=200, unique=True)
    seen_at = models.DateTimeField()


class Provider(models.Model):
    """One endpoint that answers judges, and what all workers together are to it.

    Its row is the lock under which permits are given out. ``next_start`` is when the next call
    may start that nobody has reserved yet, ``quiet_until`` what the provider asked for.
    """

    address = models.CharField(max_length=500, unique=True)
    next_start = models.DateTimeField(null=True)
    quiet_until = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.address


class Holder(models.Model):
    """Permits for calls to a provider that one worker holds while its lease lasts.

    ``held`` calls may be in flight at once, ``busy`` were when it last said so, ``wanted`` is
    what it could use. Where its run has a budget it may begin ``allowed`` more, and what the
    ``unwritten`` ones took stands in no attempt yet.
    """

    provider = models.ForeignKey(Provider, models.CASCADE, related_name="holders")
    # None where somebody tries a draft out.
    run = models.ForeignKey(Run, models.CASCADE, null=True, related_name="holders")
    token = models.UUIDField(unique=True)
    held = models.PositiveIntegerField(default=0)
    busy = models.PositiveIntegerField(default=0)
    wanted = models.PositiveIntegerField(default=0)
    allowed = models.PositiveIntegerField(default=0)
    unwritten_calls = models.PositiveIntegerField(default=0)
    unwritten_tokens = models.PositiveBigIntegerField(default=0)
    unwritten_cost = models.FloatField(default=0)
    lease_until = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["pk"]


class CachedReply(models.Model):
    """An answer that a provider gave, by what it was asked.

    ``model`` is what the provider said had answered.
    """

    provider = models.ForeignKey(Provider, models.CASCADE, related_name="+")
    digest = models.CharField(max_length=71)
    model = models.TextField(null=True)
    reply = models.TextField()
    stored_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            UniqueConstraint(fields=["provider", "digest"], name="cached_reply_once"),
        ]


class Report(models.Model):
    """A frozen agreement report: ``figures`` is the JSON of the report without its lists,
    which stand in sheets of their own so that a page can show a part of them."""

    run = models.ForeignKey(Run, models.PROTECT, related_name="reports")
    # The round of the run that it is of: what failed then may have been judged since.
    round = models.PositiveIntegerField(default=1)
    snapshot = models.ForeignKey(ReferenceSnapshot, models.PROTECT, related_name="reports")
    seed = models.BigIntegerField()
    implementation = models.PositiveIntegerField()
    # Of the ratings that people gave and the labels that cite evidence (`labeling.ratings`), which
    # can change while no reference does. Empty for a report of before.
    ratings_digest = models.CharField(max_length=71, default="")
    figures = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            UniqueConstraint(
                fields=["run", "round", "snapshot", "seed", "implementation", "ratings_digest"],
                name="report_once",
            ),
        ]


class Sheet(models.Model):
    """What a report froze of every one of its rows, in their order: columns of one length beside
    the words of their codes (`labeling.arrays`), written once and read whole. Rows of a table
    would take longer to write than all else of a report."""

    report: models.OneToOneField[Report, Report]
    columns = models.BinaryField()

    class Meta:
        abstract = True


class DisagreementSheet(Sheet):
    """The statements on which judge and reference differ (`calibration.error_sheets`)."""

    report = models.OneToOneField(
        Report, models.PROTECT, related_name="disagreement_sheet", primary_key=True
    )


class AnswerSheet(Sheet):
    """Every answer, in the set's order (`calibration.answersheets`)."""

    report = models.OneToOneField(
        Report, models.PROTECT, related_name="answer_sheet", primary_key=True
    )


class EvidenceSheet(Sheet):
    """How judge and human met on each compared statement for which either cites evidence
    (`calibration.evidence_rows`)."""

    report = models.OneToOneField(
        Report, models.PROTECT, related_name="evidence_sheet", primary_key=True
    )


class RatingSheet(Sheet):
    """The ratings of people, with what the judge said beside (`calibration.rated`)."""

    report = models.OneToOneField(
        Report, models.PROTECT, related_name="rating_sheet", primary_key=True
    )


class PairSheet(Sheet):
    """What became of each pair (`calibration.pair_sheets`); its counts stand in the figures."""

    report = models.OneToOneField(
        Report, models.PROTECT, related_name="pair_sheet", primary_key=True
    )


class FloorBeside(models.Model):
    """How the run of a judge that costs nothing agrees on the statements of a report, against
    the references that the report froze. Computed once: both runs are finished."""

    report = models.ForeignKey(Report, models.PROTECT, related_name="floors")
    run = models.ForeignKey(Run, models.PROTECT, related_name="+")
    figures = models.JSONField()

    class Meta:
        constraints: ClassVar = [
            UniqueConstraint(fields=["report", "run"], name="floor_once_beside_a_report"),
        ]


class DrawnPicture(models.Model):
    """A picture as it was drawn, by the digest of all that decides how it looks
    (`charts.figures.Picture`). It can be drawn again, so any row may be deleted at any time."""

    digest = models.CharField(max_length=64, unique=True)
    svg = models.TextField()
    drawn_at = models.DateTimeField(auto_now_add=True)
