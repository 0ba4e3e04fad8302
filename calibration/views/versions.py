"""The lead's pages about all versions of a rubric on a set, and about the set's hold-out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from calibration import charts, versions
from calibration.access import rubric_named_for
from calibration.rendering import drift
from calibration.rendering import holdout as holdout_words
from calibration.rendering import versions as rendering
from calibration.rendering.headlines import HEADLINES
from calibration.reports import looks
from calibration.versions import links, lists, pictures
from calibration.versions.book import opened
from calibration.versions.group import Group
from grounding.errors import NotFound
from labeling.access import Member, set_for
from labeling.models import Role
from labeling.sets import exposures
from labeling.web import parameters
from labeling.web.responses import Request

RUNS = {"runs": parameters.ANY, "run": parameters.ANY, "references": parameters.ANY}
PAIR = dict.fromkeys(("first", "second", "first_model", "second_model"), parameters.ANY)


@require_safe
def of_rubric(request: Request, slug: str, name: str) -> HttpResponse:
    member = set_for(request.user, slug, at_least=Role.LEAD)
    rubric_named_for(request.user, name)
    parameters.read(request.GET, {})
    exposures.record(member.set, request.user, "comparison")
    told = links.linked(versions.full(versions.read(name, member.set)), _places(slug, name))
    drawn = pictures.of_page(told)
    context = {
        "member": member,
        "here": "runs",
        "name": name,
        "told": told,
        "sentences": rendering.sentences(told),
        "blocks": [_block(*both) for both in zip(told["blocks"], drawn.blocks, strict=True)],
        "drift": drawn.drift,
        "pairs": drift.alarms_first(told["drift"]["pairs"]),
        "headlines": HEADLINES,
        "look": holdout_words.LOOK,
        "results": drift.RESULTS,
    }
    return render(request, "calibration/versions.html", context)


def _places(slug: str, name: str) -> links.Places:
    return links.Places(
        statements=reverse("version-statements", args=[slug, name]),
        moved=reverse("version-moved", args=[slug, name]),
        compared=reverse("compare-statements", args=[slug]),
        judgments=reverse("runs", args=[slug]),
        holdout=reverse("holdout", args=[slug]),
    )


def _block(block: Mapping[str, Any], drawn: Sequence[charts.Panels]) -> dict[str, Any]:
    return {
        **block,
        "versions": [
            {**one, "stands_as": rendering.stands_as(block, one)} for one in block["versions"]
        ],
        "pictures": drawn,
        "lines": rendering.lines_of_cells(block),
        "words": list(rendering.apart(block["apart"])) if block["apart"] else [],
        "tested": [one for one in block["versions"] if one["against"]],
    }


@require_safe
def statements(request: Request, slug: str, name: str) -> HttpResponse:
    member = set_for(request.user, slug, at_least=Role.LEAD)
    rubric_named_for(request.user, name)
    filters = parameters.read(request.GET, {**lists.FILTERS, **RUNS})
    named, whose = filters.pop("runs", ""), filters.pop("run", None)
    digest = filters.pop("references", None)
    exposures.record(member.set, request.user, "comparison")
    runs = lists.runs_named(member.set, name, named.split(","))
    run = next((one for one in runs if str(one.pk) == whose), None)
    if whose and run is None:
        raise NotFound("that run is not among those that are read together")
    listed = lists.StatementList(Group(opened(member.set, runs), runs), run, filters)
    context = {
        "member": member,
        "here": "runs",
        "name": name,
        "runs": runs,
        "run": run,
        "filters": filters,
        "labels": lists.FILTER_LABELS,
        "choices": lists.FILTERS,
        "kept": {"runs": named, **({"run": whose} if whose else {})},
        "moved": digest not in (None, listed.digest),
        "page": parameters.page_of(listed, request.GET),
    }
    return render(request, "calibration/version_statements.html", context)


@require_safe
def moved(request: Request, slug: str, name: str) -> HttpResponse:
    member = set_for(request.user, slug, at_least=Role.LEAD)
    rubric_named_for(request.user, name)
    allowed = {**PAIR, "move": lists.MOVES, "verdict": lists.FILTERS["judge_verdict"][:-1]}
    given = parameters.read(request.GET, allowed)
    exposures.record(member.set, request.user, "comparison")
    numbers = [given.get("first", ""), given.get("second", "")]
    runs = lists.runs_named(member.set, name, numbers)
    pairing = lists.Pairing(runs, (given.get("first_model"), given.get("second_model")))
    listed = lists.MovedList(member.set, pairing, given.get("move"), given.get("verdict"))
    context = {
        "member": member,
        "here": "runs",
        "name": name,
        "given": given,
        "pair": listed.pair,
        "page": parameters.page_of(listed, request.GET),
    }
    return render(request, "calibration/version_moved.html", context)


@require_safe
def holdout(request: Request, slug: str) -> HttpResponse:
    member = set_for(request.user, slug, at_least=Role.LEAD)
    asked = parameters.read(request.GET, {"looked": looks.LOOKED}).get("looked")
    exposures.record(member.set, request.user, "report")
    found = looks.held_out(member.set)
    context = {
        "member": member,
        "here": "runs",
        "looked": asked,
        "told": looks.figures(found),
        "sentence": holdout_words.sentence(looks.figures(found)),
        "look": holdout_words.LOOK,
        "page": parameters.page_of(looks.HeldOutList(found, asked), request.GET),
    }
    return render(request, "calibration/holdout.html", context)


@require_safe
def holdout_looks(request: Request, slug: str, pk: int) -> HttpResponse:
    member, held = _held_out(request, slug, pk)
    parameters.read(request.GET, {})
    exposures.record(member.set, request.user, "report")
    context = {
        "member": member,
        "here": "runs",
        "held": held,
        "look": holdout_words.LOOK,
        "statement": looks.texts([held])[held.statement],
        "page": parameters.page_of(looks.LookList(held.looks), request.GET),
    }
    return render(request, "calibration/holdout_looks.html", context)


def _held_out(request: Request, slug: str, pk: int) -> tuple[Member, looks.HeldOut]:
    member = set_for(request.user, slug, at_least=Role.LEAD)
    found = next((one for one in looks.held_out(member.set) if one.statement == pk), None)
    if found is None:
        raise NotFound("no statement of that number is held out in this set")
    return member, found
