"""What people cite for a reference: the evidence of the labels that say what it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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
        tier, verdict = references.get(label.statement_id, (AUTHOR, ""))
        if tier != AUTHOR and label.verdict == verdict and label.role == _role(tier):
            one = Cited(label.annotator.code, label.rationale, label.evidence)
            found[label.statement_id].append(one)
    return found


def _role(tier: str) -> str:
    return (LabelRole.ADJUDICATION if tier == ADJUDICATED else LabelRole.LABEL).value
