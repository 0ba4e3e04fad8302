"""Errors as HTTP answers, mapped once for every view."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from grounding.errors import AssizeError, BadInput, NotFound, Refused, Unavailable

# The first class that fits wins, so subclasses need no row of their own.
STATUS = ((NotFound, 404), (BadInput, 400), (Refused, 409), (Unavailable, 503))


def status_of(error: AssizeError) -> int:
    return next((status for kind, status in STATUS if isinstance(error, kind)), 500)


class ErrorMiddleware:
    """Turns an AssizeError that leaves a view into a page with its status and its one line."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not isinstance(error, AssizeError):
            return None
        status = status_of(error)
        return render(request, "error.html", {"error": error, "status": status}, status=status)
