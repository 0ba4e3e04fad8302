"""Two finished runs read side by side, or the reason why they cannot be.

Paired on the statements that stand in both runs' revisions, against one frozen snapshot of
the references: that of the later revision. Nothing of a comparison is stored but the snapshot.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from calibration import comparison, loading, runs, scopes
from calibration.agreement import DIRECTIONS, Disagreements, Figures
from calibration.columns import CLASSES, NOTHING, VERDICTS, Columns
from calibration.definitions import Move
from calibration.loading import Loaded, Reference
from calibration.models import Run
from grounding.errors import Refused
from labeling import references
from labeling.models import ReferenceSnapshot, Statement

_BATCH: Final = 2000
LISTS: Final = {
    "fixed": comparison.fixed,
    "broke": comparison.broke,
    "newly_lenient": comparison.newly_lenient,
}


@dataclass(frozen=True)
class Change:
    """A statement that the two answer differently, and the direction in which one of them errs."""

    statement: int
    reference: Reference
    first: tuple[str | None, str]
    second: tuple[str | None, str]
    judgments: tuple[int, int]
    direction: str


@dataclass(frozen=True)
class Comparison:
    """``figures`` without the lists, and the lists without the statements' words."""

    figures: Figures
    changes: Mapping[str, Sequence[Change]] = field(
        default_factory=lambda: dict.fromkeys(LISTS, ())
    )

    @property
    def comparable(self) -> bool:
        return bool(self.figures["comparable"])


def compare(first: Run, second: Run, *, minimum: str = references.AUTHOR) -> Comparison:
    """``second`` against ``first``. Where they cannot be compared it says so and why.

    Raises Refused for runs that are not finished, or of two sets.
    """
    head = _head(first, second)
    stands = scopes.between(first.rubric_version, second.rubric_version)
    head["scope"] = stands.scope
    if stands.reason:
        return _refused(head, stands.reason, stands.moved)
    frozen = _references(first, second, minimum)
    loaded = [loading.load(run, frozen.references) for run in (first, second)]
    for run, one in zip((first, second), loaded, strict=True):
        if not one.columns.graded.any():
            return _refused(head, f"nothing was graded in run {run.pk} of {run.rubric_version}")
    return _compared(head, frozen, *loaded)


def full(compared: Comparison, *, texts: bool = False) -> dict[str, Any]:
    """The whole comparison, as ``compare --format json`` prints it; ``texts`` adds to each change
    the statement's text, for renderings that people read."""
    lists = {name: list(_described(compared.changes[name], texts)) for name in LISTS}
    return {**compared.figures, **lists}


def first_changes(compared: Comparison, limit: int) -> dict[str, list[dict[str, Any]]]:
    """The first of each list with all that a page shows of them."""
    return {name: list(_described(compared.changes[name][:limit], True)) for name in LISTS}


def _head(first: Run, second: Run) -> dict[str, Any]:
    if first.set_id != second.set_id:
        raise Refused("runs on two sets judge different statements")
    sides = {"first": _side(first), "second": _side(second)}
    return {"set": {"slug": first.set.slug}, **sides}


def _side(run: Run) -> dict[str, Any]:
    version, status = run.rubric_version, runs.status(run)
    if status not in ("complete", "partial"):
        raise Refused(f"run {run.pk} is {status}: only a finished run can be compared")
    return {
        "rubric": {
            "name": version.name,
            "version": version.version,
            "digest": version.digest,
            "scope_digest": version.scope_digest,
        },
        "run": {"id": run.pk, "status": status, "revision": run.revision},
        "baseline": _baseline(run),
    }


def _baseline(run: Run) -> dict[str, Any] | None:
    """The line that the run belongs to, and that line's baseline on the set."""
    version = run.rubric_version
    if version.major is None:
        return None
    found = runs.baseline(version.name, version.major, run.set)
    return {"of": f"{version.name}@{version.major}", "run": found.pk if found else None}


def _refused(head: dict[str, Any], reason: str, moved: Sequence[Move] = ()) -> Comparison:
    figures = {
        "comparable": False,
        "reason": reason,
        "fields": [move.path for move in moved],
        "moved": [
            {"field": move.path, "first": move.before, "second": move.after} for move in moved
        ],
        **head,
        "reference": None,
        "statements": None,
        **comparison.nothing(),
    }
    return Comparison(figures)


