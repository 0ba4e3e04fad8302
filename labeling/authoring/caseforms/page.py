"""The form of a case as a page draws it, and what people call its places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

Option = tuple[str, str]


@dataclass(frozen=True)
class Field:
    name: str
    label: str
    value: str
    kind: str = "line"
    """``line``, ``text``, ``choice``, ``tick``, ``hidden`` or ``fixed``."""
    error: str = ""
    hint: str = ""
    options: Sequence[Option] = ()
    suggestions: str = ""
    """The id of the list of values that the page suggests."""
    rows: int = 2

    @property
    def id(self) -> str:
        return "field-" + self.name.replace(".", "-")


@dataclass(frozen=True)
class Row:
    """A passage, a statement or a quote: its fields by name, and the quotes below it."""

    at: str
    title: str
    error: str
    fields: Mapping[str, Field]
    quotes: Sequence[Row] = ()
    warning: str = ""
    """What its author may have missed, and may leave as it is."""

    @property
    def id(self) -> str:
        return "row-" + self.at.replace(".", "-")


@dataclass(frozen=True)
class Side:
    side: str
    title: str
    fields: Mapping[str, Field]
    context: Sequence[Row]
    retrieved: Sequence[Row]
    statements: Sequence[Row]
    passages: Sequence[str]
    errors: Sequence[str] = ()
    """What is wrong with a list as a whole."""


@dataclass(frozen=True)
class PairForm:
    shared: Sequence[Field]
    sides: Sequence[Side]
    problems: Sequence[tuple[str, str, str]] = field(default=())
    """Of every error, as the page has them: the id of its place, what people call that, the
    message."""
    focus: str = ""
    """The id of the first field with an error, where no row or list has one before it."""


def _rows(form: PairForm) -> Iterator[Row]:
    for side in form.sides:
        for row in (*side.context, *side.retrieved, *side.statements):
            yield row
            yield from row.quotes


def fields_of(form: PairForm) -> Iterator[Field]:
    yield from form.shared
    for side in form.sides:
        yield from side.fields.values()
    for row in _rows(form):
        yield from row.fields.values()


@dataclass(frozen=True)
class Place:
    """Where an error can stand, and what people call it; ``typed`` where one types there."""

    name: str
    id: str
    called: str
    typed: bool = False


_BELOW: Final = {
    "question": ("context", "admitted context"),
    "answer": ("statements", "statements"),
    "pooled": ("retrieved", "retrieved pool"),
}
"""The list that stands on the page below a field."""


def places_of(form: PairForm) -> Iterator[Place]:
    """In the order of the page."""
    yield from _fields_at(form.shared, "")
    for side in form.sides:
        for name, one in side.fields.items():
            yield from _fields_at([one], side.title)
            if name in _BELOW:
                listed, label = _BELOW[name]
                at = f"{side.side}.{listed}"
                yield Place(at, "row-" + at.replace(".", "-"), f"{side.title}, {label}")
                yield from _rows_at(getattr(side, listed), side.title)


def _rows_at(rows: Sequence[Row], within: str) -> Iterator[Place]:
    for row in rows:
        called = f"{within}, {row.title.lower()}"
        yield Place(row.at, row.id, called)
        yield from _fields_at(row.fields.values(), called)
        yield from _rows_at(row.quotes, called)


def _fields_at(fields: Iterable[Field], within: str) -> Iterator[Place]:
    for one in fields:
        called = f"{within}, {one.label.lower()}" if within else one.label
        yield Place(one.name, one.id, called, one.kind not in ("hidden", "fixed"))
