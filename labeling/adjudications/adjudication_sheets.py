"""What the page of a dispute shows: the statement as on the desk, and beside it what each
annotator said, under letters that tell nobody who is who. Reads only.

Neither what judges said nor what the author expects is at hand here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final

from django.contrib.auth.models import User
from django.db.models import QuerySet

from grounding.interchange.models import Evidence
from labeling.adjudications.disputes import Dispute, Vote
from labeling.desk import sheets
from labeling.desk.deskforms import evidence_of
from labeling.desk.sheets import Sheet
from labeling.models import Label, QueueState, Remark, RemarkKind, Slot, Statement
from labeling.queues import order
from labeling.wording.marking import Mark, Piece, pieces

_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True)
class Ballot:
    """One annotator's label, and what they remarked beside it."""

    letter: str
    label: Label
    yours: bool
    remarks: Sequence[Remark]


@dataclass(frozen=True)
class Stretch:
    """A sentence that can be cited, or what stands between two, with what is cited in it."""

    pieces: Sequence[Piece]
    value: str | None
    name: str
    chosen: bool


@dataclass(frozen=True)
class Shown:
    kind: str
    id: str
    stretches: Sequence[Stretch]


@dataclass(frozen=True)
class Quote:
    """Words that someone cited and that are no whole sentence; ``letters`` says who."""

    place: str
    text: str
    value: str
    letters: str
    chosen: bool


@dataclass(frozen=True)
class Bench:
    sheet: Sheet
    ballots: Sequence[Ballot]
    passages: Sequence[Shown]
    sources: Sequence[Shown]
    quotes: Sequence[Quote]
    opens_sources: bool
    """Whether someone rests on a source."""
    skipped: Sequence[Remark]
    """Why others gave no label."""
    awaited: int
    """Places of the statement that may still bring a label."""


def lay_out(
    statement: Statement,
    dispute: Dispute,
    user: User,
    chosen: Collection[Evidence],
    *,
    source: str = "",
) -> Bench:
    """The page of ``dispute`` on ``statement``, with ``chosen`` ticked as evidence."""
    ballots = ballots_of(dispute, user)
    cited = [(ballot.letter, item) for ballot in ballots for item in evidence_of(ballot.label)]
    every = list(dict.fromkeys([*chosen, *(item for _, item in cited)]))
    sheet = sheets.lay_out(statement, every, source=source)
    ticked = {sheets.value_of(item) for item in chosen}
    return Bench(
        sheet=sheet,
        ballots=ballots,
        passages=[_shown(one, cited, ticked) for one in sheet.passages],
        sources=[_shown(one, cited, ticked) for one in sheet.sources],
        quotes=list(_quotes(sheet, cited, ticked)),
        opens_sources=any(item.source_id for item in every),
        skipped=list(_remarks(dispute).filter(kind=RemarkKind.SKIPPED)),
        awaited=Slot.objects.filter(statement=statement)
        .exclude(queue__state=QueueState.CLOSED)
        .exclude(assignment__isnull=False, until__isnull=True)
        .count(),
    )


def lettered(statement_pk: int, votes: Iterable[Vote]) -> dict[int, str]:
    """A letter for each of ``votes``, by the label's primary key; in an order that is drawn for
    each statement, so that a letter is not the same person throughout."""
    drawn = sorted(votes, key=lambda vote: order.draw(vote.annotator, "adjudication", statement_pk))
    return {vote.label: name for vote, name in zip(drawn, _names(), strict=False)}


def _names() -> Iterator[str]:
    """A, B, … Z, A1, B1, …"""
    yield from _LETTERS
    for turn in count(1):
        yield from (f"{letter}{turn}" for letter in _LETTERS)


def ballots_of(dispute: Dispute, user: User) -> list[Ballot]:
    """What each annotator said, in the order of their letters."""
    letters = lettered(dispute.statement, dispute.votes)
    rows = Label.objects.select_related("annotator").in_bulk(list(letters))
    remarks: dict[int, list[Remark]] = {}
    for one in _remarks(dispute).exclude(kind=RemarkKind.SKIPPED):
        remarks.setdefault(one.assignment.annotator_id, []).append(one)
    return [
        Ballot(
            letter=letter,
            label=rows[pk],
            yours=rows[pk].annotator.user_id == user.pk,
            remarks=remarks.get(rows[pk].annotator_id, []),
        )
        for pk, letter in letters.items()
    ]


def _remarks(dispute: Dispute) -> QuerySet[Remark]:
    made = Remark.objects.filter(assignment__statement=dispute.statement, withdrawn_at__isnull=True)
    return made.select_related("assignment").order_by("pk")


def _shown(
    shown: sheets.Shown, cited: Sequence[tuple[str, Evidence]], ticked: Collection[str]
) -> Shown:
    marks = [
        Mark(item.start or 0, item.end or 0, letter)
        for letter, item in cited
        if shown.id == (item.passage_id if shown.kind == "passage" else item.source_id)
    ]
    at, stretches = 0, []
    for one in shown.stretches:
        end = at + len(one.text)
        inside = [
            Mark(max(mark.start, at) - at, min(mark.end, end) - at, mark.note) for mark in marks
        ]
        cut = pieces(one.text, inside)
        stretches.append(Stretch(cut, one.value, one.name, one.value in ticked))
        at = end
    return Shown(shown.kind, shown.id, stretches)


def _quotes(
    sheet: Sheet, cited: Sequence[tuple[str, Evidence]], ticked: Collection[str]
) -> Iterator[Quote]:
    by: dict[str, list[str]] = {}
    for letter, item in cited:
        by.setdefault(sheets.value_of(item), []).append(letter)
    for quote in sheet.quotes:
        letters = ", ".join(dict.fromkeys(by.get(quote.value, ())))
        yield Quote(quote.place, quote.text, quote.value, letters, quote.value in ticked)
