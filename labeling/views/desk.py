"""The desk: one statement at a time, labelled under the contract."""

from __future__ import annotations

from uuid import UUID, uuid4

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from grounding.errors import BadInput, NotFound
from labeling import exposures, labels, options, parameters, sheets
from labeling.access import Member, set_for, statement_for
from labeling.forms import LabelForm, evidence_of, label_over
from labeling.models import Statement
from labeling.responses import Request


@require_safe
def label_next(request: Request, slug: str) -> HttpResponse:
    member = set_for(request.user, slug)
    statement = labels.next_for(member.set, request.user)
    if statement is not None:
        return redirect("label", slug, statement.key)
    context = {
        "member": member,
        "here": "label",
        "progress": labels.progress(member.set, request.user),
    }
    return render(request, "labeling/nothing_left.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def label(request: Request, slug: str, key: UUID) -> HttpResponse:
    member, statement = statement_for(request.user, slug, key)
    if request.method == "POST":
        return _submitted(request, member, statement)
    form = label_over(labels.live_of(statement, request.user))
    return _desk(request, member, statement, form)


def _submitted(request: Request, member: Member, statement: Statement) -> HttpResponse:
    if request.POST.get("statement") != str(statement.key):
        raise NotFound("the form was for another statement")
    form = LabelForm(request.POST)
    if not form.is_valid():
        return _desk(request, member, statement, form, status=422)
    submission, replaces = form.cleaned_data["submission"], form.cleaned_data["replaces"]
    try:
        labels.submit(
            statement, request.user, form.values(), submission=submission, replaces=replaces
        )
    except labels.LabelConflict as conflict:
        return _conflict(request, member, statement, conflict)
    except BadInput as error:
        form.refuse(error)
        return _desk(request, member, statement, form, status=422)
    messages.success(request, "Label saved.")
    return redirect("label-next", member.set.slug)


def _desk(
    request: Request, member: Member, statement: Statement, form: LabelForm, *, status: int = 200
) -> HttpResponse:
    looked_for = parameters.read(request.GET, {"source": parameters.ANY}).get("source", "")
    context = {
        "member": member,
        "here": "label",
        "sheet": sheets.lay_out(statement, form.chosen(), source=looked_for),
        "looked_for": looked_for,
        "form": form,
        "choices": options.of(form),
        "progress": labels.progress(member.set, request.user),
        "revealed": exposures.exposed(member.set, request.user),
    }
    return render(request, "labeling/desk.html", context, status=status)


def _conflict(
    request: Request, member: Member, statement: Statement, conflict: labels.LabelConflict
) -> HttpResponse:
    context = {
        "member": member,
        "here": "label",
        "statement": statement,
        "live": conflict.live,
        "live_evidence": evidence_of(conflict.live) if conflict.live else (),
        "mine": conflict.proposed,
        "evidence_values": [sheets.value_of(item) for item in conflict.proposed.evidence],
        "submission": uuid4(),
    }
    return render(request, "labeling/conflict.html", context, status=409)
