"""A page as a browser takes it: its elements, its text, its links."""

from __future__ import annotations

from collections.abc import Sequence
from html.parser import HTMLParser
from urllib.parse import urlsplit

INLINE = {"a", "span", "strong", "mark", "code", "time", "q"}
"""Elements that stand in a line: every other one begins a word of its own."""


class Page(HTMLParser):
    def __init__(self, body: bytes) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.links: list[tuple[str, str]] = []
        self.named: list[tuple[str, str]] = []  # links whose name is not their text
        self.text = ""
        self._link: str | None = None
        self._link_text = ""
        self.feed(body.decode())

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in INLINE:
            self.text += " "
        if tag == "a":
            self._take_link(dict(attrs))

    def _take_link(self, attributes: dict[str, str | None]) -> None:
        href, name = attributes.get("href") or "", attributes.get("aria-label")
        if name:
            self.named.append((href, name))
        else:
            self._link, self._link_text = href, ""

    def handle_endtag(self, tag: str) -> None:
        if tag == "a" and self._link is not None:
            self.links.append((self._link, self._link_text.strip()))
            self._link = None

    def handle_data(self, data: str) -> None:
        self.text += data
        self._link_text += data

    @property
    def plain(self) -> str:
        """The text with white space as one space, as it reads."""
        return " ".join(self.text.split())

    def tags(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.elements if tag == name]

    def link(self, text: str) -> str:
        return next(href for href, shown in self.links if shown == text)


def rows_behind(client, url: str) -> int:
    """How many judgments a list has, read row by row over all of its pages."""
    rows, number = 0, 1
    while True:
        joint = "&" if urlsplit(url).query else "?"
        page = Page(client.get(f"{url}{joint}page={number}").content)
        rows += sum("/judgments/" in link and link.count("/") == 5 for link, _ in page.links)
        if not any(text == "Next" for _, text in page.links):
            return rows
        number += 1
