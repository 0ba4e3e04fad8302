"""Two finished runs read side by side, or the reason why they cannot be.

Paired on the statements that stand in both runs' revisions, against the references as they are
now, of the later revision. Nothing of a comparison is stored; the digest of its references
says against what it was made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from calibration import loading, rubrics, runs
from calibration.agreement import DIRECTIONS, Disagreements, Figures, comparison
from calibration.agreement.columns import CLASSES, NOTHING, VERDICTS, Columns
from calibration.comparing import baselines
from calibration.comparing.choices import baseline_of
from calibration.loading import Loaded, Reference
from calibration.models import RubricVersion, Run
from calibration.rubrics import scopes
from calibration.rubrics.definitions import Move
from grounding.errors import Refused
from labeling import references
from labeling.models import Statement

_BATCH: Final = 2000
LISTS: Final = {
    "fixed": comparison.fixed,
    "broke": comparison.broke,
    "newly_lenient": comparison.newly_lenient,
}


Answer = tuple[str | None, str | None]
"""Class and verdict; no verdict where the judgment failed."""

Places = tuple[np.typing.NDArray[np.int64], np.typing.NDArray[np.int64]]


@dataclass(frozen=True)
class Change:
    """A statement as the two answer it, and the direction in which one of them errs: None where
    it is listed for another reason than that."""

    statement: int
    reference: Reference
    first: Answer
    second: Answer
    judgments: tuple[int | None, int | None]
    direction: str | None


ALONE: Final = ("only_in_first", "only_in_second")
"""Statements that stand in the revision of one run alone."""
FILTERS: Final[Mapping[str, Sequence[str]]] = {
    **comparison.FILTERS,
    "among": [*comparison.FILTERS["among"], *ALONE],
    "tier": references.TIERS,
}
FILTER_LABELS: Final[Mapping[str, str]] = {
    "among": "Among",
    "human_class": "Reference's class",
    "human_verdict": "Reference's verdict",
    "first_right": "First right",
    "second_right": "Second right",
    "first_passed": "First judged it supported",
    "second_passed": "Second judged it supported",
    "first_refused": "First judged it failing",
    "second_refused": "Second judged it failing",
    "tier": "Reference",
}


@dataclass(frozen=True)
class Paired:
    """Both runs on the statements that they have in common, row for row."""

    loaded: tuple[Loaded, Loaded]
    places: Places
    columns: tuple[Columns, Columns]
    minimum: str
    digest: str


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
    origins = _origins(first, second)
    head = _head(first, second, origins)
    stands = scopes.between(first.rubric_version, second.rubric_version)
    head["scope"] = stands.scope
    if stands.reason:
        both = baselines.each(origins, minimum)
        return _refused(head, stands.reason, stands.moved, both)
    paired = _paired(first, second, minimum)
    for run, one in zip((first, second), paired.loaded, strict=True):
        if not one.columns.graded.any():
            return _refused(head, f"nothing was graded in run {run.pk} of {run.rubric_version}")
    return _compared(head, paired)


def listed(first: Run, second: Run, filters: Mapping[str, str]) -> tuple[str, list[Change]]:
    """The statements that pass ``filters`` (`comparison.FILTERS`), and the digest of the
    references that they were chosen by. Raises Refused where the two cannot be compared."""
    stands = scopes.between(first.rubric_version, second.rubric_version)
    if stands.reason:
        raise Refused(stands.reason)
    paired = _paired(first, second, references.AUTHOR)
    among = filters.get("among")
    if among in ALONE:
        return paired.digest, list(_alone(paired, ALONE.index(among)))
    rows = comparison.chosen(*paired.columns, filters).tolist()
    changes = [_change(paired, row, None) for row in rows]
    tier = filters.get("tier")
    return paired.digest, [one for one in changes if tier in (None, one.reference.tier)]


def full(compared: Comparison, *, texts: bool = False) -> dict[str, Any]:
    """The whole comparison, as ``compare --format json`` prints it; ``texts`` adds to each change
    the statement's text, for renderings that people read."""
    lists = {name: list(_described(compared.changes[name], texts)) for name in LISTS}
    return {**compared.figures, **lists}


def described(changes: Sequence[Change]) -> list[dict[str, Any]]:
    """Each with all that a page shows of it."""
    return list(_described(changes, True))


def first_changes(compared: Comparison, limit: int) -> dict[str, list[dict[str, Any]]]:
    """The first of each list with all that a page shows of them."""
    return {name: described(compared.changes[name][:limit]) for name in LISTS}


def _origins(first: Run, second: Run) -> dict[str, Run | None]:
    """The baseline of each one's line on the set, looked for once where both have one line."""
    if first.set_id != second.set_id:
        raise Refused("runs on two sets judge different statements")
    lines = {_line(run): run for run in (first, second)}
    found = {line: baseline_of(run) for line, run in lines.items()}
    return {"first": found[_line(first)], "second": found[_line(second)]}


