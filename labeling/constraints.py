"""The contract as database constraints, written once for every table that stores a verdict."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from django.db.models import BaseConstraint, CheckConstraint, Q

from grounding.contract import VALID_VERDICTS, ClaimClass, Verdict


def choices(vocabulary: type[StrEnum]) -> list[tuple[str, str]]:
    return [(word.value, word.value.replace("_", " ")) for word in vocabulary]


def within(field: str, vocabulary: Iterable[str], *, name: str) -> CheckConstraint:
    """``field`` is null or a word of the vocabulary."""
    words = [str(word) for word in vocabulary]
    return CheckConstraint(
        condition=Q(**{f"{field}__isnull": True}) | Q(**{f"{field}__in": words}), name=name
    )


def contract_holds(*, name: str) -> CheckConstraint:
    """``claim_class`` and ``verdict``, where both are stated, may stand together."""
    condition = Q(claim_class__isnull=True) | Q(verdict__isnull=True)
    for claim_class, verdicts in VALID_VERDICTS.items():
        condition |= Q(claim_class=claim_class.value, verdict__in=[v.value for v in verdicts])
    return CheckConstraint(condition=condition, name=name)


def contract_constraints(prefix: str) -> list[BaseConstraint]:
    return [
        within("claim_class", ClaimClass, name=f"{prefix}_claim_class_known"),
        within("verdict", Verdict, name=f"{prefix}_verdict_known"),
        contract_holds(name=f"{prefix}_contract_holds"),
    ]
