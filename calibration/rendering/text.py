"""A report for a terminal: aligned columns, no colour, nothing that a terminal would obey."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from textwrap import wrap

from calibration.rendering.laid_out import Document, Item, Section, Table, Verbatim
from calibration.wording.visible import line_by_line, visible

_WIDTH = 100


def render(document: Document) -> str:
    lines = list(_opening(document))
    lines += _aligned([[label, value] for label, value in document.facts], [False, False])
    for section in document.sections:
        lines += ["", *_section(section)]
    return "\n".join(lines) + "\n"


def brief(document: Document) -> str:
    """The title and the sentences alone."""
    return "\n".join(_opening(document)) + "\n"


def _opening(document: Document) -> Iterable[str]:
    title = visible(document.title)
    yield from (title, "=" * _width(title), "")
    for sentence in document.sentences:
        yield from (*wrap(visible(sentence), _WIDTH), "")


def _section(section: Section) -> Iterable[str]:
    yield visible(section.title)
    yield "-" * _width(visible(section.title))
    for number, table in enumerate(section.tables):
        yield from [""] if number else []
        yield from _table(table)
    for number, item in enumerate(section.items, start=1):
        yield from _item(number, item)
    for note in section.notes:
        yield from wrap(visible(note), _WIDTH)
    for one in section.verbatim:
        yield from _verbatim(one)


def _table(table: Table) -> list[str]:
    last = len(table.headers) - 1
    right = [0 < at < last or (at == last and table.numeric_last) for at in range(last + 1)]
    return _aligned([table.headers, *table.rows], right)


def _aligned(rows: Sequence[Sequence[str]], right: Sequence[bool]) -> list[str]:
    cells = [[visible(cell) for cell in row] for row in rows]
    widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join(
            _padded(cell, width, to_right)
            for cell, width, to_right in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in cells
    ]


def _padded(cell: str, width: int, to_right: bool) -> str:
    padding = " " * (width - _width(cell))
    return padding + cell if to_right else cell + padding


def _item(number: int, item: Item) -> Iterable[str]:
    yield f"{number:>3}. {visible(item.title)}"
    for label, text in item.lines:
        first, rest = f"     {label:<12}", " " * 17
        yield from wrap(visible(text), _WIDTH, initial_indent=first, subsequent_indent=rest)


def _verbatim(one: Verbatim) -> Iterable[str]:
    yield from ("", visible(one.title))
    yield from (f"  | {line}" for line in line_by_line(one.text))


def _width(text: str) -> int:
    """Columns that a terminal takes: two for a wide character, none for a combining mark."""
    return sum(
        0
        if unicodedata.combining(character)
        else 1 + (unicodedata.east_asian_width(character) in "WF")
        for character in text
    )
