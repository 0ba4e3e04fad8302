"""What is drawn, and where its parts lead."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from django.utils.encoding import iri_to_uri

IMPLEMENTATION: Final = 2
"""Raised whenever the same data would be drawn otherwise."""


class Link(NamedTuple):
    """Where a part of a picture leads, and what a screen reader calls it."""

    href: str
    name: str


@dataclass(frozen=True)
class Picture:
    """What is drawn: a kind of chart, the rows that it draws, and what holds for the whole, all of
    which JSON can hold. A row that leads somewhere has the place of its link in ``links``."""

    kind: str
    title: str
    description: str
    rows: Sequence[Mapping[str, Any]]
    links: Sequence[Link] = ()
    whole: Mapping[str, Any] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """Of all that decides what is drawn, the way of drawing included."""
        named = (self.kind, self.title, self.description)
        parts = [IMPLEMENTATION, *named, self.rows, self.links, self.whole]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


class Links:
    """Gathers the links of a picture while its data are put together."""

    def __init__(self) -> None:
        self.found: list[Link] = []

    def place(self, href: str | None, name: str) -> int | None:
        """The place of a link in the list, or None where there is none."""
        if href is None:
            return None
        self.found.append(Link(iri_to_uri(href), name))
        return len(self.found) - 1
