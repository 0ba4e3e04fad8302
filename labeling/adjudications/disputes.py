"""Where annotators part company, and whether that is settled. Reads only.

The votes on a statement are its labels that count (`countable`). It is

- ``open``      where they disagree in class, verdict or splits and no decision stands,
- ``decided``   where a decision stands over exactly these votes,
- ``reopened``  where a decision stands over others: one was added, replaced or taken back,
- ``agreed``    otherwise.

That is derived whenever it is asked for and stored nowhere. A class that a label does not state
disagrees with none.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from itertools import combinations
from typing import Any, Final, NamedTuple

from grounding.contract import CONTRACT
from grounding.interchange.models import LabelRole, Origin
from labeling.models import CalibrationSet, Label, LabelQuerySet, Statement
from labeling.references import countable

MAJORITY: Final = 3
"""So many labels at least make one dissent against a majority."""

_LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)

Split = frozenset[tuple[Any, str | None, str | None]]


class State(StrEnum):
    OPEN = "open"
    REOPENED = "reopened"
    DECIDED = "decided"
    AGREED = "agreed"


class Vote(NamedTuple):
    """What one label says that counts."""

    label: int
    annotator: int
    claim_class: str | None
    verdict: str
    split: Split
    queue: int | None


class Decision(NamedTuple):
    """The adjudication that stands; ``over`` is None where nothing says over which labels."""

    label: int
    claim_class: str | None
    verdict: str
    origin: str
    at: datetime | None
    over: list[int] | None
    by_party: bool | None


@dataclass(frozen=True)
class Dispute:
    """A statement, by primary key, with its votes in the order in which they were made."""

    statement: int
    votes: Sequence[Vote]
    decision: Decision | None

    @property
    def over(self) -> list[int]:
        """The labels that a decision made now is made over."""
        return sorted(vote.label for vote in self.votes)

    @property
    def state(self) -> State:
        if self.decision is not None:
            return State.DECIDED if self.decision.over == self.over else State.REOPENED
        return State.OPEN if disagree(self.votes) else State.AGREED


class Agreement(NamedTuple):
    """Of ``pairs`` of votes on the same statement, how many agree."""

    agreeing: int
    pairs: int


def of_set(calibration_set: CalibrationSet) -> list[Dispute]:
    """Every live statement that has a vote or a decision, in the set's order; one query."""
    return _disputes(
        Label.objects.filter(
            statement__case__set=calibration_set, statement__case__superseded_in__isnull=True
        )
    )


def of_statements(statements: Collection[Statement]) -> dict[int, Dispute]:
    """A few statements, by primary key."""
    found = {
        one.statement: one for one in _disputes(Label.objects.filter(statement__in=statements))
    }
    return {one.pk: found.get(one.pk) or Dispute(one.pk, (), None) for one in statements}


def of_statement(statement: Statement) -> Dispute:
    return of_statements([statement])[statement.pk]


def agree(one: Vote, other: Vote) -> bool:
    classes = {one.claim_class, other.claim_class} - {None}
    return one.verdict == other.verdict and len(classes) < 2 and one.split == other.split


def disagree(votes: Iterable[Vote]) -> bool:
    return not all(agree(one, other) for one, other in combinations(votes, 2))


def patterns(votes: Sequence[Vote]) -> list[str]:
    """In what the votes differ: ``verdict:supported+unsupported``, ``class:…``, ``splits``."""
    verdicts = {vote.verdict for vote in votes}
    classes = {vote.claim_class for vote in votes if vote.claim_class is not None}
    found = [
        f"{name}:{'+'.join(sorted(said))}"
        for name, said in (("verdict", verdicts), ("class", classes))
        if len(said) > 1
    ]
    return [*found, *(["splits"] if len({vote.split for vote in votes}) > 1 else [])]


def dissent(votes: Sequence[Vote]) -> Vote | None:
    """The only vote against all others, which agree; None where there is no such one."""
    if len(votes) < MAJORITY or not disagree(votes):
        return None
    alone = [one for one in votes if not disagree(vote for vote in votes if vote is not one)]
    return alone[0] if len(alone) == 1 else None


def leading(votes: Sequence[Vote]) -> Vote | None:
    """The vote that speaks for a majority with one dissent: its first that states a class."""
    against = dissent(votes)
    if against is None:
        return None
    majority = [vote for vote in votes if vote is not against]
    return min(majority, key=lambda vote: (vote.claim_class is None, vote.label))


def agreement(disputes: Iterable[Dispute]) -> Agreement:
    pairs = [pair for one in disputes for pair in combinations(one.votes, 2)]
    return Agreement(sum(agree(*pair) for pair in pairs), len(pairs))


# ---- From rows

_COLUMNS: Final = (
    "pk",
    "statement_id",
    "annotator_id",
    "role",
    "claim_class",
    "verdict",
    "premises",
    "queue_id",
    "origin",
    "labeled_at",
    "adjudication__over",
    "adjudication__by_party",
    "excluded",
)


def _disputes(labels: LabelQuerySet) -> list[Dispute]:
    rows = (
        labels.live()
        .filter(contract_major=CONTRACT.major)
        .annotate(excluded=countable.reason(CONTRACT.major))
        .order_by("statement__case__position", "statement__position", "statement_id", "pk")
        .values(*_COLUMNS)
    )
    grouped: dict[int, list[dict[str, Any]]] = {}
    for row in rows.iterator(chunk_size=10_000):
        grouped.setdefault(row["statement_id"], []).append(row)
    found = (_dispute(statement, rows) for statement, rows in grouped.items())
    return [one for one in found if one.votes or one.decision]


def _dispute(statement: int, rows: Iterable[Mapping[str, Any]]) -> Dispute:
    votes, decisions = [], []
    for row in rows:
        if row["role"] == LabelRole.ADJUDICATION:
            if row["origin"] != Origin.MODEL:
                decisions.append(_decision(row))
        elif row["excluded"] is None:
            votes.append(_vote(row))
    return Dispute(statement, tuple(votes), max(decisions, key=_later, default=None))


def _vote(row: Mapping[str, Any]) -> Vote:
    return Vote(
        label=row["pk"],
        annotator=row["annotator_id"],
        claim_class=row["claim_class"],
        verdict=row["verdict"],
        split=frozenset(map(_part, row["premises"])),
        queue=row["queue_id"],
    )


def _part(premise: Mapping[str, Any]) -> tuple[Any, str | None, str | None]:
    """Parts that are cut from the answer are known by their place, others by their text."""
    span = premise.get("span")
    place = tuple(span) if span else premise["text"].strip().casefold()
    return place, premise.get("claim_class"), premise.get("verdict")


def _decision(row: Mapping[str, Any]) -> Decision:
    return Decision(
        label=row["pk"],
        claim_class=row["claim_class"],
        verdict=row["verdict"],
        origin=row["origin"],
        at=row["labeled_at"],
        over=row["adjudication__over"],
        by_party=row["adjudication__by_party"],
    )


def _later(one: Decision) -> tuple[bool, datetime, int]:
    """Of several that an import brought, the one that references go by."""
    return one.origin == Origin.BLIND, one.at or _LONG_AGO, one.label
