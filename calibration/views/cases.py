"""One case revision as its lead reads it: passages, labels, and what judges said of it."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from calibration.runs import judgments
from labeling.access import case_for
from labeling.authoring import casefiles
from labeling.sets import exposures
from labeling.web import parameters
from labeling.web.responses import Request


@require_safe
def case(request: Request, slug: str, pk: int) -> HttpResponse:
    member, case = case_for(request.user, slug, pk)
    parameters.read(request.GET, {})
    exposures.record(member.set, request.user, "case")
    context = {
        "member": member,
        "here": "cases",
        "case": case,
        "file": casefiles.lay_out(case),
        "judgments": judgments.latest_on(case),
    }
    return render(request, "calibration/case.html", context)
