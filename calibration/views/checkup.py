"""The checks of one judge on one set, for those who lead it, and how to run what was not."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from calibration import rubrics, runs
from calibration.access import probe_for, rubric_version_for
from calibration.forms import StartProbe
from calibration.models import RubricVersion
from calibration.readings import checkup, probed
from calibration.readings.checkup import Check
from calibration.rendering import checkup as rendering
from calibration.runs import estimates, probes
from calibration.views.reports import lists_of
from grounding.errors import BadInput, NotFound
from labeling.access import Member, set_for
from labeling.models import Role
from labeling.sets import exposures
from labeling.web import parameters
from labeling.web.responses import Request


@require_http_methods(["GET", "HEAD", "POST"])
def checks(request: Request, slug: str, name: str, version: str) -> HttpResponse:
    member = set_for(request.user, slug, at_least=Role.LEAD)
    found = rubric_version_for(request.user, name, version)
    parameters.read(request.GET, {})
    exposures.record(member.set, request.user, "report")
    to_be_seen: dict[str, Any] = {}
    if request.method == "POST":
        form = _valid(StartProbe(request.POST))
        to_be_seen = _to_be_seen(member, found, form, request.POST.get("seen"))
        if not to_be_seen:
            run = runs.start(member.set, found, probe=form.probe, user=request.user)
            return redirect("run", slug, run.pk)
    context = {
        "member": member,
        "here": "runs",
        "version": found,
        "rows": [_row(member, one) for one in checkup.of(found, member.set)],
        "to_be_seen": to_be_seen,
        "seed": probes.DEFAULT_SEED,
        "characters": probes.DEFAULT_CHARACTERS,
        "most_characters": probes.MOST_CHARACTERS,
    }
    return render(request, "calibration/judge_checks.html", context)


@require_safe
def moved(request: Request, slug: str, pk: int) -> HttpResponse:
    member, run = probe_for(request.user, slug, pk)
    move = parameters.read(request.GET, probed.FILTERS).get("move")
    exposures.record(member.set, request.user, "judgments")
    plain = probed.plain_of(run)
    if plain is None:
        raise NotFound("there is no run that this probe could be read beside")
    context = {
        "member": member,
        "here": "runs",
        "run": run,
        "plain": plain,
        "move": move,
        "moves": probed.FILTERS["move"],
        "meaning": rendering.MOVE_MEANINGS.get(move or ""),
        "page": parameters.page_of(probed.MoveList(run, plain, move), request.GET),
    }
    return render(request, "calibration/moved.html", context)


def _valid(form: StartProbe) -> StartProbe:
    if not form.is_valid():
        field, errors = next(iter(form.errors.items()))
        raise BadInput(str(errors[0]), field=field)
    return form


def _to_be_seen(
    member: Member, version: RubricVersion, form: StartProbe, seen: str | None
) -> dict[str, Any]:
    """What the probe will take, where it takes calls and the lead has not yet been told."""
    definition = rubrics.definition_of(version)
    asked = form.probe.as_json()
    seal = "-".join(map(str, asked.values()))
    if not estimates.calls(definition) or seen == seal:
        return {}
    expected = estimates.of(definition, member.set, 1, form.probe)
    return {**asked, "seal": seal, "expected": expected}


def _row(member: Member, check: Check) -> dict[str, Any]:
    slug = member.set.slug
    if check.report is not None:
        check = checkup.linked(check, lists_of(check.report, slug))
    return {
        "check": check,
        "title": rendering.TITLES[check.name],
        "asks": rendering.ASKS[check.name],
        "probing": check.name in probes.KINDS,
        "sentence": _sentence(slug, check),
        "can_report": check.figures is None and check.report is None,
        "probe": probes.of_run(check.run) if check.run else None,
    }


def _sentence(slug: str, check: Check) -> Any:
    if check.figures is None:
        return None
    if check.name not in probes.KINDS or check.run is None:
        return rendering.sentence(check.name, check.figures)
    to = reverse("probe-moved", args=[slug, check.run.pk])
    links = {name: f"{to}?move={name}" for name in probed.FILTERS["move"]}
    return rendering.sentence(check.name, {**check.figures, "behind": links})
