"""A file of cases, or a whole bundle, into a set: for those who lead it."""

from __future__ import annotations

from typing import Any, Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods
from django_htmx.http import HttpResponseClientRedirect

from calibration.bundles import uploads
from grounding.errors import AssizeError, BadInput
from labeling.access import Member, set_for
from labeling.models import Role
from labeling.sets import exposures
from labeling.web.responses import Request, status_of, within_htmx
from labeling.web.uploads import MAX_UPLOAD

MIB = 1024 * 1024
_TOLD: Final = (
    ("cases", "added", "new"),
    ("cases", "superseded", "superseded"),
    ("labels", "added", "new"),
    ("judgments", "added", "new"),
)


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
        return f"is larger than {MAX_UPLOAD // MIB} MiB; whoever runs the server can import it"
    return "choose a file first"


def _imported(request: Request, member: Member, upload: uploads.Upload) -> HttpResponse:
    cases = upload.imported["cases"]
    messages.success(request, f"Imported: {_counted(upload.imported)}.")
    revision = upload.imported["revision"]
    came = cases["added"] or cases["superseded"]
    onward = (
        reverse("revision", args=[member.set.slug, revision])
        if came
        else reverse("cases", args=[member.set.slug])
    )
    return HttpResponseClientRedirect(onward) if within_htmx(request) else redirect(onward)


def _counted(imported: dict[str, Any]) -> str:
    """What came in, thing by thing; what was there already is not news."""
    told = [
        f"{number:,} {word} {name if number != 1 else name.removesuffix('s')}"
        for name, kind, word in _TOLD
        if (number := imported[name].get(kind))
    ]
    return ", ".join(told) or "nothing in the file was new"


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
