"""References: the human answers that judges are measured against, by tier.

The tier of each statement, best first::

    adjudicated   an adjudication decides
    consensus     two or more annotators labelled; more than half of them state one verdict
    single        one annotator labelled
    author        no label; the author's expectation states a verdict
    disputed      two or more labelled and no verdict has more than half: no reference,
                  never the author's
    none          nothing to measure against

Which labels and adjudications count is said in `countable`. An author's
expectation was written under the contract of its day, and counts under that
major version alone.

The verdict of a consensus is stated by more than half of all its labels, and so
is its class; where no class is, the consensus has none. Because both majorities
are of the same labels, at least one label states both, and the contract let
that one through: so the two can never stand against the contract.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from operator import itemgetter
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
from django.db.models import Exists, OuterRef, Q, QuerySet

from grounding.contract import ClaimClass, ClaimType, SpeechAct, Verdict
from grounding.digests import digest
from grounding.errors import BadInput
from grounding.interchange.models import LabelRole
from labeling import countable
from labeling.frozen import Frozen
from labeling.models import (
    CalibrationSet,
    Case,
    CaseQuerySet,
    Expectation,
    Label,
    LabelQuerySet,
    ReferenceSnapshot,
    Statement,
)
from labeling.numbers import NOTHING, code_of, numbers

ADJUDICATED, CONSENSUS, SINGLE, AUTHOR = "adjudicated", "consensus", "single", "author"
DISPUTED, NONE = "disputed", "none"
TIERS: Final = (ADJUDICATED, CONSENSUS, SINGLE, AUTHOR)
"""Best first; the other two outcomes are no reference."""

ValueT = TypeVar("ValueT")

_WORDS: Final[Mapping[str, tuple[StrEnum, ...]]] = {
    "role": tuple(LabelRole),
    "claim_class": tuple(ClaimClass),
    "verdict": tuple(Verdict),
    "claim_type": tuple(ClaimType),
    "speech_act": tuple(SpeechAct),
}
"""What of a label is a word, of which vocabulary."""
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


class Reference(NamedTuple):
    tier: str
    claim_class: str | None
    verdict: str


class Said(NamedTuple):
    """What one countable label says."""

    role: str
    claim_class: str | None
    verdict: str
    at: datetime | None = None
    claim_type: str | None = None
    speech_act: str | None = None
    premises: tuple[str, ...] = ()


class More(NamedTuple):
    """What the labels behind a reference say beside it; a decision on the whole answer needs it.

    Claim type and speech act are None where they state neither: the statement's own stand
    then. ``premises`` are the verdicts of what they split off, in the order of the words.
    """

    claim_type: str | None = None
    speech_act: str | None = None
    premises: tuple[str, ...] = ()

    def stated(self) -> list[Any]:
        """As a snapshot keeps it: what is not stated at its end is left out."""
        row = [self.claim_type, self.speech_act, list(self.premises)]
        while row and not row[-1]:
            row.pop()
        return row


@dataclass(frozen=True)
class Resolved:
    """References by the statement's primary key, those of the minimum tier or better.

    ``tiers`` counts every statement once by the best it has, whatever the minimum:
    so it also tells what a lower minimum would add. ``more`` has those of which labels say
    more than class and verdict.
    """

    references: Mapping[int, Reference]
    more: Mapping[int, More]
    tiers: Mapping[str, int]
    digest: str
    frozen: Frozen = field(compare=False)


def decide(said: Sequence[Said], expected: tuple[str | None, str | None] | None) -> Reference | str:
    """The reference of one statement, or which of `DISPUTED` and `NONE` it is.

    ``expected`` is the author's class and verdict.
    """
    adjudications = [one for one in said if one.role == LabelRole.ADJUDICATION]
    if adjudications:
        return _adjudicated(adjudications)
    labels = [one for one in said if one.role == LabelRole.LABEL]
    if len(labels) > 1:
        return _consensus(labels)
    if labels:
        return Reference(SINGLE, labels[0].claim_class, labels[0].verdict)
    if expected is not None and expected[1] is not None:
        return Reference(AUTHOR, expected[0], expected[1])
    return NONE


def resolve(
    calibration_set: CalibrationSet, revision: int, contract_major: int, minimum: str = AUTHOR
) -> Resolved:
    """The references of the statements that made up the set at ``revision``.

    A constant number of queries; nothing but ids and vocabulary is held.
    """
    taken = at_least(minimum)
    cases = Case.objects.at(revision).filter(set=calibration_set)
    every = [
        (case_id, statement_id, pk, _decided(tuple(said), expected))
        for pk, case_id, statement_id, said, expected in _each(cases, contract_major)
    ]
    counted = Counter(one.tier for *_, one in every)
    kept = sorted((row for row in every if row[3].tier in taken), key=itemgetter(0, 1))
    listed = [[case_id, statement_id, *one.row] for case_id, statement_id, _, one in kept]
    return Resolved(
        references={pk: one.found for *_, pk, one in kept if isinstance(one.found, Reference)},
        more={pk: one.more for *_, pk, one in kept if one.more != More()},
        tiers={tier: counted[tier] for tier in (*TIERS, DISPUTED, NONE)},
        digest=digest([revision, contract_major, minimum, listed]),
        frozen=_frozen({pk: one for *_, pk, one in kept}),
    )


class _Decided(NamedTuple):
    """What `decide` says of one statement, and what `more_of` adds; ``row`` is both as a snapshot
    keeps them."""

    found: Reference | str
    more: More
    tier: str
    row: tuple[Any, ...]


@lru_cache(maxsize=4096)
def _decided(said: tuple[Said, ...], expected: tuple[str | None, str | None] | None) -> _Decided:
    """Statements are many, and what is said of them is mostly alike."""
    found, more = decide(said, expected), more_of(said) if said else More()
    row = (*found, *more.stated()) if isinstance(found, Reference) else ()
    return _Decided(found, more, tier_of(found), row)


def _frozen(decided: Mapping[int, _Decided]) -> Frozen:
    known: dict[tuple[Reference | str, More], int] = {}
    places = [known.setdefault((one.found, one.more), len(known)) for one in decided.values()]
    statements = np.array(list(decided), dtype=np.int64)
    order = np.argsort(statements)
    answers = [[*found, *more.stated()] for found, more in known]
    return Frozen(statements[order], np.array(places, dtype=np.int64)[order], answers)


def each(
    cases: CaseQuerySet, contract_major: int
) -> Iterator[tuple[int, str, str, Reference | str]]:
    """What `decide` says of every statement of ``cases``: its primary key, its case's id, its
    own, and the answer."""
    for pk, case_id, statement_id, said, expected in _each(cases, contract_major):
        yield pk, case_id, statement_id, decide(said, expected)


def _each(
    cases: CaseQuerySet, contract_major: int
) -> Iterator[tuple[int, str, str, Sequence[Said], tuple[str | None, str | None] | None]]:
    """What `decide` is to be asked of every statement.

    Three queries, whatever their number; ``cases`` stays a sub-query in each of them.
    """
    chosen = cases.order_by().values("pk")
    said = _said(Label.objects.filter(statement__case__in=chosen), contract_major)
    expected = _expected(chosen, contract_major)
    rows = Statement.objects.filter(case__in=chosen).order_by()
    for pk, case_id, statement_id in rows.values_list("pk", "case__case_id", "statement_id"):
        yield pk, case_id, statement_id, said.get(pk, ()), expected.get(pk)


def more_of(said: Sequence[Said]) -> More:
    """What labels say beside the reference that `decide` takes from them, each part by its own
    majority: of the latest adjudications where there are any, else of the labels."""
    adjudications = [one for one in said if one.role == LabelRole.ADJUDICATION]
    behind = _latest(adjudications) or [one for one in said if one.role == LabelRole.LABEL]
    if not behind:
        return More()
    return More(
        _majority([one.claim_type for one in behind]),
        _majority([one.speech_act for one in behind]),
        _majority([one.premises for one in behind]) or (),
    )


def at_least(minimum: str) -> frozenset[str]:
    """The tiers from the minimum up; BadInput for what is none."""
    if minimum not in TIERS:
        raise BadInput(f"a reference tier is one of {', '.join(TIERS)}", field="reference")
    return frozenset(TIERS[: TIERS.index(minimum) + 1])


def tier_of(found: Reference | str) -> str:
    """The tier of what `decide` says: a reference's, or the word that is in place of one."""
    return found if isinstance(found, str) else found.tier


