"""Rubric versions, for whoever leads a set: the list, one version to read, its YAML."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from calibration import learned, rubrics
from calibration.access import (
    member_beside,
    rubric_version_for,
    rubric_versions_for,
    sets_led_by,
)
from calibration.forms import Train
from calibration.rubrics import definitions
from calibration.rubrics.rubric_yaml import as_yaml
from calibration.runs import judgments as lists
from calibration.views.downloads import attachment
from grounding.judges.registry import LIMITS
from labeling.web import parameters
from labeling.web.responses import Request

MOST = 20
"""Sets that a version's page offers to run it on; the rest are reached from their own pages."""

BESIDE = {"set": parameters.ANY}


@require_safe
def rubric_list(request: Request) -> HttpResponse:
    versions = rubric_versions_for(request.user).defer("definition")
    beside = parameters.read(request.GET, BESIDE).get("set")
    context = {
        "here": "rubrics",
        "member": member_beside(request.user, beside),
        "page": parameters.page_of(versions, request.GET),
        "training": Train(),
        "least": learned.LEAST,
    }
    return render(request, "calibration/rubrics.html", context)


@require_safe
def rubric_version(request: Request, name: str, version: str) -> HttpResponse:
    found = rubric_version_for(request.user, name, version)
    member = member_beside(request.user, parameters.read(request.GET, BESIDE).get("set"))
    below = None if found.recorded else definitions.version_below(found)
    led = sets_led_by(request.user)
    context = {
        "here": "rubrics",
        "member": member,
        "version": found,
        "parts": [] if found.recorded else definitions.parts_of(found.definition or {}),
        "limits": LIMITS.get(definitions.judge_kind(found)),
        "below": below,
        "moves": definitions.moves_between(below, found) if below else [],
        "startable": [] if found.recorded else led.filter(revision__gt=0).order_by("slug")[:MOST],
        "page": parameters.page_of(lists.runs_of(found, led), request.GET),
    }
    return render(request, "calibration/rubric_version.html", context)


@require_safe
def rubric_yaml(request: Request, name: str, version: str) -> HttpResponse:
    found = rubric_version_for(request.user, name, version)
    definition = rubrics.verified_definition(found)
    text = as_yaml(definition.model_dump(mode="json"))
    return attachment(text, f"{found}.yaml", "application/yaml")
