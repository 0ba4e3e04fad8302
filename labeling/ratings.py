"""Ratings: what annotators said of the same statements, each for themselves.

A rating is a label that counts (`countable`) by an annotator; adjudicators are no raters. Only
statements with two ratings or more can be told anything of, so only theirs are read; how many
have one alone is counted.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count

from grounding.digests import digest
from grounding.interchange.models import LabelRole
from labeling import countable
from labeling.models import CalibrationSet, Case, Label


@dataclass(frozen=True)
class Ratings:
    """Lists of one length, sorted by case, statement and annotator; ``statements`` are primary
    keys, ``annotators`` codes.

    ``rated_once`` are the statements with one rating, which are not in the lists. ``digest`` is of
    the lists, by ids that mean the same elsewhere, and of how many were rated once.
    """

    statements: list[int]
    annotators: list[str]
    claim_classes: list[str | None]
    verdicts: list[str]
    rated_once: list[int]
    digest: str


def read(calibration_set: CalibrationSet, revision: int, contract_major: int) -> Ratings:
    """The ratings of the statements that made up the set at ``revision``. Two queries."""
    cases = Case.objects.at(revision).filter(set=calibration_set).order_by()
    labels = Label.objects.filter(
        statement__case__in=cases.values("pk"), role=LabelRole.LABEL.value
    ).order_by()
    counted = countable.among(labels, contract_major)
    sizes = counted.values("statement").annotate(ratings=Count("pk"))
    once = sizes.filter(ratings=1).values_list("statement_id", flat=True)
    rated_once: list[int] = sorted(once.iterator())
    rows = counted.filter(statement__in=sizes.filter(ratings__gt=1).values("statement"))
    found = sorted(rows.values_list(*_COLUMNS).iterator(), key=lambda row: row[:3])
    return Ratings(
        statements=[row[-1] for row in found],
        annotators=[row[2] for row in found],
        claim_classes=[row[3] for row in found],
        verdicts=[row[4] for row in found],
        rated_once=rated_once,
        digest=digest([contract_major, len(rated_once), [row[:-1] for row in found]]),
    )


_COLUMNS = (
    *("statement__case__case_id", "statement__statement_id", "annotator__code"),
    *("claim_class", "verdict", "statement_id"),
)