def _references(first: Run, second: Run, minimum: str) -> ReferenceSnapshot:
    """Statements of the earlier revision that still stand are of the later one too."""
    later = max(first, second, key=lambda run: run.revision)
    return references.snapshot(
        later.set, later.revision, later.rubric_version.contract_major, minimum
    )


def _compared(
    head: dict[str, Any], frozen: ReferenceSnapshot, first: Loaded, second: Loaded
) -> Comparison:
    places = _in_common(first.statements, second.statements)
    one, two = first.columns.where(places[0]), second.columns.where(places[1])
    common = len(places[0])
    figures = {
        "comparable": True,
        "reason": None,
        "fields": [],
        "moved": [],
        **head,
        "reference": {
            "minimum": frozen.minimum,
            "digest": frozen.digest,
            "tiers": _tiers(first, places[0], one, two),
        },
        "statements": {
            "common": common,
            "only_in_first": len(first.statements) - common,
            "only_in_second": len(second.statements) - common,
        },
        **comparison.figures(one, two),
    }
    changes = {
        name: list(_changes(list_of(one, two), (first, second), places, (one, two)))
        for name, list_of in LISTS.items()
    }
    return Comparison(figures, changes)


def _in_common(
    first: Sequence[int], second: Sequence[int]
) -> tuple[np.typing.NDArray[np.int64], np.typing.NDArray[np.int64]]:
    """Where each has the statements of both, in the first's order."""
    _, at_first, at_second = np.intersect1d(
        np.array(first, dtype=np.int64), np.array(second, dtype=np.int64), return_indices=True
    )
    order = np.argsort(at_first)
    return at_first[order], at_second[order]


def _tiers(
    first: Loaded, places: np.typing.NDArray[np.int64], one: Columns, two: Columns
) -> dict[str, int]:
    """How many of the compared statements have a reference of each tier."""
    counts = dict.fromkeys(references.TIERS, 0)
    for place in places[one.compared & two.compared].tolist():
        counts[first.references[place].tier] += 1
    return counts


def _changes(
    changed: Disagreements,
    loaded: tuple[Loaded, Loaded],
    places: tuple[np.typing.NDArray[np.int64], np.typing.NDArray[np.int64]],
    columns: tuple[Columns, Columns],
) -> Iterator[Change]:
    first, second = loaded
    for row, direction in zip(changed.rows.tolist(), changed.directions.tolist(), strict=True):
        at_first, at_second = int(places[0][row]), int(places[1][row])
        yield Change(
            statement=first.statements[at_first],
            reference=first.references[at_first],
            first=_answer(columns[0], row),
            second=_answer(columns[1], row),
            judgments=(first.judgments[at_first], second.judgments[at_second]),
            direction=DIRECTIONS[direction],
        )


def _answer(columns: Columns, row: int) -> tuple[str | None, str]:
    claim_class = int(columns.judge_class[row])
    return (
        None if claim_class == NOTHING else CLASSES[claim_class].value,
        VERDICTS[int(columns.judge_verdict[row])].value,
    )


def _described(changes: Sequence[Change], texts: bool) -> Iterator[dict[str, Any]]:
    for start in range(0, len(changes), _BATCH):
        batch = changes[start : start + _BATCH]
        named = _named([change.statement for change in batch])
        for change in batch:
            yield _one(change, named[change.statement], texts)


def _named(pks: Sequence[int]) -> dict[int, Statement]:
    """With the case's id, without its long texts."""
    found = Statement.objects.filter(pk__in=pks).select_related("case")
    return {
        one.pk: one for one in found.only("statement_id", "text", "case__case_id", "case__position")
    }


def _one(change: Change, statement: Statement, texts: bool) -> dict[str, Any]:
    described = {
        "case_id": statement.case.case_id,
        "statement_id": statement.statement_id,
        "human": {
            "claim_class": change.reference.claim_class,
            "verdict": change.reference.verdict,
            "tier": change.reference.tier,
        },
        "first": {"claim_class": change.first[0], "verdict": change.first[1]},
        "second": {"claim_class": change.second[0], "verdict": change.second[1]},
        "direction": change.direction,
    }
    if not texts:
        return described
    links = {"case": statement.case_id, "judgments": change.judgments}
    return {**described, "text": statement.text, "links": links}
