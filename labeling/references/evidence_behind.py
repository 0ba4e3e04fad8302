"""What people cite for a reference: the evidence of the labels that say what it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from grounding.interchange.models import LabelRole
from labeling.columns.cited import Cited, joined
from labeling.columns.numbers import NOTHING, Codes, Flags, places_of
from labeling.models import Case, Expectation, Label
from labeling.references import ADJUDICATED, AUTHOR, TIERS, cited_by_labels, countable
from labeling.references.said import Told


@dataclass(frozen=True)
class Behind:
    """Who says so, why, and what they cite, as stored."""

    who: str
    rationale: str | None
    evidence: Sequence[Mapping[str, Any]]


def of_case(
    case: Case, contract_major: int, references: Mapping[int, tuple[str, str]]
) -> dict[int, list[Behind]]:
    """By statement: ``references`` are tier and verdict of each. A label is behind a reference if
    it counts, is of the role that its tier asks for, and has its verdict, as it stands now."""
    found: dict[int, list[Behind]] = {pk: [] for pk in references}
    authored = [pk for pk, (tier, _) in references.items() if tier == AUTHOR]
    for expected in Expectation.objects.filter(pk__in=authored):
        found[expected.pk].append(Behind("the author", expected.rationale, expected.evidence))
    labels = Label.objects.filter(statement__case=case).select_related("annotator")
    for label in countable.among(labels, contract_major).order_by("pk"):
        if _is_behind(references.get(label.statement_id, _NOBODY), label.role, label.verdict):
            one = Behind(label.annotator.code, label.rationale, label.evidence)
            found[label.statement_id].append(one)
    return found


def of_references(told: Told, places: Codes, tiers: Codes, verdicts: Codes, read: Flags) -> Cited:
    """The evidence of the same people for many statements, each a row: whether they cite any, and
    where ``read`` is set, what. Two queries at most.

    ``places`` are those of the statements at the revision, ``tiers`` in `TIERS` or `NOTHING`,
    ``verdicts`` in the contract's, none of one without a tier.
    """
    # The entry past the last is what `NOTHING` leads to.
    row_of = np.full(len(told.stood) + 1, NOTHING, dtype=np.int64)
    row_of[places] = np.arange(places.size)
    by_author = tiers == TIERS.index(AUTHOR)
    labelled = _labelled(told, row_of[told.place], tiers, verdicts, read)
    return joined(told.stood.authored.moved(row_of, by_author, read), labelled)


def _labelled(told: Told, row: Codes, tiers: Codes, verdicts: Codes, read: Flags) -> Cited:
    """Of the labels that a reference of people rests on; ``row`` is that of each label."""
    labels = told.labels
    behind = (row != NOTHING) & (labels.cites != NOTHING) & (labels.verdict == verdicts[row])
    behind &= labels.role == _ROLE_OF[tiers[row]]
    wanted = np.flatnonzero(behind & read[row])
    cited = cited_by_labels.of(told.set, labels.pk[wanted])
    by_row = cited.spans._replace(row=row[places_of(labels.pk, cited.spans.row)])
    return replace(cited, rows=row[behind], spans=by_row)


_ROLES: Final = tuple(LabelRole)
_NOBODY: Final = ("", "")


def _is_behind(reference: tuple[str, str], role: str, verdict: str) -> bool:
    """Whether a label that counts is one of those that ``reference`` rests on."""
    tier, says = reference
    return tier not in ("", AUTHOR) and role == _role(tier) and verdict == says


def _role(tier: str) -> str:
    return (LabelRole.ADJUDICATION if tier == ADJUDICATED else LabelRole.LABEL).value


_ROLE_OF: Final = np.array(
    [NOTHING if tier == AUTHOR else _ROLES.index(LabelRole(_role(tier))) for tier in TIERS]
)
