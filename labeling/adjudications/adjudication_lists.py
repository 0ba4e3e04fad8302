"""Disputes of a set as lists: counted, filtered, cut into pages. Reads only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from labeling.adjudications import disputes
from labeling.adjudications.adjudication_sheets import lettered
from labeling.adjudications.disputes import Agreement, Dispute, State, Vote
from labeling.models import CalibrationSet, Label, Queue, Statement
from labeling.web.parameters import ANY
from labeling.wording.vocabulary import words

TABS: Final = (State.OPEN, State.REOPENED, State.DECIDED)

FILTERS: Mapping[str, Sequence[str] | None] = {
    "state": [state.value for state in TABS],
    "queue": ANY,
    "pattern": ANY,
}


@dataclass(frozen=True)
class Pattern:
    """In what votes differ, and in how many disputes of the list."""

    value: str
    title: str
    count: int


@dataclass(frozen=True)
class Row:
    statement: Statement
    dispute: Dispute
    tally: Sequence[tuple[str | None, str, int]]
    """Class, verdict, and how many annotators say so, the most first."""
    splits: int
    """How many annotators split the statement."""


@dataclass(frozen=True)
class Listing:
    """All of a set's disputes, read once."""

    set: CalibrationSet
    filters: Mapping[str, str]
    found: Sequence[Dispute]

    @property
    def state(self) -> State:
        return State(self.filters.get("state", State.OPEN))

    @cached_property
    def tabs(self) -> Sequence[tuple[State, int]]:
        counts = Counter(one.state for one in self._inside())
        return [(state, counts[state]) for state in TABS]

    @cached_property
    def listed(self) -> Sequence[Dispute]:
        return [one for one in self._inside() if one.state == self.state]

    @cached_property
    def easy(self) -> int:
        """How many open ones are a majority with one dissent."""
        return len(easy(self.found))

    @property
    def agreement(self) -> Agreement:
        return disputes.agreement(self.found)

    @cached_property
    def queues(self) -> Sequence[Queue]:
        """Those that a vote was given in."""
        votes = (vote for one in self.found for vote in one.votes)
        used = {vote.queue for vote in votes if vote.queue is not None}
        return list(Queue.objects.filter(set=self.set, pk__in=used))

    @cached_property
    def patterns(self) -> Sequence[Pattern]:
        counts = Counter(
            pattern
            for one in self.found
            if one.state == self.state
            for pattern in disputes.patterns(one.votes)
        )
        return [Pattern(value, _titled(value), count) for value, count in counts.most_common()]

    def _inside(self) -> list[Dispute]:
        """Those that pass the filters by queue and by pattern."""
        queue, pattern = self.filters.get("queue"), self.filters.get("pattern")
        return [
            one
            for one in self.found
            if (queue is None or queue in {str(vote.queue) for vote in one.votes})
            and (pattern is None or pattern in disputes.patterns(one.votes))
        ]


def read(calibration_set: CalibrationSet, filters: Mapping[str, str]) -> Listing:
    return Listing(calibration_set, filters, disputes.of_set(calibration_set))


def open_in(calibration_set: CalibrationSet) -> int:
    """How many disputes wait for a decision, a first one or another."""
    waiting = {State.OPEN, State.REOPENED}
    return sum(one.state in waiting for one in disputes.of_set(calibration_set))


def following(listing: Listing, statement: Statement) -> Statement | None:
    """The next one of the list after ``statement``, from the beginning again at its end."""
    waiting = [one.statement for one in listing.listed if one.statement != statement.pk]
    if listing.state is State.DECIDED or not waiting:
        return None
    everything = [one.statement for one in listing.found]
    at = everything.index(statement.pk) if statement.pk in everything else 0
    later = set(everything[at:])
    following = next((pk for pk in waiting if pk in later), waiting[0])
    return Statement.objects.get(pk=following)


def rows(listed: Iterable[Dispute]) -> list[Row]:
    found = list(listed)
    statements = Statement.objects.select_related("case").in_bulk([one.statement for one in found])
    return [
        Row(
            statement=statements[one.statement],
            dispute=one,
            tally=_tally(one.votes),
            splits=sum(bool(vote.split) for vote in one.votes),
        )
        for one in found
    ]


@dataclass(frozen=True)
class EasyRow:
    """A majority with one dissent: what would be decided, and what speaks against it."""

    statement: Statement
    dispute: Dispute
    leading: Label
    against: Label
    letters: Mapping[int, str]
    majority: int

    @property
    def value(self) -> str:
        """The statement and the labels that are shown, as a form sends them."""
        return f"{self.statement.key}:{','.join(map(str, self.dispute.over))}"

    @property
    def against_letter(self) -> str:
        return self.letters[self.against.pk]


def easy(found: Iterable[Dispute]) -> list[Dispute]:
    """Of ``found`` the open ones that are a majority with one dissent."""
    return [one for one in found if one.state is State.OPEN and disputes.dissent(one.votes)]


def easy_rows(listed: Iterable[Dispute]) -> list[EasyRow]:
    found = [(one, disputes.leading(one.votes), disputes.dissent(one.votes)) for one in listed]
    pairs = [(one, lead, against) for one, lead, against in found if lead and against]
    labels = Label.objects.in_bulk([vote.label for _, *both in pairs for vote in both])
    statements = Statement.objects.in_bulk([one.statement for one, *_ in pairs])
    return [
        EasyRow(
            statement=statements[one.statement],
            dispute=one,
            leading=labels[lead.label],
            against=labels[against.label],
            letters=lettered(one.statement, one.votes),
            majority=len(one.votes) - 1,
        )
        for one, lead, against in pairs
    ]


def _tally(votes: Iterable[Vote]) -> list[tuple[str | None, str, int]]:
    counts = Counter((vote.claim_class, vote.verdict) for vote in votes)
    return [(claim_class, verdict, n) for (claim_class, verdict), n in counts.most_common()]


def _titled(pattern: str) -> str:
    """``verdict:supported+unsupported`` → verdict: supported, unsupported."""
    name, _, said = pattern.partition(":")
    return f"{name}: {', '.join(map(words, said.split('+')))}" if said else name
