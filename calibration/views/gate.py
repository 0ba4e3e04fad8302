"""What stands between a rubric version and a pass of its gate, for those who lead the set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from calibration import gate as gates
from calibration import reports
from calibration.access import rubric_version_for
from calibration.gate import Measured, gating
from calibration.gate.gating import Check
from calibration.models import Report, RubricVersion
from calibration.readings import behind
from calibration.rendering import gate as rendering
from calibration.views.reports import lists_of
from grounding.errors import Refused
from labeling.access import Member, set_for
from labeling.models import Role
from labeling.sets import exposures
from labeling.web import parameters
from labeling.web.responses import Request


@require_safe
def gate(request: Request, slug: str, name: str, version: str) -> HttpResponse:
    member = set_for(request.user, slug, at_least=Role.LEAD)
    found = rubric_version_for(request.user, name, version)
    parameters.read(request.GET, {})
    exposures.record(member.set, request.user, "report")
    shown = {"member": member, "here": "runs", "version": found, **_told(member, found)}
    return render(request, "calibration/gate.html", shown)


def _told(member: Member, version: RubricVersion) -> Mapping[str, Any]:
    try:
        measured = gates.measure(version, member.set)
    except Refused as refusal:
        return {"refusal": str(refusal)}
    report = gates.report_of(measured)
    return {
        "result": measured.result,
        "sign": rendering.SIGNS[measured.result],
        "sentence": rendering.sentence(gates.full(version, measured)),
        "run": measured.run,
        "baseline": measured.baseline,
        "report": report,
        "few": any(check.takes_labels for check in measured.checks),
        "rows": [_row(check) for check in _checks(measured, report)],
    }


def _checks(measured: Measured, report: Report | None) -> list[Check]:
    """With the links of the report against the same references, where there is one."""
    if report is None:
        return measured.checks
    lists = lists_of(report, measured.run.set.slug)
    figures = behind.linked({**reports.figures(report), **measured.figures}, lists)
    return gating.checks(measured.policy, figures, measured.failed, measured.leniency)


def _row(check: Check) -> dict[str, Any]:
    said = check.as_json()
    return {
        "check": check,
        "name": rendering.name_of(said),
        "sign": rendering.SIGNS[check.result],
        "required": rendering.required(said),
        "reach": rendering.reach(said),
    }
