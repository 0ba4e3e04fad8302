"""What may stand behind the question mark of a URL: an allow-list for each page.

A name becomes part of a query only by being written in the view that reads it,
so no lookup, ordering or connector can come in from outside.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar, cast

from django.core.paginator import Page, Paginator
from django.http import QueryDict

from grounding.errors import BadInput, NotFound

ANY = None
MAX_VALUE = 1_000
PER_PAGE = 50

Row = TypeVar("Row", covariant=True)


def read(given: QueryDict, allowed: Mapping[str, Collection[str] | None]) -> dict[str, str]:
    """The filters that are set; BadInput for a name or value that ``allowed`` does not list.

    ``allowed`` maps each name to its values, or to ANY. ``page`` is always allowed.
    """
    chosen = {name: str(given[name]) for name in given if name != "page"}
    for name, value in chosen.items():
        _check(name, value, given, allowed)
    return {name: value for name, value in chosen.items() if value}


def _check(
    name: str, value: str, given: QueryDict, allowed: Mapping[str, Collection[str] | None]
) -> None:
    if name not in allowed:
        raise BadInput("there is no such filter on this page", field=name[:64])
    if len(given.getlist(name)) > 1:
        raise BadInput("is given more than once", field=name)
    if len(value) > MAX_VALUE or "\x00" in value:
        raise BadInput("is no value that could be looked for", field=name)
    values = allowed[name]
    if value and values is not None and value not in values:
        raise BadInput(f"takes one of: {', '.join(values)}", field=name)


class Rows(Protocol[Row]):
    """A list that can be counted and cut without being read whole, such as a queryset."""

    def count(self) -> int: ...

    def __getitem__(self, part: slice, /) -> Iterable[Row]: ...


def page_of(
    rows: Rows[Row] | Sequence[Row], given: QueryDict, *, per_page: int = PER_PAGE
) -> Page[Row]:
    """The page of ``rows`` that the URL asks for, the first where it asks for none."""
    number = str(given.get("page", "1"))
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        raise BadInput("is not the number of a page", field="page")
    paginator: Paginator[Row] = Paginator(cast(Any, rows), per_page)
    if not 1 <= int(number) <= paginator.num_pages:
        raise NotFound(f"this list has {paginator.num_pages} pages")
    return paginator.page(int(number))
