"""Judges that cost nothing, beside a report: the floor that whoever costs more has to beat.

Of the lexical and of the learned kind each, the latest run that was finished on the report's set
revision under its labelling scope. Both are measured on the same statements, those that both
graded, against the references that the report froze. That is computed once and kept, so that
it stays as it was like everything else in a report; a run that is finished later is added.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from calibration.models import FINISHED, FloorBeside, Judgment, Report, Run
from calibration.stats.rates import clustered_rate
from grounding.interchange.models import Outcome
from grounding.judges import learned, lexical
from labeling.models import Case

KINDS: Final = (learned.NAME, lexical.NAME)
_NONE: Final = "no statement that both graded has a reference"

Answers = Mapping[int, tuple[str | None, str | None]]
"""Class and verdict by the statement's primary key."""


def beside(report: Report) -> list[dict[str, Any]]:
    """A floor of each kind that there is, as ``floor.judges`` of a report publishes it.

    ``judge`` is the judge of the report, ``floor`` the one that costs nothing. ``verdict`` is how
    often each has the verdict right, ``right`` the class too wherever all sides state one, as a
    comparison of the two runs counts it; both over the same statements.
    """
    return [_told(report, run, kind) for kind, run in _runs(report)]


def missing(report: Report) -> list[str]:
    """The kinds of which no run stands beside the report, other than its own."""
    if report.run.rubric_version.recorded:
        return []
    there = {kind for kind, _ in _runs(report)}
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
    latest: dict[str, Run] = {}
    for run in finished.select_related("rubric_version").order_by("finished_at", "pk"):
        latest[_kind(run)] = run
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


def _figures(report: Report, run: Run) -> dict[str, Any]:
    kept, _ = FloorBeside.objects.get_or_create(
        report=report, run=run, defaults={"figures": lambda: _computed(report, run)}
    )
    figures: dict[str, Any] = kept.figures
    return figures


def _computed(report: Report, run: Run) -> dict[str, Any]:
    references: Answers = {
        int(pk): (claim_class, verdict)
        for pk, (_, claim_class, verdict) in report.snapshot.references.items()
    }
    sides = {"judge": _graded(report.run), "floor": _graded(run)}
    both = sorted(sides["judge"].keys() & sides["floor"].keys() & references.keys())
    classed = {pk for pk in both if all(one[pk][0] for one in (*sides.values(), references))}
    cluster_of = _clusters(run)
    clusters = [cluster_of[pk] for pk in both]

    def verdicts(answers: Answers) -> list[bool]:
        return [answers[pk][1] == references[pk][1] for pk in both]

    def right(answers: Answers) -> list[bool]:
        classes = (pk not in classed or answers[pk][0] == references[pk][0] for pk in both)
        return [one and alike for one, alike in zip(verdicts(answers), classes, strict=True)]

    return {
        name: {
            side: clustered_rate(hits(answers), clusters, reason=_NONE).as_json()
            for side, answers in sides.items()
        }
        for name, hits in (("verdict", verdicts), ("right", right))
    }


def _clusters(run: Run) -> dict[int, str]:
    """What is right or wrong together: each statement's pair, else its case."""
    paired = Case.objects.filter(set=run.set_id, pair_id__isnull=False).order_by()
    pairs = dict(paired.values_list("pk", "pair_id"))
    rows = Judgment.objects.filter(run=run, repeat=0).values_list("statement_id", "case_pk")
    return {
        statement: f"pair {pairs[case]}" if case in pairs else f"case {case}"
        for statement, case in rows.iterator()
    }


def _graded(run: Run) -> Answers:
    rows = Judgment.objects.filter(run=run, repeat=0, outcome=Outcome.GRADED.value)
    named = rows.values_list("statement_id", "claim_class", "verdict")
    return {pk: (claim_class, verdict) for pk, claim_class, verdict in named.iterator()}
