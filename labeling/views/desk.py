"""The desk: one statement at a time, labelled under the contract."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID, uuid4

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from grounding.errors import BadInput, NotFound, Refused
from labeling import cases, labels, queues, values
from labeling.access import Member, assignment_for
from labeling.desk import deskforms, drafts, options, parts, sheets, snippets
from labeling.desk.deskforms import LabelForm, OpenedForm, evidence_of
from labeling.desk.drafts import DraftConflict
from labeling.models import Annotator, Assignment, Queue, Statement
from labeling.queues import LabellingEnded, claims, progress, trail
from labeling.sets import exposures
from labeling.values import Part
from labeling.web import parameters
from labeling.web.responses import Request

LATE = "Your reservation had run out; the label is kept as one more than was asked for."


@require_http_methods(["GET", "HEAD", "POST"])
def label(request: Request, slug: str, pk: int, key: UUID) -> HttpResponse:
    if request.method == "POST":
        return _submitted(request, *posted_for(request, slug, pk, key))
    member, assignment = assignment_for(request.user, slug, pk, key)
    try:
        queues.require_labelling(assignment.queue)
    except LabellingEnded as ended:
        return _ended(request, member, assignment, ended)
    form = deskforms.over(drafts.opened(assignment), edition=assignment.draft_edition)
    return desk(request, member, assignment, form)


def posted_for(request: Request, slug: str, pk: int, key: UUID) -> tuple[Member, Assignment]:
    """The user's own work on the statement that the path and the form both name."""
    member, assignment = assignment_for(request.user, slug, pk, key)
    if request.POST.get("statement") != str(assignment.statement.key):
        raise NotFound("the form was for another statement")
    return member, assignment


def _submitted(request: Request, member: Member, assignment: Assignment) -> HttpResponse:
    form = LabelForm(request.POST)
    try:
        if not form.is_valid():
            return _refused(request, member, assignment, form)
        labels.submit(
            assignment,
            form.values(),
            submission=form.cleaned_data["submission"],
            replaces=form.cleaned_data["replaces"],
            active_seconds=form.active(assignment.started_at),
        )
    except BadInput:
        return _refused(request, member, assignment, form)
    except labels.LabelConflict as conflict:
        return _conflict(request, member, assignment, conflict)
    except LabellingEnded as ended:
        return _kept_at_the_end(request, member, assignment, ended)
    late = not form.cleaned_data["replaces"] and not claims.has_place(assignment)
    return _saved(request, assignment, LATE if late else "")


def _saved(request: Request, assignment: Assignment, said: str) -> HttpResponse:
    """On to the next; a script that shows a desk which it loaded beforehand has no page to read
    messages from, and finds in the headers what it has to say and to offer."""
    if said and not request.htmx:
        messages.warning(request, said)
    response = go_on(request, assignment.queue, assignment.annotator)
    if request.htmx:
        response["X-Undo"] = path_of("label-undo", assignment)
        response["X-Said"] = said
    return response


def go_on(
    request: Request, queue: Queue, annotator: Annotator, *, after: int | None = None
) -> HttpResponse:
    """To what the annotator should label next; to the queues where there is nothing.

    Within htmx the answer is 204 without a page: `X-Next` is where to go, for a script that has
    loaded it already, and `HX-Location` makes htmx by itself load it in place of `main`.
    """
    following = claims.next_for(queue, annotator, after=after)
    to = path_of("label", following) if following else reverse("queues", args=[queue.set.slug])
    if following is None and after is None:
        messages.info(request, progress.why_nothing(queue, annotator))
    return onward(request, to)


def onward(request: Request, to: str) -> HttpResponse:
    if not request.htmx:
        return redirect(to)
    swap = {"target": "main", "select": "main", "swap": "outerHTML show:window:top"}
    headers = {"X-Next": to, "HX-Location": json.dumps({"path": to} | swap)}
    return HttpResponse(status=204, headers=headers)


def path_of(route: str, assignment: Assignment, *more: int) -> str:
    queue = assignment.queue
    return reverse(route, args=[queue.set.slug, queue.pk, assignment.statement.key, *more])


# ---- Pages


