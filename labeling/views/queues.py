"""Queues, as those who label in them see them."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from labeling import annotators, parameters, progress
from labeling.access import queue_for, set_for
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
    return go_on(queue, annotator)
