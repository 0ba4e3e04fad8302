"""An annotator's own labels, each version kept."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from labeling import labels
from labeling.access import set_for
from labeling.models import Queue
from labeling.web import parameters
from labeling.web.responses import Request


@require_safe
def my_labels(request: Request, slug: str) -> HttpResponse:
    member = set_for(request.user, slug)
    queues = {str(one.pk): one for one in Queue.objects.filter(set=member.set)}
    chosen = queues.get(parameters.read(request.GET, {"queue": queues}).get("queue", ""))
    mine = labels.mine(member.set, request.user)
    context = {
        "member": member,
        "here": "my-labels",
        "queue": chosen,
        "page": parameters.page_of(mine.filter(queue=chosen) if chosen else mine, request.GET),
    }
    return render(request, "labeling/my_labels.html", context)
