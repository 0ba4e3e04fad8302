"""The lead's pages that read two runs side by side: the comparison, and the list behind each of
its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from calibration import comparing
from calibration.comparing import choices, sidebyside
from calibration.rendering.headlines import HEADLINES
from calibration.versions import links
from labeling.access import set_for
from labeling.models import Role
from labeling.sets import exposures
from labeling.web import parameters
from labeling.web.responses import Request

RUNS = {"first": parameters.ANY, "second": parameters.ANY}


@require_safe
def compare(request: Request, slug: str) -> HttpResponse:
    member = set_for(request.user, slug, at_least=Role.LEAD)
    given = parameters.read(request.GET, RUNS)
    choice = choices.choose(member.set, **given)
    exposures.record(member.set, request.user, "comparison")
    reading = sidebyside.read(choice, reverse("compare-statements", args=[slug]))
    context = {
        "member": member,
        "here": "runs",
        "choice": choice,
        "given": given,
        "reading": reading,
        "baselines": _baselines(reading.figures["baselines"] or {}, slug) if reading else {},
        "headlines": HEADLINES,
    }
    return render(request, "calibration/compare.html", context)


def _baselines(both: Mapping[str, Mapping[str, Any] | None], slug: str) -> dict[str, Any]:
    """Both with the lists of the versions page, or none where only one is there."""
    linked = {}
    for which, run in both.items():
        if run is None:
            return {}
        lists = reverse("version-statements", args=[slug, run["rubric"]["name"]])
        linked[which] = links.alone(run, lists)
    return linked


@require_safe
def statements(request: Request, slug: str) -> HttpResponse:
    member = set_for(request.user, slug, at_least=Role.LEAD)
    allowed = {**comparing.FILTERS, **RUNS, "references": parameters.ANY}
    filters = parameters.read(request.GET, allowed)
    named = {which: filters.pop(which, None) for which in RUNS}
    digest = filters.pop("references", None)
    choice = choices.choose(member.set, **named)
    if choice.first is None or choice.second is None:
        return redirect("compare", slug)
    exposures.record(member.set, request.user, "comparison")
    listed = sidebyside.ComparedList(choice.first, choice.second, filters)
    context = {
        "member": member,
        "here": "runs",
        "choice": choice,
        "filters": filters,
        "labels": comparing.FILTER_LABELS,
        "choices": comparing.FILTERS,
        "kept": {"first": choice.first.pk, "second": choice.second.pk},
        "moved": digest not in (None, listed.digest),
        "page": parameters.page_of(listed, request.GET),
    }
    return render(request, "calibration/compare_statements.html", context)