def _line(run: Run) -> tuple[str, int | None]:
    return run.rubric_version.name, run.rubric_version.major


def _head(first: Run, second: Run, origins: Mapping[str, Run | None]) -> dict[str, Any]:
    sides = {"first": first, "second": second}
    told = {which: _side(run, origins[which]) for which, run in sides.items()}
    return {"set": {"slug": first.set.slug}, **told}


def _side(run: Run, origin: Run | None) -> dict[str, Any]:
    version, status = run.rubric_version, runs.status(run)
    if status not in ("complete", "partial"):
        raise Refused(f"run {run.pk} is {status}: only a finished run can be compared")
    return {
        "rubric": rubrics.identity(version),
        "run": {"id": run.pk, "status": status, "revision": run.revision},
        "baseline": _told(version, origin),
    }


def _told(version: RubricVersion, origin: Run | None) -> dict[str, Any] | None:
    """The line that a version belongs to, and that line's baseline."""
    if version.major is None:
        return None
    return {"of": f"{version.name}@{version.major}", "run": origin.pk if origin else None}


def _refused(
    head: dict[str, Any],
    reason: str,
    moved: Sequence[Move] = (),
    both: Mapping[str, Figures | None] | None = None,
) -> Comparison:
    """With the baselines, each by itself, where the scopes are why."""
    figures = {
        "comparable": False,
        "reason": reason,
        "fields": [move.path for move in moved],
        "moved": [
            {"field": move.path, "first": move.before, "second": move.after} for move in moved
        ],
        **head,
        "baselines": both,
        "reference": None,
        "statements": None,
        **comparison.nothing(reason),
    }
    return Comparison(figures)


def _paired(first: Run, second: Run, minimum: str) -> Paired:
    """Statements of the earlier revision that still stand are of the later one too."""
    later = max(first, second, key=lambda run: run.revision)
    found = references.resolve(
        later.set, later.revision, later.rubric_version.contract_major, minimum
    )
    one, two = loading.load_each((first, second), found.frozen)
    places = loading.in_common(one.statements, two.statements)
    columns = one.columns.where(places[0]), two.columns.where(places[1])
    return Paired((one, two), places, columns, minimum, found.digest)


def _compared(head: dict[str, Any], paired: Paired) -> Comparison:
    first, second = paired.loaded
    common = len(paired.places[0])
    figures = {
        "comparable": True,
        "reason": None,
        "fields": [],
        "moved": [],
        **head,
        "baselines": None,
        "reference": {
            "minimum": paired.minimum,
            "digest": paired.digest,
            "tiers": _tiers(paired),
        },
        "statements": {
            "common": common,
            "only_in_first": len(first.statements) - common,
            "only_in_second": len(second.statements) - common,
        },
        **comparison.figures(*paired.columns),
    }
    changes = {
        name: list(_changes(paired, list_of(*paired.columns))) for name, list_of in LISTS.items()
    }
    return Comparison(figures, changes)


def _tiers(paired: Paired) -> dict[str, int]:
    """How many of the compared statements have a reference of each tier."""
    counts = dict.fromkeys(references.TIERS, 0)
    one, two = paired.columns
    for place in paired.places[0][one.compared & two.compared].tolist():
        counts[paired.loaded[0].references[place].tier] += 1
    return counts


def _changes(paired: Paired, changed: Disagreements) -> Iterator[Change]:
    for row, direction in zip(changed.rows.tolist(), changed.directions.tolist(), strict=True):
        yield _change(paired, row, DIRECTIONS[direction])


def _change(paired: Paired, row: int, direction: str | None) -> Change:
    first, second = paired.loaded
    at_first, at_second = int(paired.places[0][row]), int(paired.places[1][row])
    return Change(
        statement=int(first.statements[at_first]),
        reference=first.references[at_first],
        first=_answer(paired.columns[0], row),
        second=_answer(paired.columns[1], row),
        judgments=(int(first.judgments[at_first]), int(second.judgments[at_second])),
        direction=direction,
    )


def _alone(paired: Paired, side: int) -> Iterator[Change]:
    loaded = paired.loaded[side]
    rows = np.delete(np.arange(len(loaded.statements)), paired.places[side]).tolist()
    for row in rows:
        said, judgment = _answer(loaded.columns, row), int(loaded.judgments[row])
        yield Change(
            statement=int(loaded.statements[row]),
            reference=loaded.references[row],
            first=said if side == 0 else (None, None),
            second=said if side == 1 else (None, None),
            judgments=(judgment, None) if side == 0 else (None, judgment),
            direction=None,
        )


def _answer(columns: Columns, row: int) -> Answer:
    claim_class, verdict = int(columns.judge_class[row]), int(columns.judge_verdict[row])
    return (
        None if claim_class == NOTHING else CLASSES[claim_class].value,
        None if verdict == NOTHING else VERDICTS[verdict].value,
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
