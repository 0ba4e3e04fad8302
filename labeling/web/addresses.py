"""Addresses of the many objects of one list."""

from __future__ import annotations

from collections.abc import Callable

from django.urls import reverse


def by_key(name: str, *args: object) -> Callable[[int], str]:
    """The address that a primary key has, of a route whose last part that is; `reverse` goes
    through the routes once for the whole list."""
    before, _, after = reverse(name, args=[*args, 0]).rpartition("0")
    return lambda key: f"{before}{key}{after}"
