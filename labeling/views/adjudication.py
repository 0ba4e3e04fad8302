"""The lead's pages on which disputes are found and decided."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode
from uuid import UUID, uuid4

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from grounding.errors import BadInput, NotFound
from labeling import adjudications, cases, values
from labeling.access import Member, set_for, statement_for
from labeling.adjudications import (
    AdjudicationConflict,
    Outcome,
    adjudication_lists,
    adjudication_sheets,
    disputes,
)
from labeling.adjudications.adjudication_forms import (
    AdjudicationForm,
    MajoritiesForm,
    deciding,
    following,
    over_text,
)
from labeling.adjudications.disputes import Dispute
from labeling.desk import options, sheets
from labeling.desk.deskforms import evidence_of
from labeling.models import Label, Role, Statement
from labeling.sets import exposures
from labeling.web import parameters
from labeling.web.responses import Request

FORM = ["GET", "HEAD", "POST"]
BULK = 25
_PAGE = {**adjudication_lists.FILTERS, "names": ["1"], "source": parameters.ANY}


@require_safe
def adjudication(request: Request, slug: str) -> HttpResponse:
    member = set_for(request.user, slug, at_least=Role.LEAD)
    filters = parameters.read(request.GET, adjudication_lists.FILTERS)
    listing = adjudication_lists.read(member.set, filters)
    page = parameters.page_of(_Listed(listing.listed), request.GET)
    exposures.record(member.set, request.user, "adjudication")
    context = {
        "member": member,
        "here": "adjudication",
        "listing": listing,
        "filters": filters,
        "page": page,
        "rows": adjudication_lists.rows(page),
        "kept": urlencode(filters),
    }
    return render(request, "labeling/adjudication/list.html", context)


@require_http_methods(FORM)
def adjudicate(request: Request, slug: str, key: UUID) -> HttpResponse:
    member, statement = statement_for(request.user, slug, key)
    exposures.record(member.set, request.user, "adjudication")
    dispute = disputes.of_statement(statement)
    if request.method != "POST":
        form = deciding(dispute.over, adjudications.standing(dispute))
        return _page(request, member, statement, dispute, form)
    if request.POST.get("statement") != str(statement.key):
        raise NotFound("the form was for another statement")
    if "take" in request.POST:
        return _taken(request, member, statement, dispute)
    return _sent(request, member, statement, dispute)


@require_http_methods(FORM)
def adjudicate_bulk(request: Request, slug: str) -> HttpResponse:
    member = set_for(request.user, slug, at_least=Role.LEAD)
    exposures.record(member.set, request.user, "adjudication")
    if request.method != "POST":
        return _bulk_page(request, member, MajoritiesForm(initial={"submission": uuid4()}))
    form = MajoritiesForm(request.POST)
    if not form.is_valid():
        return _bulk_page(request, member, form, status=422)
    given = form.cleaned_data
    outcome = adjudications.follow_majorities(
        member.set,
        request.user,
        given["chosen"],
        rationale=given["rationale"],
        submission=given["submission"],
    )
    _tell(request, outcome)
    return redirect("adjudicate-bulk", slug)


def _taken(
    request: Request, member: Member, statement: Statement, dispute: Dispute
) -> HttpResponse:
    """The form filled with what one annotator says; nothing is stored."""
    wanted = request.POST["take"]
    label = next((pk for pk in dispute.over if str(pk) == wanted), None)
    if label is None:
        raise NotFound("that label no longer counts; open the statement anew")
    stands = adjudications.standing(dispute)
    written = request.POST.get("rationale", "").replace("\r\n", "\n")
    others = set(Label.objects.filter(pk__in=dispute.over).values_list("rationale", flat=True))
    form = following(
        Label.objects.get(pk=label),
        dispute.over,
        stands,
        rationale="" if written in others else written,
    )
    return _page(request, member, statement, dispute, form, taken=label)


def _sent(request: Request, member: Member, statement: Statement, dispute: Dispute) -> HttpResponse:
    form = AdjudicationForm(request.POST)
    if not form.is_valid():
        return _page(request, member, statement, dispute, form, status=422)
    try:
        adjudications.decide(
            statement,
            request.user,
            form.values(),
            submission=form.cleaned_data["submission"],
            opened=form.opened(),
            split_as=form.cleaned_data["split_as"],
        )
    except AdjudicationConflict as conflict:
        return _conflict(request, member, statement, form, conflict)
    except BadInput as error:
        texts = cases.texts(statement.case)
        form.refuse(values.faults(form.values(), texts) or [error])
        return _page(request, member, statement, dispute, form, status=422)
    messages.success(request, "Decided.")
    return _go_on(request, member, statement)


def _go_on(request: Request, member: Member, statement: Statement) -> HttpResponse:
    """To the next one of the list that this was opened from; to the list at its end."""
    filters = parameters.read(request.GET, _PAGE)
    kept = {name: value for name, value in filters.items() if name in adjudication_lists.FILTERS}
    listing = adjudication_lists.read(member.set, kept)
    after = adjudication_lists.following(listing, statement)
    if after is None:
        url = reverse("adjudication", args=[member.set.slug])
    else:
        url = reverse("adjudicate", args=[member.set.slug, after.key])
    return redirect(f"{url}?{urlencode(kept)}" if kept else url)


def _page(
    request: Request,
    member: Member,
    statement: Statement,
    dispute: Dispute,
    form: AdjudicationForm,
    *,
    taken: int | None = None,
    status: int = 200,
) -> HttpResponse:
    given = parameters.read(request.GET, _PAGE)
    looked_for = given.get("source", "")
    bench = adjudication_sheets.lay_out(
        statement, dispute, request.user, form.chosen(), source=looked_for
    )
    context = _about(request, member, statement, given) | {
        "dispute": dispute,
        "stands": adjudications.standing(dispute),
        "bench": bench,
        "splits": [ballot for ballot in bench.ballots if ballot.label.premises],
        "party": any(ballot.yours for ballot in bench.ballots) and disputes.disagree(dispute.votes),
        "looked_for": looked_for,
        "form": form,
        "choices": options.of(form),
        "split_as": str(form["split_as"].value() or ""),
        "taken": taken,
        "agreement": disputes.agreement([dispute]),
        "revealed": exposures.saw_judges(member.set, request.user),
    }
    return render(request, "labeling/adjudication/decide.html", context, status=status)


def _conflict(
    request: Request,
    member: Member,
    statement: Statement,
    form: AdjudicationForm,
    conflict: AdjudicationConflict,
) -> HttpResponse:
    dispute = disputes.of_statement(statement)
    given = parameters.read(request.GET, _PAGE)
    stands, mine = conflict.standing, conflict.proposed
    context = _about(request, member, statement, given) | {
        "stands": stands,
        "stands_evidence": evidence_of(stands) if stands else (),
        "mine": mine,
        "evidence_values": [sheets.value_of(item) for item in mine.evidence],
        "split_as": form.cleaned_data["split_as"],
        "ballots": adjudication_sheets.ballots_of(dispute, request.user),
        "new": set(dispute.over) - set(form.cleaned_data["over"]),
        "gone": len(set(form.cleaned_data["over"]) - set(dispute.over)),
        "over": over_text(dispute.over),
        "submission": uuid4(),
    }
    return render(request, "labeling/adjudication/conflict.html", context, status=409)


def _about(
    request: Request, member: Member, statement: Statement, given: dict[str, str]
) -> dict[str, Any]:
    kept = {name: value for name, value in given.items() if name != "source"}
    unnamed = {name: value for name, value in kept.items() if name != "names"}
    return {
        "member": member,
        "here": "adjudication",
        "statement": statement,
        "names": "names" in given,
        "kept": urlencode(kept),
        "kept_pairs": list(kept.items()),
        "listed": urlencode(unnamed),
        "with_names": urlencode(unnamed | {"names": "1"}),
    }


def _bulk_page(
    request: Request, member: Member, form: MajoritiesForm, *, status: int = 200
) -> HttpResponse:
    parameters.read(request.GET, {})
    found = adjudication_lists.easy(disputes.of_set(member.set))
    page = parameters.page_of(_Listed(found), request.GET, per_page=BULK)
    context = {
        "member": member,
        "here": "adjudication",
        "form": form,
        "page": page,
        "rows": adjudication_lists.easy_rows(page),
        "ticked": set(form["chosen"].value() or ()),
        "revealed": exposures.saw_judges(member.set, request.user),
    }
    return render(request, "labeling/adjudication/bulk.html", context, status=status)


def _tell(request: Request, outcome: Outcome) -> None:
    if outcome.decided:
        messages.success(request, f"{len(outcome.decided)} decided as the majority says.")
    for statement, why in outcome.left:
        messages.warning(request, f"Not decided: “{statement.text[:80]}”: {why}.")


class _Listed(list[Dispute]):
    """A list that counts itself, as a page of rows asks it to."""

    def count(self, *_: Any) -> int:
        return len(self)
