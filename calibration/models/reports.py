"""Reports, what each froze in columns, and what was computed beside one."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import UniqueConstraint

from calibration.models.runs import Run
from labeling.models import ReferenceSnapshot


class Report(models.Model):
    """A frozen agreement report: ``figures`` is the JSON of the report without its lists,
    which stand in sheets of their own so that a page can show a part of them."""

    run = models.ForeignKey(Run, models.PROTECT, related_name="reports")
    # The round of the run that it is of: what failed then may have been judged since.
    round = models.PositiveIntegerField(default=1)
    snapshot = models.ForeignKey(ReferenceSnapshot, models.PROTECT, related_name="reports")
    seed = models.BigIntegerField()
    implementation = models.PositiveIntegerField()
    # Of the ratings that people gave and the labels that cite evidence
    # (`labeling.references.ratings`), which can change while no reference does. Empty for a report
    # of before.
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
    the words of their codes (`labeling.columns.arrays`), written once and read whole. Rows of a
    table would take longer to write than all else of a report."""

    report: models.OneToOneField[Report, Report]
    columns = models.BinaryField()

    class Meta:
        abstract = True


class DisagreementSheet(Sheet):
    """The statements on which judge and reference differ (`calibration.reports.error_sheets`)."""

    report = models.OneToOneField(
        Report, models.PROTECT, related_name="disagreement_sheet", primary_key=True
    )


class AnswerSheet(Sheet):
    """Every answer, in the set's order (`calibration.reports.answersheets`)."""

    report = models.OneToOneField(
        Report, models.PROTECT, related_name="answer_sheet", primary_key=True
    )


class EvidenceSheet(Sheet):
    """How judge and human met on each compared statement for which either cites evidence
    (`calibration.loading.evidence_rows`)."""

    report = models.OneToOneField(
        Report, models.PROTECT, related_name="evidence_sheet", primary_key=True
    )


class RatingSheet(Sheet):
    """The ratings of people, with what the judge said beside (`calibration.agreement.rated`)."""

    report = models.OneToOneField(
        Report, models.PROTECT, related_name="rating_sheet", primary_key=True
    )


class PairSheet(Sheet):
    """What became of each pair (`calibration.reports.pair_sheets`); its counts stand in
    the figures."""

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
    (`charts.picture.Picture`). It can be drawn again, so any row may be deleted at any time."""

    digest = models.CharField(max_length=64, unique=True)
    svg = models.TextField()
    drawn_at = models.DateTimeField(auto_now_add=True)
