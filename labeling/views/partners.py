"""The page on which a lead chooses among the partners that are proposed for a case."""

from __future__ import annotations

from collections.abc import Mapping

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from grounding.errors import BadInput
from grounding.partners import PartnerKind
from labeling.access import case_for
from labeling.authoring import partnering
from labeling.cases import caselists
from labeling.sets import exposures
from labeling.web import parameters
from labeling.web.responses import Request

KINDS = [kind.value for kind in PartnerKind]


@require_safe
def partner(request: Request, slug: str, pk: int) -> HttpResponse:
    member, case = case_for(request.user, slug, pk)
    asked = parameters.read(request.GET, {"seed": parameters.ANY, "kind": KINDS})
    if case.superseded_in is not None:
        return redirect("partner", slug, caselists.live_of(member.set, case.case_id).pk)
    exposures.record(member.set, request.user, "partner")
    seed, other = seed_of(asked), partnering.partner_of(case)
    proposals = partnering.Proposals(case, seed, asked.get("kind"))
    context = {
        "member": member,
        "here": "cases",
        "case": case,
        "other": other,
        "seed": seed,
        "next_seed": seed % partnering.MOST_SEEDS + 1,
        "kind": asked.get("kind"),
        "kinds": KINDS,
        "page": None if other else parameters.page_of(proposals, request.GET),
    }
    return render(request, "labeling/authoring/partner.html", context)


def seed_of(asked: Mapping[str, str]) -> int:
    """The seed that stands in the address, 1 where none does."""
    written = asked.get("seed", "1")
    if not (written.isascii() and written.isdigit() and len(written) < 6):
        raise BadInput(f"is a number from 1 to {partnering.MOST_SEEDS}", field="seed")
    return min(max(int(written), 1), partnering.MOST_SEEDS)
