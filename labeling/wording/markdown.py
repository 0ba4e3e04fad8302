"""Markdown of leads as HTML that can do nothing but be read.

Markup is shown as text, pictures are not fetched, links lead to web and mail addresses alone and
tell those nothing. Headings begin at the third level: the first two are the page's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

from labeling.wording.faithful import faithful

SCHEMES: Final = frozenset({"http", "https", "mailto"})
_LINK: Final = {"rel": "noopener noreferrer nofollow", "target": "_blank"}
_DOWN: Final = 2


@lru_cache(maxsize=64)
def render(text: str) -> SafeString:
    """``text`` as HTML; belongs inside class "prose"."""
    tokens = _MARKDOWN.parse(text)
    _tame(tokens)
    html: str = _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {})
    return mark_safe(html)  # noqa: S308  # what people wrote goes through `faithful` alone


def _tame(tokens: Sequence[Token]) -> None:
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1:]) + _DOWN, 6)}"
        if token.type == "link_open":
            token.attrs.update(_LINK)
        # The alignment of a table's cells comes as a style, which the page's policy forbids.
        token.attrs.pop("style", None)
        _tame(token.children or ())


def _leads_out(url: str) -> bool:
    return url.partition(":")[0].lower() in SCHEMES


def _text(_: Any, tokens: Sequence[Token], at: int, *rest: Any) -> str:
    return faithful(tokens[at].content)


def _code(_: Any, tokens: Sequence[Token], at: int, *rest: Any) -> str:
    return f"<code>{faithful(tokens[at].content)}</code>"


def _block(_: Any, tokens: Sequence[Token], at: int, *rest: Any) -> str:
    return f"<pre><code>{faithful(tokens[at].content)}</code></pre>\n"


def _made() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False}).enable("table")
    made.disable(["image", "html_block", "html_inline"])
    made.validateLink = _leads_out  # type: ignore[method-assign]
    for kind, rule in {
        "text": _text,
        "code_inline": _code,
        "code_block": _block,
        "fence": _block,
    }.items():
        made.add_render_rule(kind, rule)
    return made


_MARKDOWN: Final = _made()
