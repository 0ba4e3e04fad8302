"""Parts that an annotator splits off a statement: part of their own label, judged before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_POST

from grounding.errors import BadInput, NotFound
from labeling import cases, queues, values
from labeling.access import Member, assignment_for
from labeling.desk import deskforms, drafts, options, parts, sheets
from labeling.desk.deskforms import OpenedForm, PartForm
from labeling.desk.drafts import DraftConflict, Typed
from labeling.models import Assignment
from labeling.values import MAX_PARTS, Part
from labeling.views.desk import draft_conflict, onward, path_of, posted_for
from labeling.views.drafts import keeping, saved_as_json, wants_json
from labeling.web.responses import Request


@require_POST
def split(request: Request, slug: str, pk: int, key: UUID) -> HttpResponse:
    """From the desk's form, by the button that was pressed: ``add`` a part, with ``words`` of
    the answer where the script has them, ``take`` the proposed one of that number, or ``edit``
    or ``remove`` the one of that number."""
    member, assignment = posted_for(request, slug, pk, key)
    to = [path_of("label", assignment)]

    def act(typed: Typed, one: Assignment) -> None:
        number = _split(request, typed, one)
        if number is not None:
            to[0] = path_of("label-part", one, number)

    return keeping(request, member, assignment, act) or onward(request, to[0])


def _split(request: Request, typed: Typed, assignment: Assignment) -> int | None:
    """Which part the annotator turns to; None where they stay at the statement."""
    listed: list[str] = typed["part"]
    if "remove" in request.POST:
        del listed[_index(request.POST["remove"], listed)]
        return None
    if "edit" in request.POST:
        return _index(request.POST["edit"], listed)
    if len(listed) >= MAX_PARTS:
        raise BadInput(f"at most {MAX_PARTS} parts", field="part")
    if "take" in request.POST:
        proposed = [parts.value_of(one) for one in parts.proposed(assignment.statement)]
        listed.append(proposed[_index(request.POST["take"], proposed)])
        return len(listed) - 1
    span = parts.span_in(request.POST.get("words", ""))
    listed.append(parts.value_of(parts.quoted(assignment.statement.case.answer, span, "")))
    return len(listed) - 1


def _index(number: str, listed: Sequence[str]) -> int:
    found = int(number) if number.isascii() and number.isdigit() and len(number) < 5 else -1
    if not 0 <= found < len(listed):
        raise BadInput("there is no such part", field="part")
    return found


@require_http_methods(["GET", "HEAD", "POST"])
def part(request: Request, slug: str, pk: int, key: UUID, number: int) -> HttpResponse:
    if request.method == "POST":
        member, assignment = posted_for(request, slug, pk, key)
        return _posted(request, member, assignment, number)
    member, assignment = assignment_for(request.user, slug, pk, key)
    queues.require_labelling(assignment.queue)
    shown = _parts(drafts.opened(assignment), number)[number]
    form = deskforms.over_part(shown, edition=assignment.draft_edition)
    return _page(request, member, assignment, form, number)


def _posted(request: Request, member: Member, assignment: Assignment, number: int) -> HttpResponse:
    """The part as it is to be stored; by the button ``keep`` as it is, finished or not."""
    form, case = PartForm(request.POST), assignment.statement.case
    readable = form.is_valid()
    try:
        said, faults = form.part(case.answer), []
    except BadInput as fault:
        said, faults = None, [fault]
    if said is not None and "keep" not in request.POST:
        faults = list(values.part_faults(said, cases.texts(case), case.answer))
    if said is None or faults or not readable:
        form.refuse(faults)
        return _page(request, member, assignment, form, number, status=422)
    if "keep" not in request.POST:
        said = values.checked_part(said, cases.texts(case), case.answer)
    return _kept(request, member, assignment, number, said)


def _kept(
    request: Request, member: Member, assignment: Assignment, number: int, said: Part
) -> HttpResponse:
    typed = drafts.opened(assignment)
    listed = _parts(typed, number)
    listed[number] = said
    typed = typed | {"part": [parts.value_of(one) for one in listed]}
    opening = OpenedForm(request.POST).opening()
    if wants_json(request):
        return saved_as_json(assignment, typed, opening)
    try:
        drafts.save(assignment, typed, **opening)
    except DraftConflict as conflict:
        return draft_conflict(request, member, assignment, conflict)
    return onward(request, path_of("label", assignment))


def _parts(typed: Typed, number: int) -> list[Part]:
    found = parts.readable(typed.get("part", ()))
    if number >= len(found):
        raise NotFound("there is no such part of your label")
    return found


def _page(
    request: Request,
    member: Member,
    assignment: Assignment,
    form: PartForm,
    number: int,
    *,
    status: int = 200,
) -> HttpResponse:
    span = _span(form)
    answer = assignment.statement.case.answer
    stretches = sheets.words_to_choose(assignment.statement, span)
    whole = any(stretch.chosen for stretch in stretches)
    context: dict[str, Any] = {
        "member": member,
        "here": "queues",
        "queue": assignment.queue,
        "number": number,
        "sheet": sheets.lay_out(assignment.statement, form.chosen()),
        "form": form,
        "choices": options.of_part(form),
        "answer": stretches,
        "own_words": span is None,
        "exact_words": None if span is None or whole else answer[slice(*span)],
    }
    return render(request, "labeling/desk/part.html", context, status=status)


def _span(form: PartForm) -> tuple[int, int] | None:
    try:
        return parts.span_in(form["words"].value() or "")
    except BadInput:
        return None
