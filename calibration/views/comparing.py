"""The lead's page that reads two runs side by side: `calibration.comparing` on one page."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from calibration import choices, sidebyside
from labeling import exposures, parameters
from labeling.access import set_for
from labeling.models import Role
from labeling.responses import Request


@require_safe
def compare(request: Request, slug: str) -> HttpResponse:
    member = set_for(request.user, slug, at_least=Role.LEAD)
    given = parameters.read(request.GET, {"first": parameters.ANY, "second": parameters.ANY})
    choice = choices.choose(member.set, **given)
    exposures.record(member.set, request.user, "comparison")
    context = {
        "member": member,
        "here": "runs",
        "choice": choice,
        "given": given,
        "reading": sidebyside.read(choice),
    }
    return render(request, "calibration/compare.html", context)
