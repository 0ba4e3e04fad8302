"""A report as one HTML file: no script, nothing fetched, every text from outside escaped.

It carries its own style since nothing else comes with it. The app sends it as an attachment,
never as a page of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from calibration.charts import Figure, NotDrawn
from calibration.rendering.laid_out import Document, Item, Section, Table, Verbatim
from labeling.wording.faithful import faithful

_STYLE = """
:root { color-scheme: light dark; }
:root { --ink: #1c1e22; --ink-soft: #565a63; --rule: #dedbd3; --accent: #1f4e8c; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e9e7e2; --ink-soft: #abaeb6; --rule: #353a42; --accent: #93bdf3; }
}
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
p { max-width: 46rem; }
.scroll { overflow-x: auto; }
figure { margin: 1rem 0; }
figcaption { max-width: 46rem; }
figure svg { display: block; margin-top: 0.5rem; font-family: system-ui, sans-serif; }
figure svg { max-width: 100%; min-width: 20rem; height: auto; }
table { border-collapse: collapse; margin: 0.5rem 0 1rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.25rem 0.75rem; border-bottom: 1px solid #8886; text-align: left; }
.number { text-align: right; }
dt { float: left; clear: left; width: 7rem; opacity: 0.75; }
dd { margin: 0 0 0.25rem 7rem; overflow-wrap: anywhere; white-space: pre-wrap; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border-left: 3px solid; padding-left: 1rem; }
summary { font-weight: 600; margin-top: 1rem; }
.unseen::before { content: attr(data-mark); font-size: 0.7em; border: 1px solid; padding: 0 0.2em; }
.reordering { unicode-bidi: isolate; }
""".strip()

_NUMBER = ' class="number"'

# What the file may do wherever it is opened: show its own style, and nothing else.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def render(document: Document) -> str:
    title = faithful(document.title)
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(document.title)}</title>\n<style>\n{_STYLE}\n</style>\n</head>\n<body>",
            f"<h1>{title}</h1>",
            *(f"<p>{faithful(sentence)}</p>" for sentence in document.sentences),
            *_described(document.facts),
            *(line for section in document.sections for line in _section(section)),
            "</body>\n</html>\n",
        ]
    )


def _section(section: Section) -> Iterable[str]:
    yield f"<section>\n<h2>{faithful(section.title)}</h2>"
    yield from map(_figure, section.figures)
    for table in section.tables:
        yield from _table(table)
    if section.items:
        yield "<ol>"
        for item in section.items:
            yield from _item(item)
        yield "</ol>"
    yield from (f"<p>{faithful(note)}</p>" for note in section.notes)
    yield from map(_verbatim, section.verbatim)
    yield "</section>"


def _figure(figure: Figure) -> str:
    """The tables beside it say the same, so one that cannot be drawn is left out."""
    try:
        svg = figure.svg
    except NotDrawn:
        return ""
    caption = f"<strong>{faithful(figure.title)}</strong><br>{faithful(figure.caption)}"
    frame = f'<div class="scroll" tabindex="0">{svg}</div>'
    return f"<figure>\n<figcaption>{caption}</figcaption>\n{frame}\n</figure>"


def _table(table: Table) -> Iterable[str]:
    yield '<div class="scroll" tabindex="0">\n<table>\n<thead>'
    yield _row(table.headers, table, header=True)
    yield "</thead>\n<tbody>"
    yield from (_row(row, table, header=False) for row in table.rows)
    yield "</tbody>\n</table>\n</div>"


def _row(cells: Sequence[str], table: Table, *, header: bool) -> str:
    first, *rest = map(faithful, cells)
    tag, scope = ("th", "col") if header else ("td", "row")
    last = 0 if table.numeric_last else len(rest)
    body = (
        f"<{tag}{'' if at == last else _NUMBER}>{cell}</{tag}>"
        for at, cell in enumerate(rest, start=1)
    )
    return f'<tr><th scope="{scope}">{first}</th>{"".join(body)}</tr>'


def _item(item: Item) -> Iterable[str]:
    yield f"<li>{faithful(item.title)}"
    yield from _described(item.lines)
    yield "</li>"


def _verbatim(one: Verbatim) -> str:
    # A line end right after the tag would be swallowed, so one is given.
    told = f"<summary>{faithful(one.title)}</summary>\n<pre>\n{faithful(one.text)}</pre>"
    return f"<details open>\n{told}\n</details>"


def _described(lines: Sequence[tuple[str, str]]) -> Iterable[str]:
    yield "<dl>"
    yield from (f"<dt>{faithful(label)}</dt><dd>{faithful(text)}</dd>" for label, text in lines)
    yield "</dl>"
