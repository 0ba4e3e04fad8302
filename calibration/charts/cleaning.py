"""SVG made fit for a page: what is not known to be harmless stops the drawing.

The engine's output is read as XML and written anew from what is allowed, element by element.
Anything else raises, so that a new version of the engine cannot bring in what nobody looked at.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from typing import Final

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from calibration.charts.engine import NotDrawn
from calibration.charts.picture import Link, Picture

_SVG: Final = "{http://www.w3.org/2000/svg}"
_HREF: Final = "{http://www.w3.org/1999/xlink}href"

_NUMBER = r"-?[0-9.]+(?:e-?[0-9]+)?"
_COLOUR = re.compile(r"none|transparent|var\(--[a-z-]+, currentColor\)")
_LENGTH = re.compile(rf"{_NUMBER}(?:px)?")
_NUMBERS = re.compile(rf"{_NUMBER}(?:[ ,]+{_NUMBER})*")
_WORD = re.compile(r"[a-z-]+|[0-9]+")

# Presentation attributes and geometry alone, each with the form that its value must have.
_ATTRIBUTES: Final = {
    **dict.fromkeys(("fill", "stroke"), _COLOUR),
    **dict.fromkeys(
        ("x", "y", "x2", "y2", "dy", "width", "height", "font-size", "stroke-width", "r"), _LENGTH
    ),
    **dict.fromkeys(
        ("opacity", "fill-opacity", "stroke-opacity", "stroke-dasharray", "stroke-miterlimit"),
        _NUMBERS,
    ),
    **dict.fromkeys(
        ("text-anchor", "font-weight", "stroke-linecap", "stroke-linejoin", "pointer-events"),
        _WORD,
    ),
    "viewBox": _NUMBERS,
    "d": re.compile(r"[MLHVCSQTAZmlhvcsqtaz0-9eE., -]*"),
    "transform": re.compile(rf"(?:(?:translate|rotate)\({_NUMBER}(?:, ?{_NUMBER})?\) ?)+"),
}
# What the engine writes for renderers of its own, and what `_figure.html` says better.
_DROPPED: Final = frozenset(
    {"class", "role", "aria-label", "aria-hidden", "aria-roledescription", "version", "font-family"}
)
_ELEMENTS: Final = frozenset({"svg", "g", "path", "line", "rect", "text", "tspan", "a"})


class Unclean(NotDrawn):
    """The engine drew something that is not known to be harmless."""


def clean(svg: str, picture: Picture, placeholder: str) -> SafeString:
    """``svg`` with its name and links; raises `Unclean` for whatever is not on the lists."""
    try:
        root = ET.fromstring(svg)  # noqa: S314  # our own engine's, of text that XML can hold
    except ET.ParseError as error:
        raise Unclean(f"what was drawn is no XML: {error}") from None
    if root.tag != f"{_SVG}svg":
        raise Unclean(f"what was drawn is no SVG: {root.tag}")
    links = _Links(picture.links, placeholder)
    inside = "".join(_children(root, links))
    links.require_all()
    return mark_safe(  # noqa: S308  # every part was written by this module
        f'<svg class="{_size(root)}" {_attributes(root)} '
        f"{_named(picture)}>"
        f"<desc>{escape(picture.description)}</desc>{inside}</svg>"
    )


class _Links:
    """The real addresses behind the placeholders, each of which must be met once."""

    def __init__(self, links: Sequence[Link], placeholder: str) -> None:
        self.links = links
        self.placeholder = placeholder
        self.left = set(range(len(links)))

    def at(self, href: str) -> Link:
        place = href.removeprefix(self.placeholder)
        if place == href or not place.isdecimal() or int(place) not in self.left:
            raise Unclean(f"a link that is not the picture's own: {href}")
        self.left.remove(int(place))
        return self.links[int(place)]

    def require_all(self) -> None:
        if self.left:
            raise Unclean(f"links that were not drawn: {sorted(self.left)}")


def _named(picture: Picture) -> str:
    """An image as a whole, unless parts of it lead somewhere: those must stay within reach."""
    role = "group" if picture.links else "img"
    return f'role="{role}" aria-label="{escape(picture.title)}"'


def _size(root: ET.Element) -> str:
    """How far a picture may shrink before it has to scroll, as a class of charts.css."""
    width = float(root.get("width", "0"))
    return "small" if width <= 400 else "middle" if width <= 520 else "large"


def _children(element: ET.Element, links: _Links) -> Iterator[str]:
    for child in element:
        yield from _element(child, links)
        if (child.tail or "").strip():
            raise Unclean(f"text that stands beside an element: {child.tail!r}")


def _element(element: ET.Element, links: _Links) -> Iterator[str]:
    name = str(element.tag).removeprefix(_SVG)
    if name not in _ELEMENTS or name == "svg":
        raise Unclean(f"an element that is not on the list: {element.tag}")
    if element.get("display") == "none":
        return
    opening = _opening(name, element, links)
    inside = escape(element.text or "") if name in ("text", "tspan") else ""
    inside += "".join(_children(element, links))
    # The engine's empty frames would only make the page longer.
    if inside or name in ("line", "rect") or element.get("d"):
        yield f"<{opening}>{inside}</{name}>"


def _opening(name: str, element: ET.Element, links: _Links) -> str:
    if name == "a":
        return _link(element, links)
    hidden = ' aria-hidden="true"' if name == "text" else ""
    return f"{name} {_attributes(element)}".rstrip() + hidden


def _link(element: ET.Element, links: _Links) -> str:
    further = set(element.attrib) - {_HREF} - _DROPPED
    if further:
        raise Unclean(f"a link with {', '.join(sorted(further))}")
    link = links.at(element.get(_HREF, ""))
    if not _is_ours(link.href):
        raise Unclean(f"a link that leads elsewhere: {link.href}")
    # What can be hit has no fill, through which a click would fall.
    named = f'href="{escape(link.href)}" aria-label="{escape(link.name)}"'
    return f'a {named} pointer-events="all"'


def _is_ours(href: str) -> bool:
    """A path of this site, and nothing that a browser could take for another."""
    return bool(re.fullmatch(r"(?:/(?![/\\])|\?)[!-~]*", href)) and "\\" not in href


def _attributes(element: ET.Element) -> str:
    written = []
    for name, value in element.attrib.items():
        if name in _DROPPED:
            continue
        form = _ATTRIBUTES.get(name)
        if form is None or not form.fullmatch(value):
            raise Unclean(f"an attribute that is not on the list: {name}={value!r}")
        written.append(f'{name}="{value}"')
    return " ".join(written)