def of_statements(
    statements: Sequence[Statement], contract_major: int
) -> dict[int, Reference | str]:
    """What `decide` says of a few statements, each given with its expectation."""
    said = _said(Label.objects.filter(statement__in=statements), contract_major)
    return {
        one.pk: decide(said.get(one.pk, ()), _expectation(one, contract_major))
        for one in statements
    }


def _expectation(statement: Statement, contract_major: int) -> tuple[str | None, str | None] | None:
    found: Expectation | None = getattr(statement, "expectation", None)
    if found is None or found.contract_major != contract_major:
        return None
    return found.claim_class, found.verdict


def snapshot(
    calibration_set: CalibrationSet, revision: int, contract_major: int, minimum: str = AUTHOR
) -> ReferenceSnapshot:
    """`resolve`, frozen under its digest; an equal one that is there already is used again."""
    found = resolve(calibration_set, revision, contract_major, minimum)
    frozen, _ = ReferenceSnapshot.objects.get_or_create(
        set=calibration_set,
        revision=revision,
        contract_major=contract_major,
        minimum=minimum,
        digest=found.digest,
        defaults={
            "answers": found.frozen.answers,
            "statements": found.frozen.packed(),
            "tiers": found.tiers,
        },
    )
    return frozen


def _adjudicated(adjudications: Sequence[Said]) -> Reference | str:
    """The latest decides; several of one time that differ decide nothing."""
    last = {(one.claim_class, one.verdict) for one in _latest(adjudications)}
    if len(last) > 1:
        return DISPUTED
    claim_class, verdict = last.pop()
    return Reference(ADJUDICATED, claim_class, verdict)


