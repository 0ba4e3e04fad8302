"""The lists behind what a report says of people: ratings, pairs of ratings, annotators."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from calibration import reports
from calibration.access import report_for
from calibration.agreement.rated import Rated
from calibration.models import Report
from calibration.readings import behind_humans, rating_lists
from calibration.reports import rating_sheets
from grounding.errors import NotFound
from labeling.access import Member
from labeling.sets import exposures
from labeling.web import parameters
from labeling.web.responses import Request


@require_safe
def ratings(request: Request, slug: str, pk: int) -> HttpResponse:
    member, report = report_for(request.user, slug, pk)
    filters = parameters.read(request.GET, rating_lists.RATING_FILTERS)
    exposures.record(member.set, request.user, "report")
    sheet = _sheet_of(report)
    context = {
        **_shared(member, report, filters),
        "labels": rating_lists.RATING_LABELS,
        "choices": {**rating_lists.RATING_FILTERS, "annotator": sheet.annotators},
        "page": parameters.page_of(rating_lists.RatingList(sheet, filters), request.GET),
    }
    return render(request, "calibration/ratings.html", context)


@require_safe
def rating_pairs(request: Request, slug: str, pk: int) -> HttpResponse:
    member, report = report_for(request.user, slug, pk)
    filters = parameters.read(request.GET, rating_lists.PAIR_FILTERS)
    exposures.record(member.set, request.user, "report")
    listed = rating_lists.RatingPairList(_sheet_of(report), filters)
    context = {
        **_shared(member, report, filters),
        "of": filters.get("of", "verdict"),
        "page": parameters.page_of(listed, request.GET),
    }
    return render(request, "calibration/rating_pairs.html", context)


@require_safe
def annotators(request: Request, slug: str, pk: int) -> HttpResponse:
    member, report = report_for(request.user, slug, pk)
    filters = parameters.read(request.GET, {"result": [*rating_lists.RESULTS]})
    exposures.record(member.set, request.user, "report")
    test = reports.figures(report).get("alternative_annotator")
    if test is None:
        raise NotFound("this report was made before people stood beside its judge")
    url = reverse("report-ratings", args=[slug, report.pk])
    found = rating_lists.annotators(test, filters.get("result"))
    context = {
        **_shared(member, report, filters),
        "told": rating_lists.RESULTS.get(filters.get("result", "")),
        "results": rating_lists.RESULTS.items(),
        "test": test,
        "page": parameters.page_of(
            [behind_humans.annotator(one, url) for one in found], request.GET
        ),
    }
    return render(request, "calibration/annotators.html", context)


def _shared(member: Member, report: Report, filters: dict[str, str]) -> dict[str, Any]:
    return {"member": member, "here": "runs", "report": report, "filters": filters}


def _sheet_of(report: Report) -> Rated:
    sheet = rating_sheets.sheet_of(report)
    if sheet is None:
        raise NotFound("this report was made before people stood beside its judge")
    return sheet
