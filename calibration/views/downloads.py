"""Files that leave as attachments, under names that the server makes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TypeVar

from django.http import FileResponse, HttpResponse
from django.http.response import HttpResponseBase

Response = TypeVar("Response", bound=HttpResponseBase)


def attachment(text: str, name: str, kind: str) -> HttpResponse:
    """``text`` to be saved, never shown: what was imported cannot run as a page of ours."""
    return _saved(HttpResponse(text, content_type=f"{kind}; charset=utf-8"), name)


def file_attachment(path: Path, name: str, kind: str) -> FileResponse:
    """A file, sent in pieces; it stays readable until then, even where it is deleted."""
    # Closed by the response, once it is sent.
    return _saved(FileResponse(path.open("rb"), content_type=kind), name)


def _saved(response: Response, name: str) -> Response:
    safe = re.sub(r"[^A-Za-z0-9._@-]", "-", name)
    response["Content-Disposition"] = f'attachment; filename="{safe}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response