def _latest(adjudications: Sequence[Said]) -> list[Said]:
    latest = max((one.at or _LONG_AGO for one in adjudications), default=_LONG_AGO)
    return [one for one in adjudications if (one.at or _LONG_AGO) == latest]


def _consensus(labels: Sequence[Said]) -> Reference | str:
    verdict = _majority([one.verdict for one in labels])
    if verdict is None:
        return DISPUTED
    return Reference(CONSENSUS, _majority([one.claim_class for one in labels]), verdict)


def _majority(values: Sequence[ValueT]) -> ValueT | None:
    """What more than half of ``values`` are; None where that is nothing, or is None itself."""
    value, count = Counter(values).most_common(1)[0]
    return value if 2 * count > len(values) else None


def _said(labels: LabelQuerySet, contract_major: int) -> dict[int, list[Said]]:
    """What the countable ones among ``labels`` say, by statement."""
    counted = countable.among(labels, contract_major)
    codes = (code_of(name, words) for name, words in _WORDS.items())
    statements, labels_, *columns = numbers(counted, "statement_id", "pk", *codes)
    kinds, kind = np.unique(np.column_stack(columns), axis=0, return_inverse=True)
    plain = [_plain(row) for row in kinds.tolist()]
    apart = _apart(counted)
    said: dict[int, list[Said]] = {}
    for pk, label, one in zip(
        statements.tolist(), labels_.tolist(), kind.reshape(-1).tolist(), strict=True
    ):
        more = apart.get(label)
        said.setdefault(pk, []).append(plain[one]._replace(**more) if more else plain[one])
    return said


def _plain(codes: Sequence[int]) -> Said:
    """What a label says in words alone."""
    words = [
        None if code == NOTHING else vocabulary[code].value
        for vocabulary, code in zip(_WORDS.values(), codes, strict=True)
    ]
    role, claim_class, verdict, claim_type, speech_act = words
    return Said(str(role), claim_class, str(verdict), None, claim_type, speech_act)


def _apart(labels: LabelQuerySet) -> dict[int, dict[str, Any]]:
    """Of the few labels that say more than words: the verdicts of what they split off, and when
    they were made where one of several adjudications is the latest."""
    others = Label.objects.filter(statement=OuterRef("statement"), role=LabelRole.ADJUDICATION)
    several = Q(role=LabelRole.ADJUDICATION) & Q(Exists(others.exclude(pk=OuterRef("pk"))))
    rows = labels.filter(~Q(premises=[]) | several).order_by()
    return {
        pk: {
            "at": at,
            "premises": tuple(sorted(one["verdict"] for one in premises if one.get("verdict"))),
        }
        for pk, at, premises in rows.values_list("pk", "labeled_at", "premises")
    }


def _expected(
    cases: QuerySet[Case, Any], contract_major: int
) -> dict[int, tuple[str | None, str | None]]:
    rows = Expectation.objects.filter(
        statement__case__in=cases,
        verdict__isnull=False,
        contract_major=contract_major,
    )
    classes, verdicts = _WORDS["claim_class"], _WORDS["verdict"]
    columns = numbers(rows, "pk", code_of("claim_class", classes), code_of("verdict", verdicts))
    answers = {
        (a, b): (None if a == NOTHING else classes[a].value, verdicts[b].value)
        for a in (NOTHING, *range(len(classes)))
        for b in range(len(verdicts))
    }
    each = zip(*(column.tolist() for column in columns), strict=True)
    return {pk: answers[claim_class, verdict] for pk, claim_class, verdict in each}
