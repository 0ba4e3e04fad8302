"""Texts in pieces: every mark says in words what it marks, not by colour alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from django import template
from django.utils.safestring import SafeString

from labeling.wording.faithful import faithful
from labeling.wording.marking import Piece
from labeling.wording.markup import format_html, joined

register = template.Library()

DIFFERS = ("differs",)
_WHOSE: Final = ("judge", "expected")

_END: Final = '<span class="visually-hidden">]</span>'
_REMOVED: Final = f'<del><span class="visually-hidden">[gone: </span>{{}}{_END}</del>'
_ADDED: Final = f'<ins><span class="visually-hidden">[new: </span>{{}}{_END}</ins>'


@register.filter
def marked(pieces: Iterable[Piece]) -> SafeString:
    """The pieces of a text, joined without a space between; belongs inside class "text"."""
    return joined(_drawn(piece) for piece in pieces)


@register.filter
def removed(pieces: Iterable[Piece]) -> SafeString:
    """A text of before, with what is no longer there struck through."""
    return joined(_changed(_REMOVED, piece) for piece in pieces)


@register.filter
def added(pieces: Iterable[Piece]) -> SafeString:
    """A text of now, with what was not there before underlined."""
    return joined(_changed(_ADDED, piece) for piece in pieces)


@register.filter
def cited_by(pieces: Iterable[Piece]) -> SafeString:
    """The pieces of a text, each that annotators cite with their letters behind it."""
    return joined(_lettered(piece) for piece in pieces)


def _lettered(piece: Piece) -> SafeString:
    text = faithful(piece.text)
    if not piece.notes:
        return text
    return format_html(
        '<mark>{}</mark><span class="cited-by"><span class="visually-hidden">cited by </span>{}'
        "</span>",
        text,
        ", ".join(piece.notes),
    )


def _changed(drawn: str, piece: Piece) -> SafeString:
    text = faithful(piece.text)
    return format_html(drawn, text) if piece.notes == DIFFERS else text


def _drawn(piece: Piece) -> SafeString:
    if not piece.notes:
        return faithful(piece.text)
    if piece.notes == DIFFERS:
        return _mark("differs", "[differs: ", piece, "]")
    return format_html(
        '<mark class="cited {}">{}<span class="note"> [{}] </span></mark>',
        _by(piece.notes),
        faithful(piece.text),
        faithful("; ".join(piece.notes)),
    )


def _by(notes: Iterable[str]) -> str:
    """Whose quote it is, for the line under it: the judge's, the one expected, or a label's."""
    each = {next((word for word in _WHOSE if word in note), "label") for note in notes}
    return " ".join(f"by-{whose}" for whose in sorted(each))


def _mark(name: str, before: str, piece: Piece, after: str) -> SafeString:
    return format_html(
        '<mark class="{}"><span class="visually-hidden">{}</span>{}'
        '<span class="visually-hidden">{}</span></mark>',
        name,
        before,
        faithful(piece.text),
        after,
    )
