"""The lead's pages about frozen reports: the report, its full lists of errors, its downloads."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from calibration import charts, readings, rendering, reports
from calibration.access import report_for, run_for
from calibration.agreement import DIRECTIONS
from calibration.agreement.tags import RISK
from calibration.models import Report
from calibration.readings import (
    behind,
    behind_answers,
    behind_humans,
    behind_sureness,
    comparisons,
    pair_lists,
    report_pictures,
)
from calibration.rendering.answers import on_a_page as answer_words
from calibration.rendering.holdout import of_report as holdout_words
from calibration.rendering.humans import on_a_page as people_words
from calibration.rendering.making import told
from calibration.rendering.outline import MEANINGS, PAIR_MEANINGS, PAIR_SHARES, TIER_MEANINGS
from calibration.rendering.selfcheck import TWIN_MEANINGS
from calibration.rendering.sureness import on_a_page as sureness_words
from calibration.reports import floors, making
from calibration.rubrics import definitions
from calibration.views.downloads import attachment
from grounding.errors import NotFound
from grounding.interchange.models import Selected
from grounding.rubrics.specs import WITHOUT_EVIDENCE
from labeling.queues.selections import Kind, Selection
from labeling.sets import exposures
from labeling.views.queue_lead import opening
from labeling.web import parameters
from labeling.web.responses import Request

PER_DIRECTION = 20
FORMATS = {"json": "application/json", "md": "text/markdown", "html": "text/html"}
FORMAT_NAMES = {"json": "JSON", "md": "Markdown", "html": "HTML"}


@require_POST
def create(request: Request, slug: str, pk: int) -> HttpResponse:
    member, run = run_for(request.user, slug, pk)
    exposures.record(member.set, request.user, "report")
    charts.warm()
    minimum = request.POST.get("minimum", "author")
    report = reports.create(run, minimum=minimum, first=report_pictures.begin)
    _pictures(report, slug, _linked(report, slug))
    return redirect("report", slug, report.pk)


@require_safe
def report(request: Request, slug: str, pk: int) -> HttpResponse:
    member, report = report_for(request.user, slug, pk)
    parameters.read(request.GET, {})
    exposures.record(member.set, request.user, "report")
    figures = _linked(report, slug)
    errors = readings.first_errors(report, PER_DIRECTION)
    floors_beside = _floors(report, slug, figures)
    made = making.of(report)
    context = {
        "member": member,
        "here": "runs",
        "report": report,
        "figures": figures,
        "reading": readings.read(figures),
        "pictures": _pictures(report, slug, figures),
        "floors": floors_beside,
        "missing_floors": floors.missing(report, floors_beside),
        "errors": errors,
        "erring": any(kind.count for kind in errors),
        **_words(figures),
        "formats": FORMAT_NAMES.items(),
        "made": made,
        "told": [(one.title, one.text) for one in told(figures["rubric"], made)],
        "need_not_cite": definitions.judge_kind(report.run.rubric_version) in WITHOUT_EVIDENCE,
    }
    return render(request, "calibration/report.html", context)


def _words(figures: dict[str, Any]) -> dict[str, Any]:
    """What the page says in words beside its numbers."""
    return {
        "pair_meanings": PAIR_MEANINGS,
        "pair_shares": PAIR_SHARES,
        "tier_meanings": TIER_MEANINGS,
        "of_answers": answer_words(figures),
        "people": people_words(figures),
        "sureness": sureness_words(figures),
        "holdout": holdout_words(figures["holdout"]) if "holdout" in figures else None,
    }


def _pictures(report: Report, slug: str, figures: dict[str, Any]) -> dict[str, charts.Figure]:
    return report_pictures.of_report(figures, lists_of(report, slug).statements)


def _floors(report: Report, slug: str, figures: dict[str, Any]) -> list[dict[str, Any]]:
    compared = reverse("compare-statements", args=[slug])
    digest = figures["reference"]["digest"]
    return [behind.beside(one, report.run_id, compared, digest) for one in floors.beside(report)]


def _linked(report: Report, slug: str) -> dict[str, Any]:
    figures, lists = reports.figures(report), lists_of(report, slug)
    of_answers = reverse("report-answers", args=[slug, report.pk])
    return {
        **behind.linked(figures, lists),
        **behind_sureness.linked(figures, lists),
        **behind_answers.linked(figures, of_answers, lists.statements),
        **behind_humans.linked(figures, people_lists_of(report, slug)),
    }


def people_lists_of(report: Report, slug: str) -> behind_humans.PeopleLists:
    names = ("report-ratings", "report-rating-pairs", "report-annotators", "report-statements")
    return behind_humans.PeopleLists(*(reverse(name, args=[slug, report.pk]) for name in names))


def lists_of(report: Report, slug: str) -> behind.Lists:
    return behind.Lists(
        statements=reverse("report-statements", args=[slug, report.pk]),
        judgments=reverse("judgments", args=[slug, report.run_id]),
        pairs=reverse("report-pairs", args=[slug, report.pk]),
        round=report.round if report.round < report.run.round else None,
    )


@require_safe
def disagreements(request: Request, slug: str, pk: int) -> HttpResponse:
    member, report = report_for(request.user, slug, pk)
    filters = parameters.read(request.GET, {"direction": DIRECTIONS})
    exposures.record(member.set, request.user, "report")
    direction = filters.get("direction")
    context = {
        "member": member,
        "here": "runs",
        "report": report,
        "direction": direction,
        "meaning": MEANINGS.get(direction or ""),
        "counts": reports.disagreement_counts(report),
        "page": parameters.page_of(readings.ErrorList(report, direction), request.GET),
    }
    return render(request, "calibration/disagreements.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def have_labelled(request: Request, slug: str, pk: int) -> HttpResponse:
    """A queue over the statements of a list of disagreements."""
    member, report = report_for(request.user, slug, pk)
    direction = parameters.read(request.GET, {"direction": DIRECTIONS}).get("direction")
    exposures.record(member.set, request.user, "report")
    which = f"disagreements of report {report.pk}" + (f", {direction}" if direction else "")
    selection = Selection(
        Kind.STATEMENTS,
        value=which,
        statements=reports.disagreeing(report, direction),
        selected=Selected.JUDGE_DISAGREEMENT,
    )
    return opening(request, member, fixed=selection)


@require_safe
def statements(request: Request, slug: str, pk: int) -> HttpResponse:
    member, report = report_for(request.user, slug, pk)
    allowed = comparisons.filters_of(report)
    filters = parameters.read(request.GET, allowed)
    exposures.record(member.set, request.user, "report")
    context = {
        "member": member,
        "here": "runs",
        "report": report,
        "filters": filters,
        "among": filters.get("among", "compared"),
        "labels": comparisons.FILTER_LABELS,
        "choices": {**allowed, "kind": [*report.figures["by_pair_kind"]], "tag": _tags(report)},
        "page": parameters.page_of(comparisons.ComparedList(report, filters), request.GET),
    }
    return render(request, "calibration/statements.html", context)


def _tags(report: Report) -> list[str]:
    """Those that the report tells of."""
    told = reports.figures(report)
    return [*(f"{RISK}{level}" for level in told.get("by_risk", {})), *told.get("by_tag", {})]


@require_safe
def pairs(request: Request, slug: str, pk: int) -> HttpResponse:
    member, report = report_for(request.user, slug, pk)
    filters = parameters.read(request.GET, pair_lists.PAIR_FILTERS)
    exposures.record(member.set, request.user, "report")
    outcome, twin = filters.get("outcome"), filters.get("twin")
    context = {
        "member": member,
        "here": "runs",
        "report": report,
        "outcome": outcome,
        "twin": twin,
        "twin_meanings": TWIN_MEANINGS,
        "meanings": {
            **PAIR_MEANINGS,
            pair_lists.COMPLETE: "every statement graded, and with a reference",
        },
        "counts": report.figures["pairs"],
        "page": parameters.page_of(pair_lists.PairList(report, outcome, twin), request.GET),
    }
    return render(request, "calibration/pairs.html", context)


@require_safe
def download(request: Request, slug: str, pk: int, format: str) -> HttpResponse:
    member, report = report_for(request.user, slug, pk)
    if format not in FORMATS:
        raise NotFound("a report comes as json, md or html")
    exposures.record(member.set, request.user, "report")
    full = reports.full(report, most=rendering.most_listed(format))
    text = rendering.render(full, format)
    return attachment(text, f"report-{report.pk}.{format}", FORMATS[format])
