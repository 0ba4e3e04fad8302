"""What a production score means by one report: counts in a link, corrected shares out."""

from __future__ import annotations

from typing import Any, Final

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from calibration import production
from calibration.access import report_for
from calibration.models import Report
from calibration.readings import behind_production
from calibration.rendering import production as rendering
from calibration.rendering.sentences import AUTHOR_ALONE, author_alone
from calibration.stats.production import Production
from grounding.errors import BadInput
from labeling.sets import exposures
from labeling.web import parameters
from labeling.web.responses import Request

FIELDS: Final = ("supported", "judged", "effective_n")


@require_safe
def of_report(request: Request, slug: str, pk: int) -> HttpResponse:
    member, report = report_for(request.user, slug, pk)
    given = parameters.read(request.GET, dict.fromkeys(FIELDS, parameters.ANY))
    exposures.record(member.set, request.user, "report")
    counts, refused = _counts(given)
    context = {
        "member": member,
        "here": "runs",
        "report": report,
        "given": given,
        "refused": refused,
        "defined": rendering.DEFINED,
        "sides": rendering.SIDES,
        **_told(report, slug, counts),
    }
    return render(request, "calibration/production.html", context, status=400 if refused else 200)


def _counts(given: dict[str, str]) -> tuple[Production | None, BadInput | None]:
    """Production's counts; None where none were sent, or where they were refused, and why."""
    if not given:
        return None, None
    try:
        return production.read(*(given.get(name, "") for name in FIELDS)), None
    except BadInput as error:
        return None, error


def _told(report: Report, slug: str, counts: Production | None) -> dict[str, Any]:
    """What can be said without counts as well: how the judge errs here."""
    measured = production.measure(report, counts or Production(0, 0))
    statements = reverse("report-statements", args=[slug, report.pk])
    linked = behind_production.linked(measured, statements)
    shares = [
        {
            "name": rendering.NAMES[name],
            "assumed": rendering.ASSUMED[name],
            "share": rendering.share(measured, name),
            "outside": rendering.outside(measured, name),
        }
        for name in rendering.SHARES
    ]
    return {
        "measured": linked,
        "asked": counts,
        "shares": shares,
        "sentence": rendering.sentence(measured),
        "author_alone": AUTHOR_ALONE if author_alone(measured["reference"]) else None,
        "independent": counts is not None and counts.effective_n is None,
        "note": rendering.INDEPENDENT,
    }
