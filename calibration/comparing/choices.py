"""Which two runs are compared: named by a run's number or a rubric version, or by default the
latest run against the baseline of its major version."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import QuerySet

from calibration import rubrics, runs
from calibration.models import FINISHED, Run
from grounding.errors import NotFound
from labeling.models import CalibrationSet

MOST: Final = 200
"""Runs and versions that a form offers; older ones are reached by their number in the URL."""


@dataclass(frozen=True)
class Choice:
    """What a page compares, and what else could be chosen.

    ``first`` or ``second`` is None where nothing was chosen and no default is there;
    ``own_baseline`` says that this is because ``second`` is itself a baseline.
    """

    first: Run | None
    second: Run | None
    runs: Sequence[Run]
    own_baseline: bool = False

    @property
    def versions(self) -> list[str]:
        """Each version once, the one that ran last first."""
        return list(dict.fromkeys(str(run.rubric_version) for run in self.runs))


def choose(
    calibration_set: CalibrationSet, *, first: str | None = None, second: str | None = None
) -> Choice:
    """NotFound for a run or version named that has no finished run on the set."""
    finished = _finished(calibration_set)[:MOST]
    named = _named(first, calibration_set)
    newer = _named(second, calibration_set) or _latest_change(finished, named)
    older = named or (baseline_of(newer) if newer else None)
    own = named is None and older is not None and newer is not None and older.pk == newer.pk
    return Choice(None if own else older, newer, list(finished), own)


def latest(reference: str, calibration_set: CalibrationSet) -> Run:
    """The latest finished run of ``NAME@VERSION``; NotFound where there is none."""
    version = rubrics.get(reference)
    run = runs.latest_finished(version, calibration_set)
    if run is None:
        raise NotFound(f"{version} has no finished run on {calibration_set}")
    return run


def finished(reference: str, calibration_set: CalibrationSet, pk: int | None = None) -> Run:
    """The run of ``NAME@VERSION`` with that number, or its latest finished one; NotFound where
    there is none."""
    if pk is None:
        return latest(reference, calibration_set)
    version = rubrics.get(reference)
    run = Run.objects.filter(rubric_version=version, set=calibration_set, pk=pk).first()
    if run is None:
        raise NotFound(f"{version} has no run {pk} on {calibration_set}")
    return run


def baseline_of(run: Run) -> Run | None:
    """The baseline that the run is read against; itself where it is one."""
    version = run.rubric_version
    if version.major is None:
        return None
    return runs.baseline(version.name, version.major, run.set)


def _named(name: str | None, calibration_set: CalibrationSet) -> Run | None:
    if not name:
        return None
    if not name.isdecimal():
        return latest(name, calibration_set)
    found = _finished(calibration_set).filter(pk=name).first() if len(name) < 10 else None
    if found is None:
        raise NotFound("there is no such finished run on this set")
    return found


def _latest_change(finished: Iterable[Run], first: Run | None) -> Run | None:
    """The latest run that can be read against something: against ``first``, or its baseline."""
    if first is not None:
        return next((run for run in finished if run.pk != first.pk), None)
    baselines: dict[tuple[str, int | None], Run | None] = {}
    for run in finished:
        line = run.rubric_version.name, run.rubric_version.major
        if line not in baselines:
            baselines[line] = baseline_of(run)
        found = baselines[line]
        if found is not None and found.pk != run.pk:
            return run
    return None


def _finished(calibration_set: CalibrationSet) -> QuerySet[Run]:
    """The latest first, with the versions that they ran and without definitions."""
    finished = Run.objects.filter(FINISHED, set=calibration_set)
    with_version = finished.select_related("rubric_version", "set")
    return with_version.defer("rubric_version__definition").order_by("-finished_at", "-pk")