def desk(
    request: Request, member: Member, assignment: Assignment, form: LabelForm, *, status: int = 200
) -> HttpResponse:
    looked_for = parameters.read(request.GET, {"source": parameters.ANY}).get("source", "")
    split = form.parts()
    context = {
        "member": member,
        "here": "queues",
        "queue": assignment.queue,
        "assignment": assignment,
        "sheet": sheets.lay_out(assignment.statement, form.chosen(), source=looked_for),
        "looked_for": looked_for,
        "form": form,
        "choices": options.of(form),
        "parts": [{"said": part, "value": parts.value_of(part)} for part in split],
        "proposed": _proposed(assignment.statement, split),
        "snippets": snippets.mine(assignment.annotator),
        "draft_at": assignment.draft_at if assignment.draft is not None else None,
        "last": labels.last_of(assignment.queue, assignment.annotator),
        "progress": progress.share_of(assignment.queue, assignment.annotator),
        "trail": trail.around(assignment),
        "revealed": exposures.exposed(member.set, request.user),
    }
    return render(request, "labeling/desk.html", context, status=status)


def _proposed(statement: Statement, split: Sequence[Part]) -> list[tuple[int, str]]:
    """The premises that are proposed and not split off yet, each with its number."""
    taken = {part.text for part in split}
    listed = enumerate(parts.proposed(statement))
    return [(number, part.text) for number, part in listed if part.text not in taken]


def _refused(
    request: Request, member: Member, assignment: Assignment, form: LabelForm
) -> HttpResponse:
    """The desk with everything that is wrong with the form, each at its field; where labelling
    ended, nothing of it can be mended any more."""
    try:
        queues.require_labelling(assignment.queue)
    except LabellingEnded as ended:
        return _kept_at_the_end(request, member, assignment, ended)
    case = assignment.statement.case
    form.refuse(values.faults(form.values(), cases.texts(case), answer=case.answer))
    return desk(request, member, assignment, form, status=422)


def _ended(
    request: Request,
    member: Member,
    assignment: Assignment,
    ended: Refused,
    *,
    status: int = 200,
) -> HttpResponse:
    """What stands and what was being written, to be read only."""
    live = labels.live_of(assignment)
    draft = assignment.draft
    context = {
        "member": member,
        "here": "queues",
        "queue": assignment.queue,
        "reason": ended.message,
        "sheet": sheets.lay_out(assignment.statement),
        "live": live,
        "live_evidence": evidence_of(live) if live else (),
        "live_parts": drafts.parts_of(live) if live else (),
        "draft": draft and said(draft),
        "draft_at": assignment.draft_at,
    }
    return render(request, "labeling/desk/ended.html", context, status=status)


def _kept_at_the_end(
    request: Request, member: Member, assignment: Assignment, ended: LabellingEnded
) -> HttpResponse:
    typed, opening = drafts.typed_in(request.POST), OpenedForm(request.POST).opening()
    try:
        stored = drafts.save(assignment, typed, **opening)
    except DraftConflict as conflict:
        return draft_conflict(request, member, assignment, conflict)
    assignment.draft, assignment.draft_at = stored.draft, stored.draft_at
    return _ended(request, member, assignment, ended, status=409)


def said(typed: Mapping[str, Any]) -> dict[str, Any]:
    """A draft as a page shows it: what can be read of its evidence and parts."""
    form = deskforms.over(dict(typed), edition=0)
    return {"typed": typed, "evidence": form.chosen(), "parts": form.parts()}


def draft_conflict(
    request: Request, member: Member, assignment: Assignment, conflict: DraftConflict
) -> HttpResponse:
    context = {
        "member": member,
        "here": "queues",
        "queue": assignment.queue,
        "statement": assignment.statement,
        "stored": said(conflict.stored.draft) if conflict.stored.draft else None,
        "stored_at": conflict.stored.draft_at,
        "sent": said(conflict.typed),
        "edition": conflict.stored.draft_edition,
        "submission": uuid4(),
    }
    return render(request, "labeling/desk/draft_conflict.html", context, status=409)


def _conflict(
    request: Request, member: Member, assignment: Assignment, conflict: labels.LabelConflict
) -> HttpResponse:
    mine = conflict.proposed
    context = {
        "member": member,
        "here": "queues",
        "queue": assignment.queue,
        "statement": assignment.statement,
        "live": conflict.live,
        "live_evidence": evidence_of(conflict.live) if conflict.live else (),
        "live_parts": drafts.parts_of(conflict.live) if conflict.live else (),
        "mine": mine,
        "evidence_values": [sheets.value_of(item) for item in mine.evidence],
        "part_values": [parts.value_of(part) for part in mine.parts],
        "submission": uuid4(),
    }
    return render(request, "labeling/conflict.html", context, status=409)
