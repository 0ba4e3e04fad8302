"""What an annotator said beside their labels: unsure, skipped, flagged."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from grounding.errors import BadInput
from labeling.access import assignment_for, set_for
from labeling.desk.deskforms import RemarkForm
from labeling.models import RemarkKind
from labeling.queues import remarks
from labeling.web import parameters
from labeling.web.responses import Request


@require_safe
def my_remarks(request: Request, slug: str) -> HttpResponse:
    member = set_for(request.user, slug)
    kind = parameters.read(request.GET, {"kind": RemarkKind.values}).get("kind")
    context = {
        "member": member,
        "here": "my-remarks",
        "kind": kind,
        "counts": remarks.counts(member.set, request.user),
        "page": parameters.page_of(remarks.mine(member.set, request.user, kind), request.GET),
    }
    return render(request, "labeling/my_remarks.html", context)


@require_POST
def withdraw(request: Request, slug: str, pk: int, key: UUID) -> HttpResponse:
    _, assignment = assignment_for(request.user, slug, pk, key)
    form = RemarkForm(request.POST)
    if not form.is_valid():
        raise BadInput("names no kind of remark", field="kind")
    remarks.withdraw(assignment, form.cleaned_data["kind"])
    messages.success(request, "Taken back.")
    return redirect("my-remarks", slug)
