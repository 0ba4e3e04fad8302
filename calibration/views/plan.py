"""What a set still needs: labels cell by cell, the statements to label next, a queue over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from calibration import planner
from calibration.planner import Asked, planned
from calibration.planner.plan_lists import FILTERS, PlanList, linked
from calibration.rendering import plan as rendering
from grounding.errors import BadInput
from labeling.access import Member, set_for
from labeling.models import Role
from labeling.sets import exposures
from labeling.views.queue_lead import opening
from labeling.web import parameters
from labeling.web.responses import Request

FIELDS: Final[Mapping[str, Sequence[str] | None]] = dict.fromkeys(
    ("margin", "share", "design_effect", "limit", "seed"), parameters.ANY
)


@require_safe
def plan(request: Request, slug: str) -> HttpResponse:
    member = set_for(request.user, slug, at_least=Role.LEAD)
    given = parameters.read(request.GET, FIELDS)
    exposures.record(member.set, request.user, "plan")
    terms, refused = _terms(given)
    context = {
        "member": member,
        "here": "plan",
        "given": {**vars(Asked()), **given},
        "refused": refused,
        "by_author": rendering.BY_AUTHOR,
        "clusters": rendering.CLUSTERS,
        "nothing_left": rendering.NOTHING_LEFT,
        "enough": rendering.ENOUGH,
        **(_told(member, terms) if terms else {}),
    }
    return render(request, "calibration/plan.html", context, status=400 if refused else 200)


@require_safe
def statements(request: Request, slug: str) -> HttpResponse:
    member = set_for(request.user, slug, at_least=Role.LEAD)
    filters = parameters.read(request.GET, FILTERS)
    exposures.record(member.set, request.user, "plan")
    context = {
        "member": member,
        "here": "plan",
        "filters": filters,
        "page": parameters.page_of(PlanList(member.set, filters), request.GET),
    }
    return render(request, "calibration/plan_statements.html", context)


@require_POST
def queue(request: Request, slug: str) -> HttpResponse:
    """A queue over exactly the statements that a plan listed."""
    member = set_for(request.user, slug, at_least=Role.LEAD)
    parameters.read(request.GET, {})
    exposures.record(member.set, request.user, "plan")
    sealed = request.POST.get("planned", "")
    selection = planned.opened(member.set, sealed)
    return opening(request, member, fixed=selection, carried={"planned": sealed})


def _terms(given: Mapping[str, str]) -> tuple[Asked | None, BadInput | None]:
    try:
        return planner.read(given), None
    except BadInput as error:
        return None, error


def _told(member: Member, terms: Asked) -> dict[str, Any]:
    found = planner.plan(member.set, terms)
    document = planner.document(member.set, found)
    return {
        "plan": linked(document, member.set.slug),
        "sentence": rendering.sentence(document),
        "next": PlanList.of(member.set, found.next),
        "sealed": planned.seal(member.set, [one.pk for one in found.next], terms),
    }
