"""What people cite for a reference: the evidence of the labels that say what it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, Final

import numpy as np
from django.db.models import TextField
from django.db.models.functions import Cast

from grounding.contract import Verdict
from grounding.interchange.models import LabelRole
from labeling import countable
from labeling.models import Case, Expectation, Label, LabelQuerySet
from labeling.numbers import NOTHING, Codes, code_of, documents, listed
from labeling.references import ADJUDICATED, AUTHOR, TIERS


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


def of_references(
    labels: LabelQuerySet, contract_major: int, statements: Codes, tiers: Codes, verdicts: Codes
) -> tuple[Codes, list[str]]:
    """The evidence of the same people for many statements: the statement of each who cites any,
    and what, as the JSON text that is stored, since most of it need not be read. At most two
    queries, and none of what no reference rests on.

    ``labels`` are all that may be behind them, ``tiers`` places in `TIERS`, ``verdicts`` in the
    contract's, one of each a statement.
    """
    by_author = tiers == TIERS.index(AUTHOR)
    of: list[int] = []
    told: list[str] = []
    if by_author.any():
        keys = listed(statements[by_author].tolist())
        authored = Expectation.objects.filter(pk__in=keys).exclude(evidence=[])
        of, told = documents(authored, "pk", _TOLD)
    if not by_author.all():
        found = _labelled(labels, contract_major, statements, tiers, verdicts)
        of, told = of + found[0], told + found[1]
    return np.array(of, dtype=np.int64), told


def _labelled(
    labels: LabelQuerySet, contract_major: int, statements: Codes, tiers: Codes, verdicts: Codes
) -> tuple[list[int], list[str]]:
    counted = countable.among(labels, contract_major).exclude(evidence=[])
    columns = ("statement_id", code_of("role", _ROLES), code_of("verdict", _VERDICTS), _TOLD)
    *codes, told = documents(counted, *columns)
    of, role, verdict = (np.array(each, dtype=np.int64) for each in codes)
    order = np.argsort(statements)
    at = order[np.searchsorted(statements, of, sorter=order) % max(1, order.size)]
    behind = (statements[at] == of) & (role == _ROLE_OF[tiers[at]]) & (verdict == verdicts[at])
    return of[behind].tolist(), list(compress(told, behind.tolist()))


_TOLD: Final = Cast("evidence", TextField())
_ROLES: Final = tuple(LabelRole)
_VERDICTS: Final = tuple(Verdict)
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
