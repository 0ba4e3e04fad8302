"""How often the figures of held-out statements were looked at. Derived whenever it is asked for;
nothing keeps a count.

A statement is held out where its case has the tag `HOLDOUT`. A *look* is a run, in one of its
rounds, of which a report was made in which the statement was compared: that is when its figure
came before somebody's eyes and could move what they did next. Counted are the looks, the reports
and the rubric versions behind them. Who opened a page again is no further look, and is not
recorded (`labeling.models.Exposure` keeps the first time alone). A case that came again with the
same content keeps the looks that its older revisions had, whatever tags these carried.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final, NamedTuple

from django.db.models import F, Q, QuerySet, Value

from calibration.models import Judgment, Report, Run
from grounding.interchange.models import Outcome
from labeling.cases.caselists import HoldsTag
from labeling.columns.frozen import Frozen
from labeling.models import CalibrationSet, Case, ReferenceSnapshot, Statement
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
    """A report in which a statement was compared."""

    report: int
    run: int
    round: int
    version: str


@dataclass(frozen=True)
class HeldOut:
    """A live statement of a case that is held out, with every report that it stood in.

    ``same`` are the primary keys under which it stood in the set's revisions.
    """

    statement: int
    same: frozenset[int]
    looks: Sequence[Look]

    @property
    def looked(self) -> int:
        return len({(look.run, look.round) for look in self.looks})

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
    for pk, look in _looks(calibration_set, live_of):
        looks[live_of[pk]].append(look)
    return [HeldOut(live, pks, sorted(set(looks[live]))) for live, pks in same.items()]


def figures(found: Sequence[HeldOut]) -> dict[str, Any]:
    """Counts over the held-out statements; null over none."""
    return {
        "statements": len(found),
        "never": sum(not one.looks for one in found),
        "looks": _range([one.looked for one in found]),
        "reports": _range([len(one.looks) for one in found]),
        "versions": _versions(look for one in found for look in one.looks),
        "most_versions": MOST,
        "worn": sum(one.worn for one in found),
    }


def of_report(run: Run, compared: Sequence[int]) -> dict[str, Any]:
    """What a report of ``run`` that compares these statements says of the hold-out, its own look
    counted: a report is frozen, so this is as it was when it was made."""
    own = Look(0, run.pk, run.round, str(run.rubric_version))
    among = frozenset(compared)
    held = [one for one in held_out(run.set) if not among.isdisjoint(one.same)]
    looked = [HeldOut(one.statement, one.same, [*one.looks, own]) for one in held]
    told = figures(looked)
    return {name: told[name] for name in ("statements", "looks", "versions", "worn")}


def _range(counts: Sequence[int]) -> dict[str, float | None]:
    if not counts:
        return {"min": None, "median": None, "max": None}
    return {"min": min(counts), "median": median(counts), "max": max(counts)}


def _versions(looks: Iterator[Look]) -> list[str]:
    """Each once, the first that looked first; a report that is not stored yet is the last."""
    in_order = sorted(looks, key=lambda look: (look.report == 0, look.report))
    return list(dict.fromkeys(look.version for look in in_order))


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


def _looks(
    calibration_set: CalibrationSet, live_of: Mapping[int, int]
) -> Iterator[tuple[int, Look]]:
    """Graded by the report's round, and with a reference in its snapshot."""
    reports = _reports(calibration_set)
    known = _references(reports, live_of)
    for statement, run, round in _graded(calibration_set):
        for look, snapshot in reports.get(run, ()):
            if statement in live_of and round <= look.round and statement in known[snapshot]:
                yield statement, look


def _reports(calibration_set: CalibrationSet) -> dict[int, list[tuple[Look, int]]]:
    """The reports of each run on the set, with their snapshots."""
    fields = ("pk", "run_id", "round", "snapshot_id")
    version = ("run__rubric_version__name", "run__rubric_version__version")
    rows = Report.objects.filter(run__set=calibration_set).order_by("pk")
    found: dict[int, list[tuple[Look, int]]] = {}
    for pk, run, round, snapshot, name, number in rows.values_list(*fields, *version):
        found.setdefault(run, []).append((Look(pk, run, round, f"{name}@{number}"), snapshot))
    return found


def _references(
    reports: Mapping[int, Sequence[tuple[Look, int]]], wanted: Mapping[int, int]
) -> dict[int, set[int]]:
    """Which of the statements each snapshot has a reference for. Read one by one, since each
    is as large as the set."""
    pks = {snapshot for told in reports.values() for _, snapshot in told}
    rows = ReferenceSnapshot.objects.filter(pk__in=pks).values_list("pk", "statements")
    return {
        pk: wanted.keys() & Frozen.unpacked(packed, ()).statements.tolist()
        for pk, packed in rows.iterator(chunk_size=1)
    }


def _graded(calibration_set: CalibrationSet) -> Iterator[tuple[int, int, int]]:
    """Statement, run and round of each judgment that a report could compare."""
    rows = Judgment.objects.filter(
        statement__in=_statements(calibration_set).order_by().values("pk"),
        run__in=Report.objects.filter(run__set=calibration_set).order_by().values("run"),
        repeat=0,
        outcome=Outcome.GRADED.value,
    )
    fields = rows.order_by().values_list("statement_id", "run_id", "round")
    yield from fields.iterator(chunk_size=10_000)
