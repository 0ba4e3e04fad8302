"""How often the figures of held-out statements could be looked at. Derived whenever it is asked
for; nothing keeps a count.

A statement is held out where its case has the tag `HOLDOUT`. A *look* is a run that measures, in
one of its finished rounds, in which the statement was graded: from then on what was said of it
stands on the pages that compare, that show all versions and that gate, report or no report, and
can move what people do next. No reference is asked for: the verdicts over time need none, and
whatever needs one counts the statement from the day that a label answers it. A probe measures
nothing, and a cancelled run had only the rounds before. Who opened which page is not recorded
(`labeling.models.Exposure` keeps the first time alone), so a look that nobody took counts as
well. A case that came again with the same content keeps the looks that its older revisions had,
whatever tags these carried.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final, NamedTuple

from django.db import models
from django.db.models import F, Q, QuerySet, Value, When

from calibration.models import ENDED, MEASURES, Judgment, Report, Run
from grounding.interchange.models import Outcome
from labeling.cases.caselists import HoldsTag
from labeling.models import CalibrationSet, Case, Statement
from labeling.references import stood

HOLDOUT: Final = "holdout"
"""The tag of a case that is held out."""

MOST: Final = 3
"""Versions that may look before there is a warning. The best of four judges that are equally good
is expected to look 1.03 standard errors better than it is, by the choice alone (the mean of the
largest of four normal deviates): from there on the choice weighs as much as the noise of one
measurement."""


NEVER: Final = "never"
OVER: Final = f"over-{MOST}"
LOOKED: Final = (NEVER, OVER)
"""What a list of held-out statements is narrowed by: no look, or too many versions."""


class Look(NamedTuple):
    """A finished round of a run in which a statement was graded."""

    run: int
    round: int
    version: str


@dataclass(frozen=True)
class HeldOut:
    """A live statement of a case that is held out, with the looks at it, older runs first.

    ``same`` are the primary keys under which it stood in the set's revisions.
    """

    statement: int
    same: frozenset[int]
    looks: Sequence[Look]

    @property
    def versions(self) -> list[str]:
        return list(dict.fromkeys(look.version for look in self.looks))

    @property
    def worn(self) -> bool:
        """Looked at by so many versions that the choice among them shows."""
        return len(self.versions) > MOST

    def is_(self, looked: str) -> bool:
        """Whether it is what a word of `LOOKED` asks for."""
        return not self.looks if looked == NEVER else self.worn


@dataclass(frozen=True)
class HeldOutRow:
    held: HeldOut
    statement: Statement


@dataclass(frozen=True)
class LookRow:
    """``latest`` where no round of the run came after; the reports are those of the round."""

    run: Run
    round: int
    latest: bool
    reports: Sequence[Report]


class LookList:
    """Looks as a paginator wants them, with their runs and the reports that were made of them."""

    def __init__(self, looks: Sequence[Look]) -> None:
        self._looks = looks

    def count(self) -> int:
        return len(self._looks)

    def __getitem__(self, part: slice) -> list[LookRow]:
        shown = self._looks[part]
        rows = Run.objects.filter(pk__in={look.run for look in shown})
        runs = rows.select_related("rubric_version").defer("rubric_version__definition").in_bulk()
        made = _reports(runs)
        return [
            LookRow(
                runs[look.run],
                look.round,
                look.round == runs[look.run].round,
                made.get((look.run, look.round), ()),
            )
            for look in shown
        ]


def _reports(runs: Iterable[int]) -> dict[tuple[int, int], list[Report]]:
    """By run and round."""
    found: dict[tuple[int, int], list[Report]] = {}
    for report in Report.objects.filter(run__in=runs).only("run_id", "round").order_by("pk"):
        found.setdefault((report.run_id, report.round), []).append(report)
    return found


class HeldOutList:
    """Held-out statements as a paginator wants them."""

    def __init__(self, found: Sequence[HeldOut], looked: str | None) -> None:
        self._found = [one for one in found if looked is None or one.is_(looked)]

    def count(self) -> int:
        return len(self._found)

    def __getitem__(self, part: slice) -> list[HeldOutRow]:
        shown = self._found[part]
        named = texts(shown)
        return [HeldOutRow(one, named[one.statement]) for one in shown]


def texts(held: Sequence[HeldOut]) -> dict[int, Statement]:
    """With the case's id, without its long texts."""
    rows = Statement.objects.filter(pk__in=[one.statement for one in held]).select_related("case")
    found = rows.only("statement_id", "text", "case__case_id", "case__position")
    return {one.pk: one for one in found}


