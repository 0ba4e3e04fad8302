"""An annotator's own labels, each version kept."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from labeling import labels, parameters
from labeling.access import set_for
from labeling.responses import Request


@require_safe
def my_labels(request: Request, slug: str) -> HttpResponse:
    member = set_for(request.user, slug)
    parameters.read(request.GET, {})
    context = {
        "member": member,
        "here": "my-labels",
        "page": parameters.page_of(labels.mine(member.set, request.user), request.GET),
    }
    return render(request, "labeling/my_labels.html", context)
