"""What a judge's score of production means, by the references that one of its reports froze.

Production counts the statements that the judge called supported among those that it called
supported, unsupported or contradictory. What is labelled is counted alike: the compared statements
of the report to which the judge gave one of these three. What the judge called not applicable is
in neither count. A statement that people call not applicable and the judge graded all the same
stays: it is in production's count too, and nothing supports it, so it counts as not supported.
The share that is corrected is therefore: of the statements that the judge grades, those that
people call supported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from calibration import asked, reports
from calibration.models import Judgment, Report
from calibration.runs.rounds import AsOf
from calibration.stats.production import Production, corrected_share
from calibration.stats.results import plain
from grounding.contract import Verdict
from grounding.errors import BadInput

MOST: Final = 10**12

_HEAD: Final = ("set", "rubric", "run", "reference")
_ROWS: Final = ("statement_id", "verdict", "statement__case_id", "statement__case__pair_id")
_SUPPORTED: Final = Verdict.SUPPORTED.value
_NOT_APPLICABLE: Final = Verdict.NOT_APPLICABLE.value


class Labelled(NamedTuple):
    """A compared statement: what people and the judge call it, and its cluster."""

    human: str
    judge: str
    cluster: str


def read(supported: str, judged: str, effective_n: str = "") -> Production:
    """Production's counts as they were typed; BadInput, with the field, for what cannot be."""
    total = asked.whole(judged, "judged", most=MOST)
    passed = asked.whole(supported, "supported", most=MOST)
    if passed > total:
        raise BadInput(f"{passed:,} are more than were judged, {total:,}", field="supported")
    if not effective_n.strip():
        return Production(passed, total)
    worth = asked.decimal(effective_n, "effective_n", least=0, most=MOST)
    if not 0 < worth <= total:
        raise BadInput(f"lies above 0, and no higher than judged, {total:,}", field="effective_n")
    return Production(passed, total, worth)


def measure(report: Report, production: Production) -> dict[str, Any]:
    """The corrected share beside the raw one, as ``production --json`` prints it.

    Of judgments and references it takes those of the report, so it says the same for ever.
    """
    every = labelled(report)
    rows = [row for row in every if row.judge != _NOT_APPLICABLE]
    found = corrected_share(
        production,
        np.array([row.human == _SUPPORTED for row in rows], dtype=np.bool_),
        np.array([row.judge == _SUPPORTED for row in rows], dtype=np.bool_),
        np.array([row.cluster for row in rows], dtype=np.str_),
    )
    figures = reports.figures(report)
    return {
        **{name: figures[name] for name in _HEAD},
        "report": report.pk,
        "production": plain(production),
        **plain(found),
        "labelled": _counts(every, rows),
    }


def labelled(report: Report) -> list[Labelled]:
    """The compared statements of a report, as they were in its round."""
    judged = Judgment.objects.filter(run=report.run_id, repeat=0)
    rows = AsOf(report.run, report.round).graded(judged).order_by("pk").values_list(*_ROWS)
    references: Mapping[str, Sequence[Any]] = report.snapshot.references
    return [
        Labelled(references[str(pk)][2], verdict, _cluster(case, pair))
        for pk, verdict, case, pair in rows.iterator(chunk_size=10_000)
        if str(pk) in references
    ]


def _cluster(case: int, pair: str | None) -> str:
    return f"case {case}" if pair is None else f"pair {pair}"


def _counts(every: Sequence[Labelled], rows: Sequence[Labelled]) -> dict[str, int]:
    return {
        "n": len(rows),
        "not_applicable_by_people": sum(row.human == _NOT_APPLICABLE for row in rows),
        "left_out": len(every) - len(rows),
    }
