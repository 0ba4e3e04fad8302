"""Pages on which a lead writes pairs and cases, and newer revisions of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from grounding.errors import NotFound
from labeling import authoring
from labeling.access import Member, case_for, label_for, set_for
from labeling.authoring import partnering
from labeling.authoring.caseforms import fields, opening, promoting, rows
from labeling.authoring.caseforms.answering import Answer, answer
from labeling.authoring.caseforms.differences import differences
from labeling.authoring.caseforms.typed import TypedPair, read
from labeling.cases import caselists, revisions
from labeling.models import Case, Role, Source
from labeling.sets import exposures
from labeling.views.partners import seed_of
from labeling.web import parameters
from labeling.web.responses import Request

FORM = ["GET", "HEAD", "POST"]
SUGGESTED = 200


@dataclass(frozen=True)
class Desk:
    """What is being written: a pair or one case, new or over a revision that is there."""

    member: Member
    title: str
    back: str
    paired: bool
    editing: bool = False
    promoted: bool = False
    """It began with a part that an annotator split off."""
    proposed: str = ""
    """Why side B, which was proposed, lands on the other side of its rule."""
    only: str | None = None
    """The case that the form may be about, where its address names one."""
    lost: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    """Ids of the rows that were not there when the case was opened."""


@require_http_methods(FORM)
def write_pair(request: Request, slug: str) -> HttpResponse:
    member = set_for(request.user, slug, at_least=Role.LEAD)
    desk = Desk(member, "Write a pair", reverse("cases", args=[slug]), paired=True)
    if request.method == "POST":
        return _sent(request, desk)
    return _page(request, desk, TypedPair(sides={"a": rows.new_case()}))


@require_http_methods(FORM)
def write_case(request: Request, slug: str) -> HttpResponse:
    member = set_for(request.user, slug, at_least=Role.LEAD)
    desk = Desk(member, "Write a case", reverse("cases", args=[slug]), paired=False)
    if request.method == "POST":
        return _sent(request, desk)
    return _page(request, desk, TypedPair(sides={"a": rows.new_case()}))


@require_http_methods(FORM)
def edit_case(request: Request, slug: str, pk: int) -> HttpResponse:
    member, case = case_for(request.user, slug, pk)
    title, back = f"Edit case {case.case_id}", reverse("case", args=[slug, pk])
    desk = Desk(member, title, back, paired=False, editing=True, only=case.case_id)
    if request.method == "POST":
        return _sent(request, desk)
    if case.superseded_in is not None:
        live = caselists.live_of(member.set, case.case_id)
        messages.info(request, "A newer revision had taken the place of that one: this is it.")
        return redirect("case-edit", slug, live.pk)
    return _opened(request, desk, [case])


@require_http_methods(FORM)
def edit_pair(request: Request, slug: str, pair_id: str) -> HttpResponse:
    member = set_for(request.user, slug, at_least=Role.LEAD)
    title, back = f"Edit pair {pair_id}", reverse("pair", args=[slug, pair_id])
    desk = Desk(member, title, back, paired=True, editing=True)
    if request.method == "POST":
        caselists.require_pair(member.set, pair_id)
        return _sent(request, desk)
    return _opened(request, desk, caselists.pair_of(member.set, pair_id))


@require_http_methods(FORM)
def promote(request: Request, slug: str, pk: int, number: int) -> HttpResponse:
    member, label = label_for(request.user, slug, pk)
    exposures.record(member.set, request.user, "adjudication")
    part, case = promoting.part_of(label, number), promoting.case_of(label)
    # Not the case's page, which shows what judges said: decisions made after that are revealed.
    title, back = f"A new statement of {case.case_id}", reverse("adjudication", args=[slug])
    desk = Desk(member, title, back, paired=False, editing=True, promoted=True, only=case.case_id)
    if request.method == "POST":
        return _sent(request, desk)
    if promoting.promoted_in(case, label.statement.statement_id, part["text"]):
        messages.info(request, f"That part is a statement of {case.case_id} already.")
        return redirect(back)
    typed, lost = opening.open_cases([case])
    desk.added.append(f"row-a-statements-{promoting.add_part(typed.sides['a'], label, number)}")
    desk.lost.extend(lost)
    checked = answer(member.set, typed, button="check", checked="", paired=False)
    return _page(request, desk, typed, replace(checked, status=200))


@require_http_methods(FORM)
def write_partner(request: Request, slug: str, pk: int) -> HttpResponse:
    member, case = case_for(request.user, slug, pk)
    title, back = f"A partner for {case.case_id}", reverse("partner", args=[slug, pk])
    desk = Desk(member, title, back, paired=True, editing=True, only=case.case_id)
    if request.method == "POST":
        return _sent(request, desk)
    asked = parameters.read(request.GET, {"seed": parameters.ANY, "key": parameters.ANY})
    if case.superseded_in is not None or "key" not in asked:
        return redirect("partner", slug, caselists.live_of(member.set, case.case_id).pk)
    record, proposal = partnering.proposal_of(case, seed_of(asked), asked["key"])
    desk = replace(desk, proposed=proposal.why)
    typed, lost = opening.open_beside(case, partnering.named(case, record, proposal))
    desk.lost.extend(lost)
    return _page(request, desk, typed)


@require_safe
def revision(request: Request, slug: str, revision: int) -> HttpResponse:
    member = set_for(request.user, slug, at_least=Role.LEAD)
    parameters.read(request.GET, {})
    page = parameters.page_of(revisions.cases_of(member.set, revision), request.GET)
    exposures.record(member.set, request.user, "revision")
    context = {
        "member": member,
        "here": "cases",
        "revision": revision,
        "page": page,
        "arrivals": revisions.arrivals(list(page)),
        "findings": revisions.findings_on(member.set, list(page)),
    }
    return render(request, "labeling/authoring/revision.html", context)


def _opened(request: Request, desk: Desk, cases: list[Case] | tuple[Case, ...]) -> HttpResponse:
    typed, lost = opening.open_cases(cases[:2])
    desk.lost.extend(lost)
    return _page(request, desk, typed)


def _sent(request: Request, desk: Desk) -> HttpResponse:
    typed = read(request.POST.dict())
    _require_own(desk, typed)
    given = answer(
        desk.member.set,
        typed,
        button=request.POST.get("do", "check"),
        checked=request.POST.get("checked", ""),
        paired=desk.paired,
    )
    if given.saved is not None:
        messages.success(request, f"Saved. It stands in revision {given.saved} of the set.")
        return redirect("revision", desk.member.set.slug, given.saved)
    return _page(request, desk, typed, given)


def _require_own(desk: Desk, typed: TypedPair) -> None:
    """NotFound where the form is about another case than its address, or another set's."""
    if "a" not in typed.sides or (not desk.paired and len(typed.sides) > 1):
        raise NotFound("the form was for something else")
    ids = [(one.case_id, one.opened) for one in typed.sides.values()]
    if desk.only is not None and ids[0][0] != desk.only:
        raise NotFound("the form was for another case")
    authoring.require_opened_here(desk.member.set, [one for one in ids if one[1]])
    if desk.editing != any(opened for _, opened in ids):
        raise NotFound("the form was for something else")


def _page(
    request: Request, desk: Desk, typed: TypedPair, given: Answer | None = None
) -> HttpResponse:
    given = given or Answer()
    exposures.record(desk.member.set, request.user, "writing")
    titles = {"a": "Side A", "b": "Side B"} if desk.paired else {"a": "The case"}
    context = {
        "member": desk.member,
        "here": "cases",
        "desk": desk,
        "form": fields.lay_out(typed, given.errors, titles=titles),
        "answer": given,
        "clashes": [(one, differences(one.live, one.mine)) for one in given.clashes],
        "half": desk.paired and "b" not in typed.sides,
        "kinds": caselists.kinds_of(desk.member.set)[:SUGGESTED],
        "sources": Source.objects.filter(set=desk.member.set)
        .order_by("pk")
        .values_list("source_id", flat=True)[:SUGGESTED],
    }
    return render(request, "labeling/authoring/form.html", context, status=given.status)
