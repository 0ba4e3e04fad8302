"""Judges that cost nothing, beside a report: the floor that whoever costs more has to beat.

Of the lexical and of the learned kind each, the latest run that was finished on the report's set
revision under its labelling scope. Both are measured on the same statements, those that both
graded, against the references that the report froze. That is computed once and kept, so that
it stays as it was like everything else in a report; a run that is finished later is added.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from calibration.columns import CLASSES, NOTHING, VERDICTS, Codes, Flags, codebook
from calibration.models import FINISHED, FloorBeside, Judgment, Report, Run
from calibration.stats.rates import rate
from grounding.interchange.models import Outcome
from grounding.judges import learned, lexical
from labeling.numbers import code_of, numbers, places_of

KINDS: Final = (learned.NAME, lexical.NAME)
_NONE: Final = "no statement that both graded has a reference"

_CLASS: Final = codebook(CLASSES)
_VERDICT: Final = codebook(VERDICTS)


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
    frozen, sides = report.snapshot.frozen, [_graded(report.run), _graded(run)]
    both = np.intersect1d(sides[0].statement, sides[1].statement)
    which = frozen.of_statements(both)
    statements, answers = both[which != NOTHING], [answer[1:3] for answer in frozen.answers]
    reference = np.array(
        [(_CLASS[claim_class], _VERDICT[verdict]) for claim_class, verdict in answers],
        dtype=np.int64,
    ).reshape(-1, 2)[which[which != NOTHING]]
    judge, floor = (side.of(statements) for side in sides)
    classed = np.all([answers[:, 0] != NOTHING for answers in (reference, judge, floor)], axis=0)

    def verdicts(answers: Codes) -> Flags:
        flags: Flags = answers[:, 1] == reference[:, 1]
        return flags

    def right(answers: Codes) -> Flags:
        flags: Flags = verdicts(answers) & (~classed | (answers[:, 0] == reference[:, 0]))
        return flags

    return {
        name: {
            side: rate(int(counted(answers).sum()), len(statements), reason=_NONE).as_json()
            for side, answers in (("judge", judge), ("floor", floor))
        }
        for name, counted in (("verdict", verdicts), ("right", right))
    }


class _Graded(NamedTuple):
    """What a run judged of each statement that it graded."""

    statement: Codes
    claim_class: Codes
    verdict: Codes

    def of(self, statements: Codes) -> Codes:
        """Class and verdict of each, in columns."""
        places = places_of(self.statement, statements)
        return np.column_stack([self.claim_class[places], self.verdict[places]])


def _graded(run: Run) -> _Graded:
    rows = Judgment.objects.filter(run=run, repeat=0, outcome=Outcome.GRADED.value)
    codes = code_of("claim_class", CLASSES), code_of("verdict", VERDICTS)
    return _Graded(*numbers(rows, "statement_id", *codes))
