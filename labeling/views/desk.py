"""The desk: one statement at a time, labelled under the contract."""

from __future__ import annotations

from uuid import UUID, uuid4

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from grounding.errors import BadInput, NotFound
from labeling import claims, exposures, labels, options, parameters, progress, sheets
from labeling.access import Member, assignment_for
from labeling.forms import LabelForm, evidence_of, label_over
from labeling.models import Annotator, Assignment, Queue
from labeling.responses import Request


@require_http_methods(["GET", "HEAD", "POST"])
def label(request: Request, slug: str, pk: int, key: UUID) -> HttpResponse:
    member, assignment = assignment_for(request.user, slug, pk, key)
    if request.method == "POST":
        return _submitted(request, member, assignment)
    form = label_over(labels.live_of(assignment))
    return _desk(request, member, assignment, form)


def _submitted(request: Request, member: Member, assignment: Assignment) -> HttpResponse:
    if request.POST.get("statement") != str(assignment.statement.key):
        raise NotFound("the form was for another statement")
    form = LabelForm(request.POST)
    if not form.is_valid():
        return _desk(request, member, assignment, form, status=422)
    submission, replaces = form.cleaned_data["submission"], form.cleaned_data["replaces"]
    try:
        labels.submit(assignment, form.values(), submission=submission, replaces=replaces)
    except labels.LabelConflict as conflict:
        return _conflict(request, member, assignment, conflict)
    except BadInput as error:
        form.refuse(error)
        return _desk(request, member, assignment, form, status=422)
    messages.success(request, "Label saved.")
    return go_on(assignment.queue, assignment.annotator)


def go_on(queue: Queue, annotator: Annotator) -> HttpResponse:
    """To what the annotator should label next; to the queues where there is nothing."""
    following = claims.next_for(queue, annotator)
    if following is None:
        return redirect("queues", queue.set.slug)
    return redirect("label", queue.set.slug, queue.pk, following.statement.key)


def _desk(
    request: Request, member: Member, assignment: Assignment, form: LabelForm, *, status: int = 200
) -> HttpResponse:
    looked_for = parameters.read(request.GET, {"source": parameters.ANY}).get("source", "")
    context = {
        "member": member,
        "here": "queues",
        "queue": assignment.queue,
        "sheet": sheets.lay_out(assignment.statement, form.chosen(), source=looked_for),
        "looked_for": looked_for,
        "form": form,
        "choices": options.of(form),
        "progress": progress.of(assignment.queue, request.user),
        "revealed": exposures.exposed(member.set, request.user),
    }
    return render(request, "labeling/desk.html", context, status=status)


def _conflict(
    request: Request, member: Member, assignment: Assignment, conflict: labels.LabelConflict
) -> HttpResponse:
    context = {
        "member": member,
        "here": "queues",
        "queue": assignment.queue,
        "statement": assignment.statement,
        "live": conflict.live,
        "live_evidence": evidence_of(conflict.live) if conflict.live else (),
        "mine": conflict.proposed,
        "evidence_values": [sheets.value_of(item) for item in conflict.proposed.evidence],
        "submission": uuid4(),
    }
    return render(request, "labeling/conflict.html", context, status=409)
