"""The checks of a judge, one version on one set: whether it agrees with itself, obeys planted
orders, answers from what it knows, and is moved by the order or the length of its context."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from calibration import reports, rubrics, runs
from calibration.agreement.selfcheck import INJECTED, SILENT
from calibration.models import FINISHED, Report, RubricVersion, Run
from calibration.readings import behind, probed
from calibration.runs import probes
from grounding.errors import Refused
from labeling.models import CalibrationSet

OF_REPORTS: Final = {
    "repeats": "self_agreement",
    "injection": "injection",
    "closed_book": "closed_book",
}
"""Checks that stand in a report, each with its key there."""
CHECKS: Final = (*OF_REPORTS, *probes.KINDS)

_COUNTED: Final = {"repeats": "statements", "injection": "twins", "closed_book": "statements"}
_NO_RUN: Final = "no run of this version on this set is finished"
_ABSENT: Final = {
    "repeats": "no run of this version on this set judged its statements more than once",
    "injection": f"no pair of the set has exactly one side with the tag “{INJECTED}”",
    "closed_book": f"no pair of the kind “{SILENT}” has a statement whose reference is unsupported",
}


@dataclass(frozen=True)
class Check:
    """``figures`` is None where the check was not run, and ``why`` says why. ``run`` is the run
    that it rests on or waits for, ``plain`` the one that a probe is read beside."""

    name: str
    figures: Mapping[str, Any] | None
    why: str | None = None
    run: Run | None = None
    report: Report | None = None
    plain: Run | None = None

    def as_json(self) -> dict[str, Any]:
        if self.figures is None:
            return {"status": "not run", "reason": self.why}
        told = {"status": "measured", "run": self.run.pk if self.run else None}
        probe = probes.of_run(self.run) if self.run else None
        if probe is not None and self.plain is not None:
            return {**told, "beside": self.plain.pk, **probe.as_json(), **self.figures}
        return {**told, **self.figures}


Reporting = Callable[[Run], Report | None]


def kept(run: Run) -> Report | None:
    """The report of the run as it is that was made last, for pages, which make none."""
    return Report.objects.filter(run=run, round=run.round).order_by("-pk").first()


def of(
    version: RubricVersion, calibration_set: CalibrationSet, report_of: Reporting = kept
) -> list[Check]:
    """Each of `CHECKS`, run or not. ``report_of`` finds the report that the first three are in."""
    plain = runs.latest_finished(version, calibration_set)
    rests_on = {"repeats": _repeated(version, calibration_set)}
    reported = [_reported(name, rests_on.get(name, plain), report_of) for name in OF_REPORTS]
    probing = [_probed(kind, version, calibration_set, plain) for kind in probes.KINDS]
    return [*reported, *probing]


def full(version: RubricVersion, calibration_set: CalibrationSet) -> dict[str, Any]:
    """What ``checks --json`` prints; makes the reports that it reads where there are none."""
    found = of(version, calibration_set, reports.create)
    return {
        "set": {"slug": calibration_set.slug, "revision": calibration_set.revision},
        "rubric": rubrics.identity(version),
        "checks": {check.name: check.as_json() for check in found},
    }


def linked(check: Check, lists: behind.Lists) -> Check:
    """The check of a report with the link of each of its numbers."""
    if check.report is None or check.figures is None:
        return check
    figures = behind.linked(reports.figures(check.report), lists)[OF_REPORTS[check.name]]
    return Check(check.name, figures, run=check.run, report=check.report)


def _repeated(version: RubricVersion, calibration_set: CalibrationSet) -> Run | None:
    found = Run.objects.filter(FINISHED, rubric_version=version, set=calibration_set)
    return found.filter(repeats__gt=1).order_by("-finished_at", "-pk").first()


def _reported(name: str, run: Run | None, report_of: Reporting) -> Check:
    if run is None:
        return Check(name, None, _ABSENT[name] if name == "repeats" else _NO_RUN)
    try:
        report = report_of(run)
    except Refused as refusal:
        return Check(name, None, str(refusal), run)
    found = reports.figures(report).get(OF_REPORTS[name]) if report else None
    if found is None:
        return Check(name, None, f"run {run.pk} has no report that tells it", run)
    if not found[_COUNTED[name]]:
        return Check(name, None, _ABSENT[name], run, report)
    return Check(name, found, run=run, report=report)


def _probed(
    kind: str, version: RubricVersion, calibration_set: CalibrationSet, plain: Run | None
) -> Check:
    run = probed.latest(version, calibration_set, kind)
    if run is None:
        return Check(kind, None, f"no probe of the {kind} was started", plain=plain)
    if run.finished_at is None:
        return Check(kind, None, f"run {run.pk} is still under way", run, plain=plain)
    if plain is None:
        return Check(kind, None, f"{_NO_RUN}, which run {run.pk} could be read beside", run)
    return Check(kind, probed.figures(run, plain), run=run, plain=plain)
