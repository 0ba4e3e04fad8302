"""Which labels count, and why the others do not: the one rule.

A label or an adjudication counts for references and for agreement if it is live, blind, was not
selected in a way that depends on judges, and was made under the contract's major version that is
asked for. `reason` says so in the database, for any queryset of labels::

    labels.annotate(excluded=countable.reason(CONTRACT.major))   # None where it counts
    countable.among(labels, CONTRACT.major)                      # only those that count

A case that was superseded takes its labels out of the set as it is now, though not out of the
set as it was; who looks at a revision chooses the cases, and `reason_now` chooses those of today.
"""

from __future__ import annotations

from enum import StrEnum

from django.db.models import Case, CharField, F, Q, Value, When

from grounding.interchange.models import Origin
from labeling.models import LabelQuerySet


class Reason(StrEnum):
    """Why a label does not count; of several the first."""

    SUPERSEDED = "superseded"
    CASE_SUPERSEDED = "case_superseded"
    MODEL = "model"
    REVEALED = "revealed"
    SELECTED = "selected"
    OTHER_CONTRACT = "other_contract"


def reason(contract_major: int) -> Case:
    """Why a label does not count as an answer under ``contract_major``; null where it does."""
    return _first(_superseded(), *_own(contract_major))


def reason_now(contract_major: int) -> Case:
    """`reason`, as far as the set as it is now goes."""
    gone = When(statement__case__superseded_in__isnull=False, then=Value(Reason.CASE_SUPERSEDED))
    return _first(_superseded(), gone, *_own(contract_major))


def among(labels: LabelQuerySet, contract_major: int) -> LabelQuerySet:
    """Those of ``labels`` that count."""
    return labels.alias(excluded=reason(contract_major)).filter(excluded__isnull=True)


def _superseded() -> When:
    return When(superseded_at__isnull=False, then=Value(Reason.SUPERSEDED))


def _own(contract_major: int) -> tuple[When, ...]:
    return (
        # Whatever is not blind is excluded under its origin's name.
        When(~Q(origin=Origin.BLIND.value), then=F("origin")),
        When(selected__isnull=False, then=Value(Reason.SELECTED)),
        When(~Q(contract_major=contract_major), then=Value(Reason.OTHER_CONTRACT)),
    )


def _first(*cases: When) -> Case:
    return Case(*cases, default=Value(None), output_field=CharField())
