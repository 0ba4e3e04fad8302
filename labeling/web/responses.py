"""What leaves every view: errors as HTTP answers, redirects inside htmx, nothing kept in caches."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from grounding.errors import AssizeError, BadInput, NotFound, Refused, Unavailable

Answer = Callable[[HttpRequest], HttpResponse]

# The first class that fits wins, so subclasses need no row of their own.
STATUS = ((NotFound, 404), (BadInput, 400), (Refused, 409), (Unavailable, 503))


class Request(HttpRequest):
    """A request as views get it: someone is signed in, and htmx says what it wants."""

    htmx: HtmxDetails
    user: User


def status_of(error: AssizeError) -> int:
    return next((status for kind, status in STATUS if isinstance(error, kind)), 500)


def within_htmx(request: HttpRequest) -> bool:
    """Whether the answer goes into a page that is already open."""
    return bool(getattr(request, "htmx", False))


class ErrorMiddleware:
    """Turns an AssizeError that leaves a view into a page with its status and its one line;
    into a fragment with that line where htmx asked."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not isinstance(error, AssizeError):
            return None
        status = status_of(error)
        template = "partials/error.html" if within_htmx(request) else "error.html"
        return render(request, template, {"error": error, "status": status}, status=status)


class PrivateMiddleware:
    """Pages of someone signed in are theirs alone: no cache keeps them, and a sign-in page
    never lands inside a fragment, nor in the place of a form that someone filled in."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.user.is_authenticated:
            response["Cache-Control"] = "no-store"
        elif within_htmx(request) and _goes_to_sign_in(response):
            return _signed_out(request, response["Location"])
        return response


def _goes_to_sign_in(response: HttpResponse) -> bool:
    target = urlsplit(response.get("Location", "")).path
    return response.status_code == 302 and target == resolve_url(settings.LOGIN_URL)


def _signed_out(request: HttpRequest, sign_in: str) -> HttpResponse:
    if request.method in ("GET", "HEAD"):
        return HttpResponseClientRedirect(sign_in)
    return render(request, "partials/signed_out.html", status=401)
