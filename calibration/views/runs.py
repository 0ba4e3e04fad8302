"""The lead's pages about runs: the list and its start form, live progress, judgments."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRefresh

from calibration import calls, rubrics
from calibration import runs as run_records
from calibration.access import judgment_for, run_for
from calibration.calls import exchanges
from calibration.forms import Rerun, StartRun
from calibration.runs import estimates, rounds
from calibration.runs import judgments as judgment_lists
from grounding.errors import BadInput
from grounding.judges.llm.estimating import Estimate
from labeling.access import set_for
from labeling.authoring import casefiles
from labeling.models import CalibrationSet, Role
from labeling.people import setlists
from labeling.sets import exposures
from labeling.web import parameters
from labeling.web.responses import Request


@require_http_methods(["GET", "HEAD", "POST"])
def runs(request: Request, slug: str) -> HttpResponse:
    member = set_for(request.user, slug, at_least=Role.LEAD)
    exposures.record(member.set, request.user, "runs")
    asked = parameters.read(request.GET, {"rubric": parameters.ANY}).get("rubric")
    form = StartRun(request.POST if request.method == "POST" else None, asked=asked)
    expected = None
    if request.method == "POST" and form.is_valid():
        expected = _to_be_seen(member.set, form, request.POST.get("seen"))
        if expected is None:
            run = run_records.start(member.set, **form.plan, user=request.user)
            return redirect("run", slug, run.pk)
    page = parameters.page_of(judgment_lists.runs_on(member.set), request.GET, per_page=10)
    context = {
        "member": member,
        "here": "runs",
        "form": form,
        "expected": expected,
        "counts": setlists.counts(member.set),
        "page": page,
        "rows": judgment_lists.rows_of(list(page)),
        "names": list(dict.fromkeys(run.rubric_version.name for run in page)),
    }
    return render(request, "calibration/runs.html", context, status=400 if form.errors else 200)


def _to_be_seen(held: CalibrationSet, form: StartRun, seen: str | None) -> Estimate | None:
    """What the run will take, where it takes calls and the lead has not yet been told."""
    definition = rubrics.definition_of(form.plan["rubric_version"])
    if not estimates.calls(definition) or seen == form.seal:
        return None
    return estimates.of(definition, held, form.plan["repeats"])


@require_safe
def run(request: Request, slug: str, pk: int) -> HttpResponse:
    member, run = run_for(request.user, slug, pk)
    exposures.record(member.set, request.user, "run")
    context = {
        "member": member,
        "here": "runs",
        "run": run,
        "progress": run_records.progress(run),
        "calls": calls.of(run),
        "failures": run_records.failures(run),
        "reports": judgment_lists.reports_of(run),
    }
    return render(request, "calibration/run.html", context)


@require_safe
def progress(request: Request, slug: str, pk: int) -> HttpResponse:
    member, run = run_for(request.user, slug, pk)
    exposures.record(member.set, request.user, "run")
    now = run_records.progress(run)
    if request.htmx and now.status != "running":
        # What can be done with a run that has ended stands on its page alone.
        return HttpResponseClientRefresh()
    context = {"member": member, "run": run, "progress": now, "calls": calls.of(run)}
    return render(request, "calibration/_progress.html", context)


@require_POST
def cancel(request: Request, slug: str, pk: int) -> HttpResponse:
    _, run = run_for(request.user, slug, pk)
    run_records.cancel(run)
    messages.success(request, "Cancelled. What is in flight is broken off; what is judged is kept.")
    return redirect("run", slug, pk)


@require_POST
def rerun(request: Request, slug: str, pk: int) -> HttpResponse:
    _, run = run_for(request.user, slug, pk)
    form = Rerun(request.POST)
    if not form.is_valid():
        field, errors = next(iter(form.errors.items()))
        raise BadInput(str(errors[0]), field=field)
    again = rounds.rerun(run, form.budget)
    messages.success(request, f"Round {again.round}: what failed is judged again.")
    return redirect("run", slug, pk)


@require_safe
def run_calls(request: Request, slug: str, pk: int) -> HttpResponse:
    member, run = run_for(request.user, slug, pk)
    filters = parameters.read(request.GET, calls.FILTERS)
    exposures.record(member.set, request.user, "judgments")
    context = {
        "member": member,
        "here": "runs",
        "run": run,
        "filters": filters,
        "choices": calls.FILTERS,
        "currency": calls.currency_of(run),
        "page": parameters.page_of(calls.listed(run, filters), request.GET),
    }
    return render(request, "calibration/calls.html", context)


@require_safe
def judgments(request: Request, slug: str, pk: int) -> HttpResponse:
    member, run = run_for(request.user, slug, pk)
    choices = judgment_lists.filters_of(run)
    filters = parameters.read(request.GET, choices)
    page = parameters.page_of(judgment_lists.JudgmentList(run, filters), request.GET)
    exposures.record(member.set, request.user, "judgments")
    context = {
        "member": member,
        "here": "runs",
        "run": run,
        "filters": filters,
        "choices": choices,
        "page": page,
    }
    return render(request, "calibration/judgments.html", context)


@require_safe
def judgment(request: Request, slug: str, pk: int) -> HttpResponse:
    member, judgment = judgment_for(request.user, slug, pk)
    exposures.record(member.set, request.user, "judgment")
    context = {
        "member": member,
        "here": "runs",
        "judgment": judgment,
        "file": casefiles.lay_out_quotes(judgment.statement.case, "the judge", judgment.evidence),
        "exchanges": exchanges.of(judgment),
        "repeats": judgment_lists.repeats_of(judgment),
        "currency": calls.currency_of(judgment.run),
        "report": judgment_lists.reports_of(judgment.run).first(),
    }
    return render(request, "calibration/judgment.html", context)
