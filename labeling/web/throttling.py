"""How often signing in may fail before it has to wait, and where a request comes from.

Failures are counted in the database, hence across processes, for a name from an address. One
wrong name locks nobody else out, and nobody can lock out a name from elsewhere. An address that
fails under many names waits too, so that a list of names cannot be tried through.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any, Final

from axes.attempts import get_cool_off_threshold
from axes.handlers.database import AxesDatabaseHandler
from axes.models import AccessAttempt
from django.conf import settings
from django.db.models import Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

NAMES: Final = 10
"""As many names' worth of failures make an address wait."""


class Handler(AxesDatabaseHandler):  # type: ignore[misc]  # axes states no types
    def get_failures(self, request: Any, credentials: dict[str, Any] | None = None) -> int:
        """Of the name from this address, or of the address as a whole on the scale of a name."""
        of_name: int = super().get_failures(request, credentials)
        since = get_cool_off_threshold(request)
        attempts = AccessAttempt.objects.filter(
            ip_address=request.axes_ip_address, attempt_time__gte=since
        )
        of_all: int = attempts.aggregate(n=Sum("failures_since_start"))["n"] or 0
        return max(of_name, of_all // NAMES)


def address(request: HttpRequest) -> str | None:
    """Whoever connected or, where that is a trusted proxy, the last of X-Forwarded-For that is
    none: what stands before it anyone could have written.

    Of an IPv6 address the network, because one host has a whole one to choose from.
    """
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
    found = None
    for hop in reversed([*forwarded, request.META.get("REMOTE_ADDR", "")]):
        try:
            found = _parsed(hop.strip())
        except ValueError:
            break
        if not any(found in network for network in settings.TRUSTED_PROXIES):
            break
    if isinstance(found, IPv6Address):
        found = ip_network((found, 64), strict=False).network_address
    return str(found) if found else None


def wait(request: HttpRequest, response: HttpResponse, credentials: object) -> HttpResponse:
    """The same page for every name."""
    seconds = int(settings.AXES_COOLOFF_TIME.total_seconds())
    answer = render(request, "registration/wait.html", {"minutes": seconds // 60}, status=429)
    answer["Retry-After"] = str(seconds)
    return answer


def _parsed(hop: str) -> IPv4Address | IPv6Address:
    found = ip_address(hop)
    return getattr(found, "ipv4_mapped", None) or found
