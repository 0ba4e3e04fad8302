"""Pairs proposed as a regression suite: small enough to run on every change, balanced over cells.

A pair may be taken if both its sides are live and each of their statements has a reference.
Nothing here knows what a judge said: pairs taken because judges erred on them would make the
suite's rates mean nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from calibration import bundles, planner
from calibration.agreement import DEFAULT_SEED
from calibration.planner import Cell, Known
from calibration.stats.choosing import SUITE, Candidate, regression_suite
from grounding.contract import CONTRACT
from grounding.errors import BadInput, Refused
from grounding.interchange import models as interchange
from grounding.interchange.packing import write_bundle
from labeling import exchange, references, sets
from labeling.cases import checks
from labeling.models import CalibrationSet, Case
from labeling.references import AUTHOR

SIZE: Final = SUITE
MOST: Final = 1_000

RecordT = TypeVar("RecordT", interchange.Case, interchange.Label)


@dataclass(frozen=True)
class Pair:
    """``cells`` are those of the references on both sides, each as often as it occurs; ``whole``
    says that it may be taken."""

    pair_id: str
    kind: str | None
    cases: Sequence[str]
    cells: Sequence[Cell]
    whole: bool


@dataclass(frozen=True)
class Coverage:
    """Of the pairs that could be taken, how many hold a cell, and of those that were."""

    cell: Cell
    pairs: int
    available: int


@dataclass(frozen=True)
class Suite:
    """``pairs`` in the order of their worth: the first of them are what a smaller suite is."""

    size: int
    seed: int
    minimum: str
    pairs: Sequence[Pair]
    available: Sequence[Pair]
    left_out: Sequence[Pair]
    coverage: Sequence[Coverage]

    def as_json(self) -> dict[str, Any]:
        return {
            "size": self.size,
            "seed": self.seed,
            "reference": {"minimum": self.minimum},
            "available": len(self.available),
            "left_out": len(self.left_out),
            "coverage": [
                {
                    "claim_class": one.cell[0],
                    "verdict": one.cell[1],
                    "pairs": one.pairs,
                    "available": one.available,
                }
                for one in self.coverage
            ],
            "pairs": [
                {"pair_id": one.pair_id, "pair_kind": one.kind, "case_ids": list(one.cases)}
                for one in self.pairs
            ],
        }


def propose(
    calibration_set: CalibrationSet,
    *,
    size: int = SIZE,
    seed: int = DEFAULT_SEED,
    minimum: str = AUTHOR,
) -> Suite:
    """The pairs that a regression suite of that size would hold, by references of the minimum
    tier or better. Fewer where the set has no more that could be taken."""
    if not 1 <= size <= MOST:
        raise BadInput(f"takes a whole number from 1 to {MOST:,}", field="size")
    every = _pairs(calibration_set, minimum)
    whole = {pair.pair_id: pair for pair in every if pair.whole}
    candidates = [Candidate(name, pair.cells) for name, pair in whole.items()]
    chosen = [whole[str(name)] for name in regression_suite(candidates, size=size, seed=seed)]
    return Suite(
        size=size,
        seed=seed,
        minimum=minimum,
        pairs=chosen,
        available=list(whole.values()),
        left_out=[pair for pair in every if not pair.whole],
        coverage=_coverage(list(whole.values()), chosen),
    )


def full(calibration_set: CalibrationSet, suite: Suite, out: str | None = None) -> dict[str, Any]:
    """The suite as ``regression_suite --json`` prints it; ``out`` is where it was written."""
    held = {"slug": calibration_set.slug, "revision": calibration_set.revision}
    return {"set": held, **suite.as_json(), "out": out}


def write(
    calibration_set: CalibrationSet,
    path: str | Path,
    *,
    size: int = SIZE,
    seed: int = DEFAULT_SEED,
    minimum: str = AUTHOR,
) -> Suite:
    """`propose`, written as a bundle with the pairs' labels and the set's sources: imported into a
    set of its own, its statements have the references that they have here. Refused where no pair
    could be taken."""
    with bundles.one_moment():
        now = sets.get(calibration_set.slug)
        suite = propose(now, size=size, seed=seed, minimum=minimum)
        if not suite.pairs:
            raise Refused(f"{now} has no pair with a reference on every statement of both sides")
        _write(now, suite, path)
    return suite


def _write(now: CalibrationSet, suite: Suite, path: str | Path) -> None:
    wanted = frozenset(name for pair in suite.pairs for name in pair.cases)
    write_bundle(
        path,
        parts={
            "cases": _of(wanted, exchange.case_records(now)),
            "sources": exchange.source_records(now),
            "labels": _of(wanted, exchange.label_records(now)),
        },
        set_slug=now.slug,
        revision=now.revision,
        contract_version=CONTRACT.version,
        readme=_readme(now, suite),
    )


def _of(wanted: frozenset[str], records: Iterator[RecordT]) -> Iterator[RecordT]:
    return (record for record in records if record.case_id in wanted)


def _pairs(calibration_set: CalibrationSet, minimum: str) -> list[Pair]:
    """Every pair of which a side is live, in the set's order."""
    live = Case.objects.live().filter(set=calibration_set, pair_id__isnull=False)
    columns = ("pair_id", "pair_kind", "case_id")
    sides: dict[str, list[tuple[str | None, str]]] = {}
    for pair_id, kind, case_id in live.order_by("position").values_list(*columns):
        sides.setdefault(str(pair_id), []).append((kind, case_id))
    statements: dict[str, list[Known]] = {}
    for one in planner.survey(calibration_set):
        statements.setdefault(one.case_id, []).append(one)
    taken = references.at_least(minimum)
    return [_pair(name, rows, statements, taken) for name, rows in sides.items()]


def _pair(
    pair_id: str,
    sides: Sequence[tuple[str | None, str]],
    statements: Mapping[str, Sequence[Known]],
    taken: frozenset[str],
) -> Pair:
    cases = [case_id for _, case_id in sides]
    held = [one for case_id in cases for one in statements.get(case_id, ())]
    return Pair(
        pair_id=pair_id,
        kind=next((kind for kind, _ in sides if kind), None),
        cases=cases,
        cells=[one.cell for one in held if one.cell],
        whole=len(cases) == checks.PAIR_SIZE and all(one.tier in taken for one in held),
    )


def _coverage(available: Sequence[Pair], chosen: Sequence[Pair]) -> list[Coverage]:
    of_all, of_chosen = _holding(available), _holding(chosen)
    wanted = checks.wanted(of_all)
    return [Coverage(cell, of_chosen[cell], of_all[cell]) for cell in wanted]


def _holding(pairs: Sequence[Pair]) -> Counter[Cell]:
    return Counter(cell for pair in pairs for cell in set(pair.cells))


def _readme(calibration_set: CalibrationSet, suite: Suite) -> str:
    rows = [
        f"| {one.cell[0] or 'class not stated'} | {one.cell[1]} | {one.pairs} | {one.available} |"
        for one in suite.coverage
    ]
    return "\n".join(
        [
            f"# A regression suite of {calibration_set.slug}",
            "",
            f"{len(suite.pairs)} of the {len(suite.available)} pairs of revision"
            f" {calibration_set.revision} that have a reference on every statement, chosen to cover"
            f" each cell of class and verdict evenly (seed {suite.seed}), without regard to any"
            " judge.",
            "",
            "| class | verdict | pairs that hold it | of the set's |",
            "|---|---|---|---|",
            *rows,
            "",
        ]
    )
