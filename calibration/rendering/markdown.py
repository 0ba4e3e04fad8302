"""A report as Markdown, for a pull request or a wiki. Text from outside stays text: no markup
of its own takes effect, Markdown or HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from calibration.rendering.laid_out import Document, Item, Section, Table, Verbatim
from calibration.wording.visible import line_by_line, visible

# Whatever Markdown, or the HTML that may stand in it, would read as markup. Ampersand and
# angle brackets become entities, since not every reader takes a backslash before them.
_PUNCTUATION = re.compile(r"([\\`*_{}\[\]#!|~$])")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
# What a forge makes something of without any markup: a name after an at sign is called, a number
# after a hash is noted on that issue, a bare address becomes a link. An empty comment keeps what
# belongs together apart.
_LINKED = re.compile(
    r"(?:(?<=^@)|(?<=\W@)|(?<=#))(?=\w)|(?<=:)(?=//)|(?<=www)(?=\.)", re.IGNORECASE
)


def render(document: Document) -> str:
    lines = [f"# {_plain(document.title)}", ""]
    for sentence in document.sentences:
        lines += [_plain(sentence), ""]
    lines += _table(Table(("", ""), document.facts))
    for section in document.sections:
        lines += ["", f"## {_plain(section.title)}", "", *_section(section)]
    return "\n".join(lines) + "\n"


def _section(section: Section) -> Iterable[str]:
    for number, table in enumerate(section.tables):
        yield from [""] if number else []
        yield from _table(table)
    for number, item in enumerate(section.items, start=1):
        yield from _item(number, item)
    for note in section.notes:
        yield from ["", _plain(note)]
    for one in section.verbatim:
        yield from _verbatim(one)


def _table(table: Table) -> list[str]:
    last = len(table.headers) - 1
    rules = [
        "---:" if 0 < at < last or (at == last and table.numeric_last) else "---"
        for at in range(last + 1)
    ]
    return [_row(table.headers), f"| {' | '.join(rules)} |", *map(_row, table.rows)]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(_plain, cells))} |"


def _item(number: int, item: Item) -> Iterable[str]:
    """Lines below are of the item only if they begin where its text does."""
    opening = f"{number}. "
    yield f"{opening}**{_plain(item.title)}**"
    for label, text in item.lines:
        yield f"{' ' * len(opening)}- {_plain(label)}: {_plain(text)}"


def _verbatim(one: Verbatim) -> Iterable[str]:
    """Between fences longer than any run of what they are made of, so that no line ends them."""
    lines = line_by_line(one.text)
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", one.text)), default=0))
    yield from ("", f"**{_plain(one.title)}**", "", f"{fence}text", *lines, fence)


def _plain(text: str) -> str:
    escaped = _PUNCTUATION.sub(r"\\\1", visible(text))
    for character, entity in _ENTITIES.items():
        escaped = escaped.replace(character, entity)
    return _LINKED.sub("<!-- -->", escaped)
