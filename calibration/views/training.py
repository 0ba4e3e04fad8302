"""Training the learned judge of a set, for those who lead it."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from calibration import learned, rubrics
from calibration.forms import Train
from grounding.errors import BadInput
from labeling.access import set_for
from labeling.models import Role
from labeling.sets import exposures
from labeling.web.responses import Request


@require_POST
def train(request: Request, slug: str) -> HttpResponse:
    member = set_for(request.user, slug, at_least=Role.LEAD)
    form = Train(request.POST)
    if not form.is_valid():
        raise BadInput("no such tier of references, or no such rubric version", field="reference")
    chosen = form.cleaned_data["scope"]
    # How well a judge does on the set is told next, as a report would.
    exposures.record(member.set, request.user, "training")
    version = learned.train(
        member.set,
        minimum=form.cleaned_data["reference"],
        scope=rubrics.verified_definition(chosen) if chosen else None,
        most=learned.MOST_IN_A_REQUEST,
    ).rubric_version
    messages.success(request, f"Trained: {version}. Run it to have it stand beside other reports.")
    path = reverse("rubric-version", args=[version.name, version.version])
    return redirect(f"{path}?set={slug}")
