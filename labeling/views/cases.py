"""The lead's pages about cases: the list, the statements in them, a pair side by side, the
checks."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from labeling.access import set_for
from labeling.authoring import casefiles
from labeling.authoring.findings import Findings
from labeling.cases import caselists
from labeling.models import Role
from labeling.people import setlists
from labeling.sets import exposures
from labeling.web import parameters
from labeling.web.responses import Request


@require_safe
def cases(request: Request, slug: str) -> HttpResponse:
    member = set_for(request.user, slug, at_least=Role.LEAD)
    filters = parameters.read(request.GET, caselists.FILTERS)
    page = parameters.page_of(caselists.rows_of(member.set, filters), request.GET)
    exposures.record(member.set, request.user, "cases")
    context = {
        "member": member,
        "here": "cases",
        "filters": filters,
        "choices": caselists.FILTERS,
        "counts": setlists.counts(member.set),
        "kinds": caselists.kinds_of(member.set),
        "page": page,
        "rows": caselists.fill(member.set, list(page)),
    }
    return render(request, "labeling/cases/cases.html", context)


@require_safe
def statements(request: Request, slug: str) -> HttpResponse:
    member = set_for(request.user, slug, at_least=Role.LEAD)
    parameters.read(request.GET, {})
    exposures.record(member.set, request.user, "cases")
    page = parameters.page_of(caselists.statements_of(member.set), request.GET)
    context = {"member": member, "here": "cases", "page": page}
    return render(request, "labeling/cases/statements.html", context)


@require_safe
def pair(request: Request, slug: str, pair_id: str) -> HttpResponse:
    member = set_for(request.user, slug, at_least=Role.LEAD)
    parameters.read(request.GET, {})
    sides = caselists.pair_of(member.set, pair_id)
    exposures.record(member.set, request.user, "pair")
    context = {
        "member": member,
        "here": "cases",
        "pair_id": pair_id,
        "kind": next((side.pair_kind for side in sides if side.pair_kind), None),
        "files": casefiles.lay_out_pair(sides),
    }
    return render(request, "labeling/cases/pair.html", context)


@require_safe
def lint(request: Request, slug: str) -> HttpResponse:
    member = set_for(request.user, slug, at_least=Role.LEAD)
    filters = parameters.read(request.GET, {"kind": parameters.ANY})
    exposures.record(member.set, request.user, "checks")
    found = Findings(member.set, filters.get("kind"))
    context = {
        "member": member,
        "here": "lint",
        "kind": filters.get("kind"),
        "kinds": found.kinds,
        "page": parameters.page_of(found, request.GET),
    }
    return render(request, "labeling/cases/lint.html", context)
