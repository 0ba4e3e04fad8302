"""How many more labels a set needs in which cell, and which statements to label next.

A cell is a class and verdict. A statement that people have labelled is in the cell of its
reference. One that nobody has labelled is known only by what its author expects, and is taken to
fall there; where its author expects nothing, or no class in a set that states classes, its cell is
not known, and it may fall into any.

Nothing here knows what a judge said. So labels of what is chosen count everywhere, and no share
can be taken from what judges got right: it is the worst, one half, or what the asker states.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

import numpy as np

from calibration import asked
from calibration.agreement import DEFAULT_SEED
from calibration.stats import planning
from calibration.stats.choosing import Candidate, next_statements
from calibration.stats.clusters import design_effect
from calibration.stats.planning import WORST_SHARE, Need
from grounding.contract import CONTRACT
from labeling import queues, references
from labeling.cases import checks
from labeling.models import CalibrationSet, Case, Slot, SlotQuerySet, Statement
from labeling.references import ADJUDICATED, AUTHOR, CONSENSUS, DISPUTED, NONE, SINGLE, Reference

Cell = checks.Cell

PEOPLE: Final = (ADJUDICATED, CONSENSUS, SINGLE)
WAITING, UNLABELLED, LABELLED = "waiting", "unlabelled", "labelled"
STATES: Final = (LABELLED, *PEOPLE, WAITING, UNLABELLED, DISPUTED)
LEVEL: Final = 0.95
MOST: Final = 1_000
"""Statements that are listed at once."""

_FIELDS: Final = ("pk", "case_id", "case__pair_id")


@dataclass(frozen=True)
class Asked:
    """What a plan is asked for: half the width of each cell's interval, the share that is to be
    measured in a cell, by how much clusters widen it (None: by their sizes), and how many
    statements to list, drawn by which seed."""

    margin: float = 0.05
    share: float = WORST_SHARE
    design_effect: float | None = None
    limit: int = 50
    seed: int = DEFAULT_SEED


@dataclass(frozen=True)
class Known:
    """What is known of one live statement, by people and its author alone."""

    pk: int
    case_id: str
    statement_id: str
    cluster: str
    tier: str
    cell: Cell | None
    waiting: bool = False

    @property
    def by_people(self) -> bool:
        return self.tier in PEOPLE

    @property
    def state(self) -> str:
        if self.tier in (AUTHOR, NONE):
            return WAITING if self.waiting else UNLABELLED
        return self.tier

    def among(self, state: str) -> bool:
        """Whether it is one of those that a number of the plan counts."""
        return self.by_people if state == LABELLED else self.state == state


@dataclass(frozen=True)
class Row:
    """One cell, or all that is known of none: how many of its statements are in which state,
    how wide its interval is, and what it needs."""

    cell: Cell | None
    counts: Mapping[str, int]
    design_effect: float
    need: Need

    @property
    def ask(self) -> int:
        """Of what it needs, beyond those that a queue asks for already, what is there to ask."""
        return min(self.open, self.counts[UNLABELLED])

    @property
    def write(self) -> int:
        """Labels that it needs and has no statement for."""
        return self.open - self.ask

    @property
    def open(self) -> int:
        """What it needs beyond what queues ask for already."""
        return max(0, self.need.more - self.counts[WAITING])

    def as_json(self) -> dict[str, Any]:
        claim_class, verdict = self.cell or (None, None)
        return {
            "claim_class": claim_class,
            "verdict": verdict,
            "labelled": self.counts[LABELLED],
            "tiers": {tier: self.counts[tier] for tier in PEOPLE},
            "waiting": self.counts[WAITING],
            "unlabelled": self.counts[UNLABELLED],
            "design_effect": self.design_effect,
            "half_width": self.need.now,
            "needed": self.need.needed,
            "more": self.need.more,
            "to_ask": self.ask,
            "to_write": self.write,
        }


@dataclass(frozen=True)
class Plan:
    """``together`` is one rate over all cells; ``unknown`` counts what is in none of them."""

    asked: Asked
    rows: Sequence[Row]
    together: Row
    unknown: Mapping[str, int]
    disputed: int
    next: Sequence[Known]

    @property
    def total(self) -> dict[str, int]:
        """Each number that adds up, over all cells."""
        each = [row.as_json() for row in self.rows]
        names = (LABELLED, WAITING, UNLABELLED, "needed", "more", "to_ask", "to_write")
        return {name: sum(row[name] for row in each) for name in names}

    def as_json(self) -> dict[str, Any]:
        return {
            "asked": asdict(self.asked),
            "level": LEVEL,
            "cells": [row.as_json() for row in self.rows],
            "total": self.total,
            "together": self.together.as_json(),
            "unknown": {name: self.unknown[name] for name in (LABELLED, WAITING, UNLABELLED)},
            "disputed": self.disputed,
            "next": [_named(one) for one in self.next],
        }


def _named(one: Known) -> dict[str, str | None]:
    claim_class, verdict = one.cell or (None, None)
    named = {"case_id": one.case_id, "statement_id": one.statement_id}
    return {**named, "claim_class": claim_class, "verdict": verdict}


def document(calibration_set: CalibrationSet, found: Plan) -> dict[str, Any]:
    """What `plan` found, as ``plan_labels --json`` prints it."""
    held = {"slug": calibration_set.slug, "revision": calibration_set.revision}
    return {"set": held, **found.as_json()}


def read(given: Mapping[str, str]) -> Asked:
    """What was typed, by the names of `Asked`; BadInput, with the field, for what cannot be."""
    limits: Mapping[str, tuple[float, float]] = {
        "margin": (0.005, 0.45),
        "share": (0, 1),
        "design_effect": (1, 1000),
    }
    typed: dict[str, Any] = {
        name: asked.decimal(given[name], name, least=least, most=most)
        for name, (least, most) in limits.items()
        if given.get(name)
    }
    for name, highest in (("limit", MOST), ("seed", queues.MAX_SEED)):
        if given.get(name):
            typed[name] = asked.whole(given[name], name, most=highest)
    return Asked(**typed)


def plan(calibration_set: CalibrationSet, terms: Asked) -> Plan:
    """What the set needs as it stands now: the same for the same labels, whatever judges say."""
    every = survey(calibration_set)
    cells = cells_of(every)
    rows = [_row(cell, _within(every, cell), terms) for cell in cells]
    known = [one for one in every if one.cell is not None]
    unknown = counts([one for one in every if one.cell is None])
    return Plan(
        asked=terms,
        rows=rows,
        together=_row(None, known, terms),
        unknown=unknown,
        disputed=unknown[DISPUTED],
        next=_next(every, rows, terms),
    )


def survey(calibration_set: CalibrationSet) -> list[Known]:
    """Every live statement, in the set's order. A constant number of queries."""
    live = Case.objects.live().filter(set=calibration_set)
    statements = Statement.objects.filter(case__in=live.order_by().values("pk"))
    placed = statements.order_by("case__position", "position").values_list(*_FIELDS)
    places = {pk: (case, pair) for pk, case, pair in placed.iterator()}
    waiting = _waiting(calibration_set)
    found = {
        pk: _known(pk, case_id, statement_id, said, waiting, _cluster(*places[pk]))
        for pk, case_id, statement_id, said in references.each(calibration_set, CONTRACT.major)
        if pk in places
    }
    return _classed([found[pk] for pk in places if pk in found])