def held_out(calibration_set: CalibrationSet) -> list[HeldOut]:
    """In the set's order. Four queries, and none beyond the first where nothing is held out."""
    same = _same(calibration_set)
    if not same:
        return []
    live_of = {pk: live for live, pks in same.items() for pk in pks}
    looks: dict[int, list[Look]] = {live: [] for live in same}
    for pk, look in _looks(calibration_set):
        # What an older revision of the case said and the live one does not is held out no more.
        if pk in live_of:
            looks[live_of[pk]].append(look)
    return [HeldOut(live, pks, sorted(set(looks[live]))) for live, pks in same.items()]


def figures(found: Sequence[HeldOut]) -> dict[str, Any]:
    """Counts over the held-out statements; null over none."""
    return {
        "statements": len(found),
        "never": sum(not one.looks for one in found),
        "looks": _range([len(one.looks) for one in found]),
        "versions": _versions(look for one in found for look in one.looks),
        "most_versions": MOST,
        "worn": sum(one.worn for one in found),
    }


def of_report(run: Run, compared: Sequence[int]) -> dict[str, Any]:
    """What a report of ``run`` that compares these statements says of the hold-out. The run's own
    look is one of those counted; a report is frozen, so this is as it was when it was made."""
    among = frozenset(compared)
    told = figures([one for one in held_out(run.set) if not among.isdisjoint(one.same)])
    return {name: told[name] for name in ("statements", "looks", "versions", "worn")}


def _range(counts: Sequence[int]) -> dict[str, float | None]:
    if not counts:
        return {"min": None, "median": None, "max": None}
    return {"min": min(counts), "median": median(counts), "max": max(counts)}


def _versions(looks: Iterable[Look]) -> list[str]:
    """Each once, the first that looked first."""
    return list(dict.fromkeys(look.version for look in sorted(set(looks))))


def _same(calibration_set: CalibrationSet) -> dict[int, frozenset[int]]:
    """Of each held-out live statement all primary keys under which its very content stood."""
    # Read out of what is kept of the revision: most sets hold nothing out.
    *_, tags = stood.of(calibration_set, calibration_set.revision).tagged
    if HOLDOUT not in tags:
        return {}
    rows = _statements(calibration_set).order_by("case__position", "position", "pk")
    fields = ("pk", "case__case_id", "case__content_digest", "statement_id")
    live: dict[tuple[str, ...], int] = {}
    of_content: dict[tuple[str, ...], set[int]] = {}
    for superseded_in, pk, *content in rows.values_list("case__superseded_in", *fields):
        of_content.setdefault(tuple(content), set()).add(pk)
        if superseded_in is None:
            live[tuple(content)] = pk
    return {pk: frozenset(of_content[content]) for content, pk in live.items()}


def _statements(calibration_set: CalibrationSet) -> QuerySet[Statement]:
    """Of every revision of the cases that are held out now."""
    held = Case.objects.live().filter(set=calibration_set)
    held = held.filter(Q(HoldsTag(F("tags"), Value(HOLDOUT)))).order_by()
    return Statement.objects.filter(
        case__set=calibration_set, case__case_id__in=held.values("case_id")
    )


def _looks(calibration_set: CalibrationSet) -> Iterator[tuple[int, Look]]:
    """Each held-out statement with each finished round in which it was graded, or had been."""
    ended = _ended(calibration_set)
    for statement, run, graded_in in _graded(calibration_set, ended):
        last, version = ended[run]
        for round in range(graded_in, last + 1):
            yield statement, Look(run, round, version)


def _ended(calibration_set: CalibrationSet) -> dict[int, tuple[int, str]]:
    """Of each run that measures on the set, its last finished round, 0 where none is, and its
    version. A run is judged again only when it has finished, so all before it are finished too."""
    ended = models.Case(When(ENDED, then=F("round")), default=F("round") - 1)
    rows = Run.objects.filter(MEASURES, set=calibration_set).annotate(ended=ended).order_by()
    fields = ("pk", "ended", "rubric_version__name", "rubric_version__version")
    return {pk: (last, f"{name}@{number}") for pk, last, name, number in rows.values_list(*fields)}


def _graded(
    calibration_set: CalibrationSet, runs: Collection[int]
) -> Iterator[tuple[int, int, int]]:
    """Statement, run and round of each judgment of a held-out statement in one of these runs."""
    rows = Judgment.objects.filter(
        statement__in=_statements(calibration_set).order_by().values("pk"),
        run__in=runs,
        repeat=0,
        outcome=Outcome.GRADED.value,
    )
    fields = rows.order_by().values_list("statement_id", "run_id", "round")
    yield from fields.iterator(chunk_size=10_000)
