"""Drafts of rubric versions, for whoever leads a set: begun, edited, tried, released."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from calibration import drafting
from calibration.access import draft_for
from calibration.drafting import drafts, trials
from calibration.drafting.drafts import StaleDraft
from calibration.forms import BeginDraft, TryOut
from calibration.models import RubricDraft
from calibration.rubrics.rubric_yaml import as_yaml
from calibration.views.downloads import attachment
from calibration.views.typed import Typed
from grounding.errors import BadInput, NotFound, Refused
from grounding.rubrics import examine
from labeling.access import leads_anywhere
from labeling.sets import exposures
from labeling.web import parameters
from labeling.web.responses import Request


@require_http_methods(["GET", "HEAD", "POST"])
def draft_list(request: Request) -> HttpResponse:
    leads_anywhere(request.user)
    posted = request.method == "POST"
    form = BeginDraft(request.POST, request.FILES) if posted else BeginDraft()
    if posted and form.is_valid():
        begun = _begun(request, form)
        if begun is not None:
            return redirect("draft", begun.pk)
    parameters.read(request.GET, {})
    page = parameters.page_of(drafts.open_drafts(), request.GET)
    context = {"here": "rubrics", "page": page, "form": form}
    return render(request, "calibration/drafts/drafts.html", context, status=422 if posted else 200)


def _begun(request: Request, form: BeginDraft) -> RubricDraft | None:
    """The new draft; None, and the reason on the form, where the text cannot be read."""
    based_on = form.cleaned_data["based_on"]
    if based_on is not None:
        return drafts.begin(based_on, request.user)
    try:
        return drafts.take_in(form.yaml, request.user)
    except BadInput as error:
        form.add_error("file" if form.cleaned_data["file"] else "text", str(error))
        return None


@require_http_methods(["GET", "HEAD", "POST"])
def draft(request: Request, pk: int) -> HttpResponse:
    found = draft_for(request.user, pk)
    if request.method != "POST":
        return _opened(request, found)
    typed = Typed.of(request, found)
    if typed.action.verb == "check":
        return _checked(request, found, typed)
    try:
        drafts.save(found, typed.definition, request.user, edition=typed.edition)
    except StaleDraft as stale:
        return _conflict(request, stale, typed)
    except Refused as refused:
        more = {"refused": refused, "not_done": "saved"}
        return _page(request, found, typed.definition, status=409, **more)
    messages.success(request, "Saved.")
    return redirect(reverse("draft", args=[found.pk]) + typed.anchor)


def _opened(request: Request, draft: RubricDraft) -> HttpResponse:
    """The draft while it is open; what it became where it was released."""
    if draft.discarded_at is not None:
        raise NotFound("this draft was discarded")
    released = draft.released_as
    if released is not None:
        return redirect("rubric-version", released.name, released.version)
    return _page(request, draft, drafts.definition_of(draft))


@require_POST
def try_out(request: Request, pk: int) -> HttpResponse:
    found = draft_for(request.user, pk)
    typed = Typed.of(request, found)
    form = TryOut(request.user, request.POST)
    more: dict[str, Any] = {"edition": typed.edition, "trial_form": form}
    definition, _ = examine(typed.definition)
    if not form.is_valid() or definition is None:
        return _page(request, found, typed.definition, status=422, **more)
    more["trial_set"] = chosen = form.cleaned_data["set"]
    exposures.record(chosen, request.user, "trial")
    try:
        more["trial"] = trials.try_out(definition, chosen, form.case_ids)
    except (BadInput, Refused) as error:
        form.add_error("cases" if isinstance(error, BadInput) else None, error.message)
    return _page(request, found, typed.definition, status=422 if form.errors else 200, **more)


@require_POST
def release(request: Request, pk: int) -> HttpResponse:
    found = draft_for(request.user, pk)
    typed = Typed.of(request, found)
    try:
        drafts.save(found, typed.definition, request.user, edition=typed.edition)
        released = drafts.release(found, edition=found.edition).rubric_version
    except StaleDraft as stale:
        return _conflict(request, stale, typed)
    except Refused as refused:
        return _page(request, found, typed.definition, status=409, refused=refused)
    messages.success(request, f"Released {released}. It never changes from now on.")
    return redirect("rubric-version", released.name, released.version)


@require_POST
def discard(request: Request, pk: int) -> HttpResponse:
    found = draft_for(request.user, pk)
    typed = Typed.of(request, found)
    try:
        drafts.discard(found, edition=typed.edition)
    except StaleDraft as stale:
        return _conflict(request, stale, typed)
    messages.success(request, f"Discarded the draft of {found}.")
    return redirect("drafts")


@require_safe
def draft_yaml(request: Request, pk: int) -> HttpResponse:
    found = draft_for(request.user, pk)
    text = as_yaml(drafts.definition_of(found))
    return attachment(text, f"draft-{found.pk}-{found}.yaml", "application/yaml")


def _checked(request: Request, draft: RubricDraft, typed: Typed) -> HttpResponse:
    """What the check found: on the whole page, or for the page that is open."""
    if not request.htmx:
        return _page(request, draft, typed.definition, edition=typed.edition)
    found = drafts.check(typed.definition)
    layout = drafting.lay_out(drafting.RUBRIC, typed.definition, found.faults, found.moves)
    sent = {name.removesuffix(".rows") for name in request.POST}
    fields = [field for field in layout.fields if field.name in sent]
    context = {"draft": draft, "check": found, "layout": layout, "fields": fields}
    return render(request, "calibration/drafts/_checked.html", context)


def _conflict(request: Request, stale: StaleDraft, typed: Typed) -> HttpResponse:
    """What was sent, in its form, and where the stored draft says something else."""
    differs = drafts.differences(drafts.definition_of(stale.stored), typed.definition)
    return _page(request, stale.stored, typed.definition, status=409, differs=differs, stale=True)


def _page(
    request: Request,
    draft: RubricDraft,
    definition: dict[str, Any],
    *,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    found = drafts.check(definition)
    context = {
        "here": "rubrics",
        "draft": draft,
        "edition": draft.edition,
        "check": found,
        "layout": drafting.lay_out(drafting.RUBRIC, definition, found.faults, found.moves),
        "trial_form": TryOut(request.user),
    }
    return render(request, "calibration/drafts/draft.html", context | more, status=status)
