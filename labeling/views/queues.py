"""Queues, as those who label in them see them."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from grounding.errors import BadInput
from labeling import annotators, parameters, progress
from labeling.access import assignment_for, queue_for, set_for
from labeling.deskforms import AfterForm
from labeling.responses import Request
from labeling.views.desk import go_on


@require_safe
def queues(request: Request, slug: str) -> HttpResponse:
    member = set_for(request.user, slug)
    parameters.read(request.GET, {})
    lines = progress.lines([member.set], request.user)
    context = {"member": member, "here": "queues", "lines": lines}
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
