"""What a desk does beside submitting. Each keeps what is written as the draft, so that nothing
is lost on the way, and works from the one form by a button of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse, JsonResponse
from django.views.decorators.http import require_POST

from grounding.errors import AssizeError, BadInput, Refused
from labeling import labels
from labeling.access import Member, assignment_for
from labeling.desk import drafts, snippets
from labeling.desk.deskforms import LabelForm, OpenedForm
from labeling.desk.drafts import AlreadySubmitted, DraftConflict, LateDraft, Typed
from labeling.models import Assignment
from labeling.queues import remarks
from labeling.views.desk import desk, draft_conflict, go_on, onward, path_of, posted_for
from labeling.web.responses import Request

Act = Callable[[Typed, Assignment], object]


@require_POST
def save(request: Request, slug: str, pk: int, key: UUID) -> HttpResponse:
    member, assignment = posted_for(request, slug, pk, key)
    if wants_json(request):
        opening = OpenedForm(request.POST).opening()
        return saved_as_json(assignment, drafts.typed_in(request.POST), opening)
    kept = keeping(request, member, assignment)
    return kept or onward(request, path_of("label", assignment))


@require_POST
def discard(request: Request, slug: str, pk: int, key: UUID) -> HttpResponse:
    member, assignment = posted_for(request, slug, pk, key)
    opening = OpenedForm(request.POST).opening()
    try:
        drafts.discard(assignment, form=opening["form"], edition=opening["edition"])
    except DraftConflict as conflict:
        return draft_conflict(request, member, assignment, conflict)
    return onward(request, path_of("label", assignment))


@require_POST
def undo(request: Request, slug: str, pk: int, key: UUID) -> HttpResponse:
    """Undone twice is undone: the desk shows what is."""
    _, assignment = assignment_for(request.user, slug, pk, key)
    if labels.live_of(assignment) is not None:
        drafts.undo(assignment)
        messages.info(request, "The label is taken back. What it said is here as a draft.")
    return onward(request, path_of("label", assignment))


@require_POST
def skip(request: Request, slug: str, pk: int, key: UUID) -> HttpResponse:
    member, assignment = posted_for(request, slug, pk, key)
    reason = request.POST.get("skipped_reason", "")
    kept = keeping(request, member, assignment, lambda _, one: remarks.skip(one, reason))
    if kept is not None:
        return kept
    messages.info(request, "Skipped. You can take that back under My remarks.")
    return go_on(request, assignment.queue, assignment.annotator)


@require_POST
def flag(request: Request, slug: str, pk: int, key: UUID) -> HttpResponse:
    member, assignment = posted_for(request, slug, pk, key)
    reason = request.POST.get("flagged_reason", "")
    kept = keeping(request, member, assignment, lambda _, one: remarks.flag(one, reason))
    if kept is not None:
        return kept
    messages.success(request, "Flagged: the leads will see it. You can go on labelling.")
    return onward(request, path_of("label", assignment))


@require_POST
def use_snippets(request: Request, slug: str, pk: int, key: UUID) -> HttpResponse:
    """By the button that was pressed: ``keep`` the rationale, or ``insert`` or ``delete`` the
    ``snippet`` that is chosen."""
    member, assignment = posted_for(request, slug, pk, key)
    kept = keeping(request, member, assignment, lambda typed, one: _used(request, typed, one))
    return kept or onward(request, path_of("label", assignment))


def _used(request: Request, typed: Typed, assignment: Assignment) -> None:
    annotator, do = assignment.annotator, request.POST.get("do", "")
    if do == "keep":
        snippets.save(annotator, typed["rationale"])
        return
    chosen = request.POST.get("snippet", "")
    if not (chosen.isascii() and chosen.isdigit() and len(chosen) < 19):
        raise BadInput("choose a snippet first", field="rationale")
    if do == "delete":
        snippets.delete(annotator, int(chosen))
    else:
        typed["rationale"] = snippets.appended(annotator, int(chosen), typed["rationale"])


# ---- Keeping what is written


def keeping(
    request: Request, member: Member, assignment: Assignment, act: Act | None = None
) -> HttpResponse | None:
    """Save the form as the draft, and ``act`` with it: both or neither. None where that was
    done, else the page that says why not, with everything that was written."""
    try:
        with transaction.atomic():
            typed = drafts.typed_in(request.POST)
            if act is not None:
                act(typed, assignment)
            drafts.save(assignment, typed, **OpenedForm(request.POST).opening())
    except DraftConflict as conflict:
        return draft_conflict(request, member, assignment, conflict)
    except (BadInput, Refused) as error:
        return _not_kept(request, member, assignment, error)
    return None


def _not_kept(
    request: Request, member: Member, assignment: Assignment, error: AssizeError
) -> HttpResponse:
    form = LabelForm(request.POST)
    form.is_valid()
    if isinstance(error, BadInput):
        form.refuse([error])
        return desk(request, member, assignment, form, status=422)
    form.add_error(None, error.message)
    return desk(request, member, assignment, form, status=409)


def wants_json(request: Request) -> bool:
    preferred = request.get_preferred_type(["text/html", "application/json"])
    return preferred == "application/json"


def saved_as_json(assignment: Assignment, typed: Typed, opening: dict[str, Any]) -> HttpResponse:
    """For a script: what stands, and whether the statement is still reserved."""
    try:
        stored = drafts.save(assignment, typed, **opening)
    except LateDraft as late:
        stored = late.stored
    except DraftConflict as conflict:
        told = _standing(conflict.stored) | {"draft": conflict.stored.draft}
        return JsonResponse(told | {"reason": conflict.message}, status=409)
    except AlreadySubmitted as error:
        return JsonResponse({"reason": error.message, "submitted": True}, status=409)
    return JsonResponse(_standing(stored) | {"lease": drafts.lease_of(stored)})


def _standing(stored: Assignment) -> dict[str, Any]:
    return {"edition": stored.draft_edition, "saved_at": stored.draft_at}
