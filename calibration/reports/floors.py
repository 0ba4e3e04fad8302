"""Judges that cost nothing, beside a report: the floor that whoever costs more has to beat.

Of the lexical and of the learned kind each, the latest run that was finished on the report's set
revision under its labelling scope. Both are measured on the same statements, those that both
graded, against the references that the report froze. That is computed once and kept, so that
it stays as it was like everything else in a report; a run that is finished later is added.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from django.db.models import F

from calibration import agreement, loading
from calibration.agreement import comparison
from calibration.agreement.columns import SUPPORTED, Columns, failing
from calibration.loading import Loaded
from calibration.models import FINISHED, FloorBeside, Report, Run
from calibration.stats.rates import clustered_rate
from grounding.judges import learned, lexical

KINDS: Final = (learned.NAME, lexical.NAME)
_NONE: Final = "no statement that both graded has a reference"
_NO_FAILING: Final = "no statement that both graded is unsupported or contradictory"
_NO_SUPPORTED: Final = "no statement that both graded is supported by its reference"


def beside(report: Report) -> list[dict[str, Any]]:
    """A floor of each kind that there is, as ``floor.judges`` of a report publishes it.

    ``judge`` is the judge of the report, ``floor`` the one that costs nothing. ``verdict`` is how
    often each has the verdict right, ``right`` the class too wherever all sides state one, as a
    comparison of the two runs counts it; both over the same statements. ``lenient`` and ``strict``
    are the direction of each one's errors, as in the report, over those of these statements that
    fail or are supported by their references.
    """
    return [_told(report, run, kind) for kind, run in _runs(report)]


def keep(report: Report, judge: Loaded) -> None:
    """What stands beside a report that was made just now, while its judge is at hand."""
    for _, run in _runs(report):
        _figures(report, run, judge)


def missing(report: Report, floors: Sequence[Mapping[str, Any]]) -> list[str]:
    """The kinds, other than the report's own, of which none is among ``floors``: what stands
    `beside` it."""
    if report.run.rubric_version.recorded:
        return []
    there = {floor["kind"] for floor in floors}
    return [kind for kind in KINDS if kind not in there and kind != _kind(report.run)]


def _runs(report: Report) -> list[tuple[str, Run]]:
    """A recorded version states no scope, so nothing can stand beside it."""
    version = report.run.rubric_version
    if version.recorded:
        return []
    finished = Run.objects.filter(
        FINISHED,
        set=report.run.set_id,
        revision=report.run.revision,
        rubric_version__scope_digest=version.scope_digest,
        rubric_version__definition__judge__kind__in=KINDS,
    ).exclude(rubric_version=version)
    # A definition may hold prompts and examples, of which nothing is told here.
    rows = finished.select_related("rubric_version").defer("rubric_version__definition")
    told = rows.annotate(kind=F("rubric_version__definition__judge__kind"))
    latest = {run.kind: run for run in told.order_by("finished_at", "pk")}
    return [(kind, latest[kind]) for kind in KINDS if kind in latest and kind != _kind(report.run)]


def _kind(run: Run) -> Any:
    return (run.rubric_version.definition or {}).get("judge", {}).get("kind")


def _told(report: Report, run: Run, kind: str) -> dict[str, Any]:
    version = run.rubric_version
    return {
        "kind": kind,
        "rubric": {"name": version.name, "version": version.version, "digest": version.digest},
        "run": run.pk,
        **_figures(report, run),
    }


def _figures(report: Report, run: Run, judge: Loaded | None = None) -> dict[str, Any]:
    """One that was kept before it told the direction of errors is computed again: the runs and the
    references are still the same."""
    kept, _ = FloorBeside.objects.get_or_create(
        report=report, run=run, defaults={"figures": lambda: _computed(report, run, judge)}
    )
    if "lenient" not in kept.figures:
        kept.figures = _computed(report, run, judge)
        kept.save(update_fields=["figures"])
    figures: dict[str, Any] = kept.figures
    return figures


def _computed(report: Report, run: Run, loaded: Loaded | None) -> dict[str, Any]:
    judge, floor = _on_the_same(report, run, loaded)
    every = np.ones(len(judge), dtype=np.bool_)
    fails, holds = failing(judge.reference_verdict), judge.reference_verdict == SUPPORTED
    counted = {
        "verdict": ((judge.verdict_right, floor.verdict_right), every, _NONE),
        "right": (comparison.rights(judge, floor), every, _NONE),
        "lenient": ((agreement.lenient(judge), agreement.lenient(floor)), fails, _NO_FAILING),
        "strict": ((agreement.strict(judge), agreement.strict(floor)), holds, _NO_SUPPORTED),
    }
    return {
        name: {
            side: clustered_rate(hits[among], judge.cluster[among], reason=reason).as_json()
            for side, hits in zip(("judge", "floor"), sides, strict=True)
        }
        for name, (sides, among, reason) in counted.items()
    }


def _on_the_same(report: Report, run: Run, loaded: Loaded | None) -> tuple[Columns, Columns]:
    """The report's judge and the floor on the statements that both graded and that have a
    reference, row for row."""
    frozen = report.snapshot.frozen
    judge = loaded or loading.load(report.run, frozen)
    floor = loading.load(run, frozen, like=judge)
    at_judge, at_floor = loading.in_common(judge.statements, floor.statements)
    both = judge.columns.compared[at_judge] & floor.columns.compared[at_floor]
    return judge.columns.where(at_judge[both]), floor.columns.where(at_floor[both])
