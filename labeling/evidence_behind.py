"""What people cite for a reference: the evidence of the labels that say what it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast

from grounding.interchange.models import LabelRole
from labeling import countable
from labeling.models import Case, Expectation, Label
from labeling.references import ADJUDICATED, AUTHOR


@dataclass(frozen=True)
class Cited:
    """Who says so, why, and what they cite, as stored."""

    who: str
    rationale: str | None
    evidence: Sequence[Mapping[str, Any]]


def of_case(
    case: Case, contract_major: int, references: Mapping[int, tuple[str, str]]
) -> dict[int, list[Cited]]:
    """By statement: ``references`` are tier and verdict of each. A label is behind a reference if
    it counts, is of the role that its tier asks for, and has its verdict, as it stands now."""
    found: dict[int, list[Cited]] = {pk: [] for pk in references}
    authored = [pk for pk, (tier, _) in references.items() if tier == AUTHOR]
    for expected in Expectation.objects.filter(pk__in=authored):
        found[expected.pk].append(Cited("the author", expected.rationale, expected.evidence))
    labels = Label.objects.filter(statement__case=case).select_related("annotator")
    for label in countable.among(labels, contract_major).order_by("pk"):
        if _is_behind(references.get(label.statement_id, _NOBODY), label.role, label.verdict):
            one = Cited(label.annotator.code, label.rationale, label.evidence)
            found[label.statement_id].append(one)
    return found


def of_cases(
    cases: QuerySet[Case, Any],
    contract_major: int,
    references: Mapping[int, tuple[str, str]],
) -> dict[int, list[str]]:
    """The evidence of the same people, for many cases: by statement, of those who cite any, as the
    JSON text that is stored, since most of it need not be read. At most two queries, and none of
    what no reference rests on."""
    tiers = {tier for tier, _ in references.values()}
    found: dict[int, list[str]] = {}
    if AUTHOR in tiers:
        expected = Expectation.objects.filter(statement__case__in=cases).exclude(evidence=[])
        for pk, told in expected.values_list("pk", _TOLD).iterator(chunk_size=_AT_ONCE):
            if references.get(pk, _NOBODY)[0] == AUTHOR:
                found[pk] = [told]
    if tiers - {AUTHOR}:
        labels = Label.objects.filter(statement__case__in=cases).exclude(evidence=[])
        rows = countable.among(labels, contract_major).order_by("pk")
        for pk, role, verdict, told in rows.values_list(
            "statement_id", "role", "verdict", _TOLD
        ).iterator(chunk_size=_AT_ONCE):
            if _is_behind(references.get(pk, _NOBODY), role, verdict):
                found.setdefault(pk, []).append(told)
    return found


_AT_ONCE: Final = 10_000
_TOLD: Final = Cast("evidence", TextField())
_NOBODY: Final = ("", "")


def _is_behind(reference: tuple[str, str], role: str, verdict: str) -> bool:
    """Whether a label that counts is one of those that ``reference`` rests on."""
    tier, says = reference
    return tier not in ("", AUTHOR) and role == _role(tier) and verdict == says


def _role(tier: str) -> str:
    return (LabelRole.ADJUDICATION if tier == ADJUDICATED else LabelRole.LABEL).value
