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

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from itertools import compress
from operator import add
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from grounding.digests import canonical_json, digest_written
from grounding.errors import BadInput
from grounding.interchange.models import LabelRole
from labeling.columns.frozen import Frozen
from labeling.columns.numbers import NOTHING, Codes, Flags
from labeling.models import (
    CalibrationSet,
    Expectation,
    Label,
    ReferenceSnapshot,
    Statement,
)
from labeling.references.said import Expected, Said, Told, by_statement, told_of
from labeling.references.stood import Stood

ADJUDICATED, CONSENSUS, SINGLE, AUTHOR = "adjudicated", "consensus", "single", "author"
DISPUTED, NONE = "disputed", "none"
TIERS: Final = (ADJUDICATED, CONSENSUS, SINGLE, AUTHOR)
"""Best first; the other two outcomes are no reference."""

ValueT = TypeVar("ValueT")

_LONG_AGO = datetime.min.replace(tzinfo=UTC)


class Reference(NamedTuple):
    tier: str
    claim_class: str | None
    verdict: str


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
    """The references of the minimum tier or better.

    ``tiers`` counts every statement once by the best it has, whatever the minimum:
    so it also tells what a lower minimum would add.
    """

    frozen: Frozen = field(compare=False)
    tiers: Mapping[str, int]
    digest: str

    @cached_property
    def references(self) -> Mapping[int, Reference]:
        """By the statement's primary key."""
        answers = [Reference(*answer[:3]) for answer in self.frozen.answers]
        each = zip(self.frozen.statements.tolist(), self.frozen.places.tolist(), strict=True)
        return {pk: answers[place] for pk, place in each}


def decide(said: Sequence[Said], expected: Expected | None) -> Reference | str:
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
    return resolved(told_of(calibration_set, revision, contract_major), minimum)


def resolved(told: Told, minimum: str = AUTHOR) -> Resolved:
    """`resolve` of what was read already."""
    taken, opinions = at_least(minimum), told.opinions
    decided = [_decided(*opinion) for opinion in opinions.alike]
    every = np.bincount(opinions.which, minlength=len(decided)).tolist()
    tiers = dict.fromkeys((*TIERS, DISPUTED, NONE), 0)
    for one, count in zip(decided, every, strict=True):
        tiers[one.tier] += count
    kept = np.array([one.tier in taken for one in decided], dtype=np.bool_)
    head = canonical_json([told.revision, told.contract_major, minimum])[:-1]
    listed = _listed(told.stood, opinions.which, decided, kept)
    rows = kept[opinions.which]
    frozen = _frozen(told.stood.statements[rows], opinions.which[rows], decided)
    return Resolved(frozen, tiers, digest_written(f"{head},[{listed}]]"))


class _Decided(NamedTuple):
    """What `decide` says, and what `more_of` adds, as a snapshot keeps it."""

    tier: str
    row: Sequence[Any]


def _decided(said: Sequence[Said], expected: Expected | None) -> _Decided:
    found = decide(said, expected)
    if not isinstance(found, Reference):
        return _Decided(found, ())
    return _Decided(found.tier, [*found, *(more_of(said) if said else More()).stated()])


def _listed(stood: Stood, which: Codes, decided: Sequence[_Decided], kept: Flags) -> str:
    """Case, statement and answer of each, in canonical JSON, by their ids: one answer is written
    once, since they are few and statements are many."""
    answers = [f",{canonical_json(one.row)[1:]}" for one in decided]
    places, lines = stood.named
    named = which[places]
    chosen = kept[named].tolist()
    said = map(answers.__getitem__, compress(named.tolist(), chosen))
    rows = map("[".__add__, map(add, compress(lines, chosen), said))
    return ",".join(rows)


def _frozen(statements: Codes, which: Codes, decided: Sequence[_Decided]) -> Frozen:
    written = [canonical_json(one.row) for one in decided]
    # In the order in which they come, so that equal references are equal bytes.
    order = np.argsort(statements)
    _, first = np.unique(which[order], return_index=True)
    used = which[order][np.sort(first)].tolist()
    known = {text: place for place, text in enumerate(dict.fromkeys(written[one] for one in used))}
    place_of = np.array([known.get(text, NOTHING) for text in written], dtype=np.int64)
    answers = [json.loads(text) for text in known]
    return Frozen(statements[order], place_of[which[order]], answers)


def each(
    calibration_set: CalibrationSet, contract_major: int
) -> Iterator[tuple[int, str, str, Reference | str]]:
    """What `decide` says of every live statement: its primary key, its case's id, its own, and
    the answer; in the set's order."""
    told = told_of(calibration_set, calibration_set.revision, contract_major)
    found = [decide(*opinion) for opinion in told.opinions.alike]
    rows = zip(told.stood.statements.tolist(), told.stood.ids(), strict=True)
    for (pk, ids), place in zip(rows, told.opinions.which.tolist(), strict=True):
        yield pk, *ids, found[place]


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
    labels = Label.objects.filter(statement__in=statements)
    stated = by_statement(labels, contract_major)
    return {
        one.pk: decide(stated.get(one.pk, ()), _expectation(one, contract_major))
        for one in statements
    }


def _expectation(statement: Statement, contract_major: int) -> Expected | None:
    found: Expectation | None = getattr(statement, "expectation", None)
    if found is None or found.contract_major != contract_major:
        return None
    return found.claim_class, found.verdict


def snapshot(told: Told, minimum: str = AUTHOR) -> ReferenceSnapshot:
    """`resolved`, frozen under its digest; an equal one that is there already is used again."""
    found = resolved(told, minimum)
    frozen, _ = ReferenceSnapshot.objects.get_or_create(
        set=told.set,
        revision=told.revision,
        contract_major=told.contract_major,
        minimum=minimum,
        digest=found.digest,
        defaults={
            "answers": found.frozen.answers,
            "statements": found.frozen.packed,
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
