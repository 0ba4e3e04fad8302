"""The baselines of two runs that cannot be compared: each by itself, on all that it graded."""

from __future__ import annotations

from typing import Any

from calibration import loading, rubrics
from calibration.agreement import Figures, comparison
from calibration.comparing.choices import baseline_of
from calibration.models import Run
from labeling import references


def of_both(first: Run, second: Run, minimum: str) -> dict[str, Figures | None]:
    """Of each the baseline of its line, None where it has none."""
    return {
        which: _alone(baseline, minimum) if baseline else None
        for which, baseline in (("first", baseline_of(first)), ("second", baseline_of(second)))
    }


def _alone(run: Run, minimum: str) -> Figures:
    """As the versions page has it, against the references as they are now."""
    contract_major = run.rubric_version.contract_major
    found = references.resolve(run.set, run.revision, contract_major, minimum)
    told: dict[str, Any] = {
        "id": run.pk,
        "rubric": rubrics.identity(run.rubric_version),
        "revision": run.revision,
        "finished_at": run.finished_at.isoformat() if run.finished_at else None,
        "digest": found.digest,
    }
    return {**told, **comparison.headlines(loading.load(run, found.frozen).columns)}
