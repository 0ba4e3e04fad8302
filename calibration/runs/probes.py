"""Probes: runs over the same cases told otherwise, to see whether the judge's verdicts move.

What a probe does to a case is decided by kind and seed (`grounding.perturbing`) and done anew
whenever the case is graded: nothing of it is stored but the probe itself, in its run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast

from calibration.agreement import require_seed
from calibration.agreement.selfcheck import INJECTED
from calibration.judges import grading
from calibration.models import Run
from grounding.errors import BadInput, Refused
from grounding.interchange.models import Case as Record
from grounding.interchange.models import Passage
from grounding.perturbing import drawn, padded, reordered
from labeling.models import CalibrationSet, Case

ORDER, LENGTH = "order", "length"
KINDS: Final = (ORDER, LENGTH)
DEFAULT_SEED: Final = 1
DEFAULT_CHARACTERS: Final = 8_000
MOST_CHARACTERS: Final = 1_000_000

# So many cases, drawn from the set by the seed, lend their passages.
_LENDERS: Final = 200
_AT_ONCE: Final = 500

_NOTHING: Final = {
    ORDER: "no case has two passages that could change places",
    LENGTH: "no case is short of that length and finds a passage of another pair",
}


@dataclass(frozen=True)
class Probe:
    """``order``: a case's passages in another order. ``length``: its context filled up to
    ``characters`` with passages of other pairs, which the cases ``lenders`` (primary keys, in
    this order) lend."""

    kind: str
    seed: int = DEFAULT_SEED
    characters: int | None = None
    lenders: tuple[int, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """What people are told of it."""
        told: dict[str, Any] = {"kind": self.kind, "seed": self.seed}
        return told if self.characters is None else {**told, "characters": self.characters}

    def frozen(self) -> dict[str, Any]:
        """What its run keeps."""
        return {**self.as_json(), "lenders": list(self.lenders)}


def probe(kind: str, *, seed: int | None = None, characters: int | None = None) -> Probe:
    """Raise BadInput for what is no probe."""
    if kind not in KINDS:
        raise BadInput(f"a probe is one of {', '.join(KINDS)}", field="probe")
    seed = DEFAULT_SEED if seed is None else seed
    require_seed(seed)
    if kind == ORDER:
        if characters is not None:
            raise BadInput("goes with a probe of the length alone", field="characters")
        return Probe(kind, seed)
    characters = DEFAULT_CHARACTERS if characters is None else characters
    if not 1 <= characters <= MOST_CHARACTERS:
        raise BadInput(f"must be 1 to {MOST_CHARACTERS:,}", field="characters")
    return Probe(kind, seed, characters)


def of_run(run: Run) -> Probe | None:
    """None for a run that measures."""
    if run.probe is None:
        return None
    return Probe(**{**run.probe, "lenders": tuple(run.probe["lenders"])})


def drawn_up(chosen: Probe, calibration_set: CalibrationSet) -> Probe:
    """The probe with the cases of the set's revision whose passages it lends out: none with a
    planted order, which would be a check of its own."""
    if chosen.kind != LENGTH:
        return chosen
    cases = Case.objects.at(calibration_set.revision).filter(set=calibration_set).order_by()
    names = cases.exclude(pk__in=_injected(cases)).values_list("case_id", "pk")
    lending = sorted(names, key=lambda one: drawn(chosen.seed, one[0]))[:_LENDERS]
    return replace(chosen, lenders=tuple(pk for _, pk in lending))


def statements_of(chosen: Probe, statements: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Of (statement, case) primary keys those whose case the probe changes: the others could
    only be judged as they were. Refused where there is none."""
    changed: set[int] = set()
    for some in _batches(list(dict.fromkeys(case_pk for _, case_pk in statements))):
        changed |= told(chosen, some).keys()
    if not changed:
        raise Refused(f"{_NOTHING[chosen.kind]}: there is nothing to probe")
    return [(statement, case) for statement, case in statements if case in changed]


def records_of(run: Run, case_pks: Iterable[int]) -> Mapping[int, Record]:
    """The cases as this run's judge is told them."""
    chosen = of_run(run)
    return grading.records_of(case_pks) if chosen is None else told(chosen, case_pks)


def told(chosen: Probe, case_pks: Iterable[int]) -> dict[int, Record]:
    """As the probe tells them those of the cases that it changes."""
    lenders = _lenders(chosen)
    records = grading.records_of(case_pks)
    found = {pk: _told(chosen, record, lenders) for pk, record in records.items()}
    return {pk: record for pk, record in found.items() if record is not None}


@dataclass(frozen=True)
class _Lender:
    case_id: str
    pair_id: str | None
    passages: Sequence[Passage]


def _told(chosen: Probe, case: Record, lenders: Sequence[_Lender]) -> Record | None:
    if chosen.kind == ORDER:
        return reordered(case, chosen.seed)
    strangers = _strangers(chosen, case, lenders)
    return padded(case, strangers, chosen.characters or 0, chosen.seed)


def _strangers(chosen: Probe, case: Record, lenders: Sequence[_Lender]) -> Iterator[Passage]:
    """Passages of other pairs, for each case from another place on."""
    start = drawn(chosen.seed, case.case_id) % max(1, len(lenders))
    for lender in (*lenders[start:], *lenders[:start]):
        own = lender.case_id == case.case_id
        if not own and (case.pair_id is None or lender.pair_id != case.pair_id):
            yield from lender.passages


def _lenders(chosen: Probe) -> list[_Lender]:
    if not chosen.lenders:
        return []
    rows = Case.objects.filter(pk__in=chosen.lenders)
    found = {
        pk: _Lender(name, pair, [Passage.model_validate(one) for one in context])
        for pk, name, pair, context in rows.values_list("pk", "case_id", "pair_id", "context")
    }
    return [found[pk] for pk in chosen.lenders]


def _injected(cases: QuerySet[Case]) -> list[int]:
    """Primary keys of those with the tag; the database only narrows what is looked through."""
    narrowed = cases.annotate(told=Cast("tags", TextField())).filter(told__contains=INJECTED)
    return [pk for pk, tags in narrowed.values_list("pk", "tags") if INJECTED in tags]


def _batches(pks: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(pks), _AT_ONCE):
        yield pks[start : start + _AT_ONCE]
