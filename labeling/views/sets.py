"""The sets of an account, and the first page of each."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from labeling.access import set_for
from labeling.adjudications import adjudication_lists
from labeling.people import setlists
from labeling.queues import progress
from labeling.web.responses import Request


@require_safe
def sets(request: Request) -> HttpResponse:
    return render(request, "labeling/sets.html", {"entries": setlists.entries(request.user)})


@require_safe
def home(request: Request, slug: str) -> HttpResponse:
    member = set_for(request.user, slug)
    context = {
        "member": member,
        "here": "set",
        "lines": progress.lines([member.set], request.user),
        "counts": setlists.counts(member.set) if member.leads else None,
        "disputed": adjudication_lists.open_in(member.set) if member.leads else None,
    }
    return render(request, "labeling/set.html", context)
