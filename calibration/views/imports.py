"""A file of cases, or a whole bundle, into a set: for those who lead it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods
from django_htmx.http import HttpResponseClientRedirect

from calibration import uploads
from grounding.errors import AssizeError, BadInput
from labeling import exposures
from labeling.access import Member, set_for
from labeling.models import Role
from labeling.responses import Request, status_of, within_htmx
from labeling.uploads import MAX_UPLOAD

MIB = 1024 * 1024


@require_http_methods(["GET", "HEAD", "POST"])
def import_file(request: Request, slug: str) -> HttpResponse:
    member = set_for(request.user, slug, at_least=Role.LEAD)
    if request.method != "POST":
        return _page(request, member)
    exposures.record(member.set, request.user, "import")
    try:
        upload = _taken(request, member)
    except AssizeError as error:
        status = 422 if isinstance(error, BadInput) else status_of(error)
        return _page(request, member, error=str(error), status=status)
    if not upload.done:
        return _page(request, member, upload=upload)
    return _imported(request, member, upload)


def _taken(request: Request, member: Member) -> uploads.Upload:
    file = request.FILES.get("file")
    if file is None:
        raise BadInput(_why_none(request), field="file")
    return uploads.take(
        member.set,
        file,
        supersede=request.POST.get("supersede") == "yes",
        checked=request.POST.get("checked", "") if request.POST.get("do") == "import" else "",
        with_labels=member.administers,
    )


def _why_none(request: Request) -> str:
    length = request.META.get("CONTENT_LENGTH") or "0"
    if length.isdigit() and int(length) > MAX_UPLOAD:
        return f"is larger than {MAX_UPLOAD // MIB} MiB; import it where the server runs"
    return "choose a file"


def _imported(request: Request, member: Member, upload: uploads.Upload) -> HttpResponse:
    cases = upload.imported["cases"]
    messages.success(
        request,
        f"Imported: {cases['added']} cases added, {cases['superseded']} superseded,"
        f" {cases['unchanged']} unchanged; {upload.imported['labels']['added']} labels added.",
    )
    revision = upload.imported["revision"]
    came = cases["added"] or cases["superseded"]
    onward = (
        reverse("revision", args=[member.set.slug, revision])
        if came
        else reverse("cases", args=[member.set.slug])
    )
    return HttpResponseClientRedirect(onward) if within_htmx(request) else redirect(onward)


def _page(request: Request, member: Member, *, status: int = 200, **shown: Any) -> HttpResponse:
    context = {
        "member": member,
        "here": "cases",
        "limit": MAX_UPLOAD // MIB,
        "supersede": request.POST.get("supersede") == "yes",
        "asked": request.POST.get("do") == "import",
        **shown,
    }
    return render(request, "calibration/import.html", context, status=status)
