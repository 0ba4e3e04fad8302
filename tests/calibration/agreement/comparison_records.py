"""Fourteen statements that two judges answered, and runs of them in the database.

What must come of them is derived by hand in test_comparison.
"""

from __future__ import annotations

from collections.abc import Sequence

from calibration.models import RubricVersion, Run
from labeling.models import CalibrationSet
from tests.calibration.report_fixtures import Row
from tests.calibration.report_records import a_run, a_set

# human, first, second
HAND = [
    ("Ss", "Ss", "Ss"),  # both right
    ("Ss", "Ss", "Su"),  # broke, strict
    ("Su", "Su", "Ss"),  # broke, lenient
    ("Su", "Su", "Ss"),  # broke, lenient
    ("Sc", "Su", "Ss"),  # neither, and newly lenient all the same
    ("Sc", "Ss", "Sc"),  # fixed, lenient
    ("In", "In", "In"),  # both right
    ("Ss", "Es", "Ss"),  # fixed, class escape
    (".s", "Ss", "Su"),  # broke, strict; the reference states no class
    ("..", "Ss", "Su"),  # without a reference
    ("Ss", "timeout", "Ss"),  # the first failed
    ("Ss", "Ss", "unreadable"),  # the second failed
    ("Ss", "missing", "missing"),  # both failed
    ("Ss", ".s", "Es"),  # both right: only one states a class, so neither is held to one
]

Three = tuple[str, str, str]


def sides(rows: Sequence[Three] = HAND) -> tuple[list[Row], list[Row]]:
    return [Row(human, one) for human, one, _ in rows], [Row(human, two) for human, _, two in rows]


def two_runs(
    rows: Sequence[Three] = HAND,
    versions: tuple[RubricVersion, RubricVersion] | None = None,
    slug: str = "made",
) -> tuple[Run, Run]:
    """Of recorded versions 1.0.0 and 1.1.0, or of the versions given; any failures will do."""
    first, second = sides(rows)
    made = a_set(first, slug=slug)
    both = (
        a_run(made, first, "1.0.0", failure_ceiling=1.0),
        a_run(made, second, "1.1.0", failure_ceiling=1.0),
    )
    for run, version in zip(both, versions or (), strict=False):
        run.rubric_version = version
        run.save()
    return both


def next_revision(made: CalibrationSet, run: Run, position: int) -> None:
    """The set moves on without one case, and the run is of the new revision."""
    case = made.cases.get(position=position)
    case.superseded_in = 2
    case.save()
    made.revision = 2
    made.save()
    run.judgments.filter(statement__case=case).delete()
    run.revision = 2
    run.planned -= 1
    run.save()
