"""The baselines of two runs that cannot be compared: each by itself, on all that it graded."""

from __future__ import annotations

from collections.abc import Mapping

from calibration import loading, runs
from calibration.agreement import Figures, comparison
from calibration.models import Run
from labeling import references


def each(origins: Mapping[str, Run | None], minimum: str) -> dict[str, Figures | None]:
    """As the versions page has them, against the references as they are now; None for none."""
    return {which: _alone(run, minimum) if run else None for which, run in origins.items()}


def _alone(run: Run, minimum: str) -> Figures:
    contract_major = run.rubric_version.contract_major
    found = references.resolve(run.set, run.revision, contract_major, minimum)
    headlines = comparison.headlines(loading.load(run, found.frozen).columns)
    return {**runs.identity(run), "digest": found.digest, **headlines}
