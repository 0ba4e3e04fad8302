"""The lead's pages about the quality of labels: agreement, splits, gold, time."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from calibration import gold
from calibration import quality as qualities
from calibration.agreement import between_humans
from calibration.readings import PLACES, behind_humans
from calibration.rendering.between_humans import REASONS, how_much
from calibration.reports import rating_sheets
from calibration.reports.rating_sheets import JudgeBeside
from labeling.access import Member, queue_for, set_for
from labeling.models import CalibrationSet, Queue, Role
from labeling.sets import exposures
from labeling.web import parameters
from labeling.web.responses import Request

NAMES = {"names": ["1"]}


@require_safe
def of_set(request: Request, slug: str) -> HttpResponse:
    member = set_for(request.user, slug, at_least=Role.LEAD)
    return _page(request, member, None)


@require_safe
def of_queue(request: Request, slug: str, pk: int) -> HttpResponse:
    member, queue = queue_for(request.user, slug, pk, at_least=Role.LEAD)
    return _page(request, member, queue)


@require_safe
def gold_list(request: Request, slug: str, pk: int) -> HttpResponse:
    member, queue = queue_for(request.user, slug, pk, at_least=Role.LEAD)
    tested = {line.annotator.code: line.annotator for line in gold.lines(queue)}
    allowed = {"annotator": list(tested), "outcome": list(gold.OUTCOMES)}
    filters = parameters.read(request.GET, allowed)
    exposures.record(member.set, request.user, "gold")
    outcome = filters.get("outcome", "met")
    found = gold.answers(queue, outcome, tested.get(filters.get("annotator", "")))
    context = {
        "member": member,
        "here": "queues",
        "queue": queue,
        "filters": filters,
        "outcome": outcome,
        "choices": allowed,
        "page": parameters.page_of(gold.in_full(found), request.GET),
    }
    return render(request, "calibration/gold.html", context)


@require_safe
def left_out_of_set(request: Request, slug: str) -> HttpResponse:
    member = set_for(request.user, slug, at_least=Role.LEAD)
    return _left_out(request, member, None)


@require_safe
def left_out_of_queue(request: Request, slug: str, pk: int) -> HttpResponse:
    member, queue = queue_for(request.user, slug, pk, at_least=Role.LEAD)
    return _left_out(request, member, queue)


def _left_out(request: Request, member: Member, queue: Queue | None) -> HttpResponse:
    reasons = list(between_humans.EXCLUDED)
    reason = parameters.read(request.GET, {"reason": reasons}).get("reason", reasons[0])
    exposures.record(member.set, request.user, "quality")
    found = between_humans.left_out(member.set, queue, reason)
    in_full = found.select_related("statement__case", "annotator")
    context = {
        "member": member,
        "here": "queues" if queue else "quality",
        "queue": queue,
        "reason": reason,
        "reasons": REASONS,
        "filters": {"reason": reason},
        "page": parameters.page_of(in_full, request.GET),
    }
    return render(request, "calibration/left_out.html", context)


def _judges(calibration_set: CalibrationSet) -> list[tuple[JudgeBeside, dict[str, Any]]]:
    """Each with its figures, linked to the report's list of ratings."""
    slug = calibration_set.slug
    found = rating_sheets.judges(calibration_set)
    lists = [reverse("report-ratings", args=[slug, one.report.pk]) for one in found]
    return [
        (one, behind_humans.both(one.verdict, url, {"of": "verdict"}))
        for one, url in zip(found, lists, strict=True)
    ]


def _page(request: Request, member: Member, queue: Queue | None) -> HttpResponse:
    names = parameters.read(request.GET, NAMES).get("names")
    exposures.record(member.set, request.user, "quality")
    found = qualities.of(member.set, queue)
    context = {
        "member": member,
        "here": "queues" if queue else "quality",
        "queue": queue,
        "names": names,
        "found": found,
        "sentence": how_much(found.figures, PLACES) if found.figures else None,
        "reasons": REASONS,
        "page": parameters.page_of(found.between, request.GET),
        "gold": gold.lines(queue) if queue else (),
        "judges": () if queue else _judges(member.set),
    }
    return render(request, "calibration/quality.html", context)