def counts(some: Iterable[Known]) -> dict[str, int]:
    """How many there are in each of `STATES`."""
    found = Counter(one.state for one in some)
    return {state: found[state] for state in STATES} | {
        LABELLED: sum(found[tier] for tier in PEOPLE)
    }


def cells_of(every: Sequence[Known]) -> list[Cell]:
    """The cells that should be filled: those that the contract allows, or in a set that states no
    class, the verdicts that occur."""
    return checks.wanted(Counter(one.cell for one in every if one.cell)) or list(
        checks.CONTRACT_CELLS
    )


def _known(
    pk: int,
    case_id: str,
    statement_id: str,
    said: Reference | str,
    waiting: frozenset[int],
    cluster: str,
) -> Known:
    cell = (said.claim_class, said.verdict) if isinstance(said, Reference) else None
    tier = references.tier_of(said)
    return Known(pk, case_id, statement_id, cluster, tier, cell, pk in waiting)


def _classed(every: list[Known]) -> list[Known]:
    """Where any class is stated, a verdict without one is no cell."""
    if not any(one.cell and one.cell[0] for one in every):
        return every
    return [replace(one, cell=None) if one.cell and not one.cell[0] else one for one in every]


def _cluster(case: int, pair: str | None) -> str:
    return f"case {case}" if pair is None else f"pair {pair}"


def _waiting(calibration_set: CalibrationSet) -> frozenset[int]:
    """Statements that a queue asks for whose labels will count. One that was opened because of
    what judges said is passed over, as is all that judges said."""
    asking = Slot.objects.filter(
        SlotQuerySet.UNFILLED,
        queue__set=calibration_set,
        queue__selected__isnull=True,
        queue__contract_major=CONTRACT.major,
        queue__closed_at__isnull=True,
    )
    return frozenset(asking.order_by().values_list("statement_id", flat=True).distinct())


def _within(every: Sequence[Known], cell: Cell) -> list[Known]:
    return [one for one in every if one.cell == cell]


def _row(cell: Cell | None, members: Sequence[Known], terms: Asked) -> Row:
    counted = counts(members)
    effect = terms.design_effect or _effect_of(members)
    known = planning.Cell(counted[LABELLED], terms.share, effect)
    need = planning.needs({cell: known}, terms.margin, LEVEL)[cell]
    return Row(cell, counted, effect, need)


def _effect_of(members: Sequence[Known]) -> float:
    """By how much clusters widen an interval if each stands and falls as one: nothing else is
    known of them without a judge. Over all that is or may come to be labelled in the cell."""
    names = np.array([one.cluster for one in members], dtype=np.str_)
    return design_effect(np.ones(names.size), names).value or 1.0


def _next(every: Sequence[Known], rows: Sequence[Row], terms: Asked) -> list[Known]:
    """The statements to label next, by cells and clusters. Those of unknown cell come last: as
    many as there are labels needed that no other statement is there for."""
    free: dict[Hashable, Known] = {
        (one.case_id, one.statement_id): one for one in every if one.state == UNLABELLED
    }
    more: dict[Hashable, int] = {row.cell: row.open for row in rows}
    surely = _chosen(free, more, terms.limit, terms.seed)
    perhaps: dict[Hashable, int] = {None: sum(row.write for row in rows)}
    return surely + _chosen(free, perhaps, terms.limit - len(surely), terms.seed)


def _chosen(
    free: Mapping[Hashable, Known], more: Mapping[Hashable, int], limit: int, seed: int
) -> list[Known]:
    candidates = [Candidate(name, [one.cell], one.cluster) for name, one in free.items()]
    return [free[name] for name in next_statements(candidates, more, limit=limit, seed=seed)]
