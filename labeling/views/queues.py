"""Queues, as those who label in them see them."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from grounding.errors import BadInput, NotFound
from labeling.access import assignment_for, queue_for, set_for
from labeling.desk.deskforms import AfterForm
from labeling.queues import progress
from labeling.queues import revealed as revelation
from labeling.sets import annotators, exposures
from labeling.views.desk import go_on
from labeling.web import parameters
from labeling.web.responses import Request


@require_safe
def queues(request: Request, slug: str) -> HttpResponse:
    member = set_for(request.user, slug)
    parameters.read(request.GET, {})
    context = {
        "member": member,
        "here": "queues",
        "lines": progress.lines([member.set], request.user),
        "closed": progress.closed_lines(member.set, request.user),
    }
    return render(request, "labeling/queues.html", context)


@require_POST
def go(request: Request, slug: str, pk: int) -> HttpResponse:
    member, queue = queue_for(request.user, slug, pk)
    annotator = annotators.of(member.set, request.user)
    return go_on(request, queue, annotator, after=_shown(request, slug, pk))


def _shown(request: Request, slug: str, pk: int) -> int | None:
    """The work that is on the screen: a page asks ahead for what comes after that."""
    form = AfterForm(request.POST)
    if not form.is_valid():
        raise BadInput("names no statement", field="after")
    key = form.cleaned_data["after"]
    return assignment_for(request.user, slug, pk, key)[1].pk if key else None


@require_safe
def revealed(request: Request, slug: str, pk: int) -> HttpResponse:
    member, queue = queue_for(request.user, slug, pk)
    if queue.revealed_at is None:
        raise NotFound("the labels of this queue are not revealed")
    parameters.read(request.GET, {})
    page = parameters.page_of(revelation.assignments(queue, request.user), request.GET)
    exposures.record(member.set, request.user, "revealed")
    rows = revelation.rows(queue, list(page))
    context = {"member": member, "here": "queues", "queue": queue, "page": page, "rows": rows}
    return render(request, "labeling/queues/revealed.html", context)
