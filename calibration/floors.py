"""Judges that cost nothing, beside a report: the floor that whoever costs more has to beat.

Of the lexical and of the learned kind each, the latest run that was finished on the report's set
revision under its labelling scope. Both are measured on the same statements, those that both
graded, against the references that the report froze. That is computed once and kept, so that
it stays as it was like everything else in a report; a run that is finished later is added.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from typing import Any, Final

from calibration.columns import VERDICTS
from calibration.models import FINISHED, FloorBeside, Judgment, Report, Run
from calibration.stats.rates import clustered_rate
from calibration.stats.results import RateJSON
from grounding.contract import FAILING, Verdict
from grounding.interchange.models import Outcome
from grounding.judges import learned, lexical
from labeling.models import Case

KINDS: Final = (learned.NAME, lexical.NAME)
_NONE: Final = "no statement that both graded has a reference"
_NO_FAILING: Final = "no statement that both graded is unsupported or contradictory"
_NO_SUPPORTED: Final = "no statement that both graded is supported by its reference"

Answer = tuple[str | None, str | None]
"""Class and verdict."""
Answers = Mapping[int, Answer]
"""By the statement's primary key."""
Hit = Callable[[Answer, Answer], bool]
"""Whether a judge's answer, beside the reference, is one to be counted."""


def beside(report: Report) -> list[dict[str, Any]]:
    """A floor of each kind that there is, as ``floor.judges`` of a report publishes it.

    ``judge`` is the judge of the report, ``floor`` the one that costs nothing. ``verdict`` is how
    often each has the verdict right, ``right`` the class too wherever all sides state one, as a
    comparison of the two runs counts it; both over the same statements. ``lenient`` and ``strict``
    are the direction of each one's errors, as in the report, over those of these statements that
    fail or are supported by their references.
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
    """One that was kept before it told the direction of errors is computed again: the runs and the
    references are still the same."""
    kept, _ = FloorBeside.objects.get_or_create(
        report=report, run=run, defaults={"figures": lambda: _computed(report, run)}
    )
    if "lenient" not in kept.figures:
        kept.figures = _computed(report, run)
        kept.save(update_fields=["figures"])
    figures: dict[str, Any] = kept.figures
    return figures


def _computed(report: Report, run: Run) -> dict[str, Any]:
    references: Answers = {
        int(pk): (frozen[1], frozen[2]) for pk, frozen in report.snapshot.references.items()
    }
    human, judge, floor = _on_the_same(references, _graded(report.run), _graded(run))
    cluster_of = _clusters(run)

    def shares(hit: Hit, verdicts: Container[str], reason: str) -> dict[str, RateJSON]:
        """Of each side: on how many of the statements with these references it is a hit."""
        among = [pk for pk in human if human[pk][1] in verdicts]
        clusters = [cluster_of[pk] for pk in among]
        return {
            side: clustered_rate(
                [hit(said[pk], human[pk]) for pk in among], clusters, reason=reason
            ).as_json()
            for side, said in (("judge", judge), ("floor", floor))
        }

    return {
        "verdict": shares(lambda said, true: said[1] == true[1], VERDICTS, _NONE),
        "right": shares(lambda said, true: said == true, VERDICTS, _NONE),
        "lenient": shares(lambda said, _: said[1] == Verdict.SUPPORTED, FAILING, _NO_FAILING),
        "strict": shares(lambda said, _: said[1] in FAILING, {Verdict.SUPPORTED}, _NO_SUPPORTED),
    }


def _on_the_same(*sides: Answers) -> list[Answers]:
    """The answers on the statements that all sides have, with a class where all state one."""
    both = sorted(set.intersection(*(set(side) for side in sides)))
    classed = {pk for pk in both if all(side[pk][0] for side in sides)}
    return [
        {pk: (side[pk][0] if pk in classed else None, side[pk][1]) for pk in both} for side in sides
    ]


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
