"""Queues, as those who lead the set see them: opened, watched, ended, revised, revealed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from grounding.contract import CONTRACT
from grounding.errors import BadInput
from labeling import queues
from labeling.access import Member, queue_for, set_for
from labeling.desk import options
from labeling.models import CalibrationSet, Queue, Role
from labeling.queues import buckets, progress, selections
from labeling.queues.buckets import Unit
from labeling.queues.queueforms import GuidelineForm, OpenForm
from labeling.queues.selections import Kind, Selection
from labeling.sets import exposures
from labeling.web import parameters
from labeling.web.responses import Request

FORM: Final = ["GET", "HEAD", "POST"]
CHECK: Final = "check"
BEGIN: Final = "begin"
"""Sent by a page that hands its own choice on: the form is opened with it, nothing is done."""

ACTIONS: Final = {
    "pause": (
        queues.pause,
        "Paused. Nothing more is handed out; what is being written still counts.",
    ),
    "reopen": (queues.reopen, "Open. Statements are handed out again."),
    "close": (queues.close, "Closed. Labels here can be neither made nor changed any more."),
    "reveal": (queues.reveal, "Revealed. Those who labelled here can now compare."),
}


@dataclass(frozen=True)
class Counted:
    """What a form that is being filled in would open: how many statements, how many labels they
    come to, how many gold ones; and what is missing yet."""

    statements: int = 0
    labels: int = 0
    gold: int = 0
    problem: str = ""


@require_http_methods(FORM)
def open_queue(request: Request, slug: str) -> HttpResponse:
    member = set_for(request.user, slug, at_least=Role.LEAD)
    parameters.read(request.GET, {})
    return opening(request, member)


def opening(
    request: Request,
    member: Member,
    *,
    fixed: Selection | None = None,
    carried: Mapping[str, str] | None = None,
) -> HttpResponse:
    """The form that opens a queue, and what comes of it; over what was ``fixed`` elsewhere, or
    over what the form says. ``carried`` goes along with the form, unseen."""
    if request.method != "POST" or request.POST.get("do") == BEGIN:
        return _form(request, member, OpenForm(member.set, fixed=fixed), carried)
    form = OpenForm(member.set, request.POST, fixed=fixed)
    if request.POST.get("do") == CHECK:
        return _form(request, member, form, carried, checking=True)
    queue = _opened(request, member.set, form) if form.is_valid() else None
    if queue is None:
        return _form(request, member, form, carried, status=422)
    messages.success(request, "The queue is open: annotators find it under Queues.")
    return redirect("queue", member.set.slug, queue.pk)


@require_safe
def queue(request: Request, slug: str, pk: int) -> HttpResponse:
    member, queue = queue_for(request.user, slug, pk, at_least=Role.LEAD)
    parameters.read(request.GET, {})
    if Kind(queue.selection["kind"]) in selections.TELLING:
        exposures.record(member.set, request.user, "queue")
    context = {
        "member": member,
        "here": "queues",
        "queue": queue,
        "selection": selections.words(queue.selection),
        "lease_minutes": queue.lease_seconds // 60,
        "counts": buckets.counts(queue, [Unit.PLACES, Unit.STATEMENTS]),
        "gold": progress.gold(queue),
        "next": Queue.objects.filter(previous=queue).first(),
        "contract": CONTRACT,
        "outdated": queue.contract_major != CONTRACT.major,
        "hints": options.HINTS,
    }
    return render(request, "labeling/queues/queue.html", context)


@require_POST
def state(request: Request, slug: str, pk: int) -> HttpResponse:
    _, queue = queue_for(request.user, slug, pk, at_least=Role.LEAD)
    action = request.POST.get("action", "")
    if action not in ACTIONS:
        raise BadInput(f"takes one of: {', '.join(ACTIONS)}", field="action")
    act, said = ACTIONS[action]
    act(queue)
    messages.success(request, said)
    return redirect("queue", slug, pk)


@require_http_methods(FORM)
def revise(request: Request, slug: str, pk: int) -> HttpResponse:
    member, queue = queue_for(request.user, slug, pk, at_least=Role.LEAD)
    if request.method != "POST":
        return _revision(request, member, queue, GuidelineForm({"guideline": queue.guideline}))
    form = GuidelineForm(request.POST)
    if request.POST.get("do") == CHECK:
        return _revision(request, member, queue, form, checking=True)
    later = _revised(request, queue, form) if form.is_valid() else None
    if later is None:
        return _revision(request, member, queue, form, status=422)
    messages.success(
        request, f"Version {later.version} is open; version {queue.version} is closed."
    )
    return redirect("queue", slug, later.pk)


def _opened(request: Request, calibration_set: CalibrationSet, form: OpenForm) -> Queue | None:
    """The new queue; None, and the reason on the form, where it was refused."""
    terms, selection = form.terms(), form.selection()
    try:
        gold = form.gold_statements(terms.seed or 0)
        return queues.open_queue(
            calibration_set, request.user, terms, selection or Selection(Kind.ALL), gold=gold
        )
    except BadInput as error:
        form.refuse(error)
        return None


def _revised(request: Request, queue: Queue, form: GuidelineForm) -> Queue | None:
    try:
        return queues.revise(queue, request.user, form.cleaned_data["guideline"])
    except BadInput as error:
        form.refuse(error)
        return None


def _counted(form: OpenForm) -> Counted:
    selection = form.selection()
    if selection is None:
        return Counted(problem="Choose which statements: then their number stands here.")
    gold, problem = set[int](), ""
    try:
        gold = set(form.gold_statements(0))
    except BadInput as error:
        problem = f"Gold statements: {error.message}."
    found = [pk for pk in selections.found(form.set, selection) if pk not in gold]
    return Counted(len(found), len(found) * (form.asked_overlap or 0), len(gold), problem)


def _form(
    request: Request,
    member: Member,
    form: OpenForm,
    carried: Mapping[str, str] | None,
    *,
    checking: bool = False,
    status: int = 200,
) -> HttpResponse:
    context = {
        "member": member,
        "here": "queues",
        "form": form,
        "carried": carried or {},
        "counted": _counted(form),
        "selection": selections.words(form.fixed.as_json()) if form.fixed else "",
    }
    within = checking and request.htmx
    template = "labeling/queues/_checked.html" if within else "labeling/queues/open.html"
    return render(request, template, context, status=status)


def _revision(
    request: Request,
    member: Member,
    queue: Queue,
    form: GuidelineForm,
    *,
    checking: bool = False,
    status: int = 200,
) -> HttpResponse:
    context = {
        "member": member,
        "here": "queues",
        "queue": queue,
        "form": form,
        "contract": CONTRACT,
        "left": queues.left(queue),
    }
    within = checking and request.htmx
    template = "labeling/queues/_preview.html" if within else "labeling/queues/revise.html"
    return render(request, template, context, status=status)
