"""The lead's pages about answers: the lists behind a report's numbers, and one answer in full."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from calibration.access import answer_for, report_for
from calibration.readings import answer_pages
from calibration.rendering import answers as told
from calibration.rendering.sentences import AUTHOR_ALONE, author_alone
from calibration.reports import answer_lists
from labeling.sets import exposures
from labeling.web import parameters
from labeling.web.responses import Request


@require_safe
def answers(request: Request, slug: str, pk: int) -> HttpResponse:
    member, report = report_for(request.user, slug, pk)
    filters = parameters.read(request.GET, answer_lists.FILTERS)
    exposures.record(member.set, request.user, "report")
    sheet = answer_lists.sheet_of(report)
    context = {"member": member, "here": "runs", "report": report, "filters": filters}
    context["measured"] = sheet is not None
    if sheet is not None:
        found = answer_lists.AnswerList(sheet, filters)
        context |= {
            "claims": found.claims(),
            "labels": answer_lists.FILTER_LABELS,
            "choices": answer_lists.FILTERS,
            "page": parameters.page_of(found, request.GET),
        }
    return render(request, "calibration/answers.html", context)


@require_safe
def answer(request: Request, slug: str, pk: int, case: int) -> HttpResponse:
    member, report, found = answer_for(request.user, slug, pk, case)
    parameters.read(request.GET, {})
    exposures.record(member.set, request.user, "report")
    sheet = answer_lists.sheet_of(report)
    context = {
        "member": member,
        "here": "runs",
        "report": report,
        "case": found,
        "answer": answer_pages.lay_out(report, sheet, found) if sheet else None,
        "author_alone": AUTHOR_ALONE if author_alone(report.figures["reference"]) else None,
        "policy": told.policy(report.figures["answers"]["policy"]) if sheet else None,
        "stages": told.STAGE_MEANINGS,
        "bases": told.BASIS_MEANINGS,
        "behaviours": told.BEHAVIOUR_MEANINGS,
        "lexical_limit": told.LEXICAL_LIMIT,
    }
    return render(request, "calibration/answer.html", context)
