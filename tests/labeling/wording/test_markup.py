"""HTML out of pieces: what is not known to be safe is escaped, as Django's own functions do."""

from __future__ import annotations

import pytest
from django.urls import reverse
from django.utils import html
from django.utils.safestring import SafeString, mark_safe

from labeling.web.addresses import by_key
from labeling.wording.markup import format_html, joined

PIECES = ["a < b & 'c' \"d\"", mark_safe("<b>bold</b>"), 12, None, "{} {0} {name} %s", ""]


@pytest.mark.parametrize("piece", PIECES)
def test_a_piece_comes_out_as_django_has_it(piece):
    ours = format_html('<i title="{}">{name}</i>', piece, name=piece)
    assert ours == html.format_html('<i title="{}">{name}</i>', piece, name=piece)
    assert isinstance(ours, SafeString)


def test_pieces_are_joined_as_django_joins_them():
    ours = joined(PIECES, "<br>")
    assert ours == html.format_html_join("<br>", "{}", ((piece,) for piece in PIECES))
    assert isinstance(ours, SafeString)


@pytest.mark.parametrize("slug", ["houses", "s0-100", "0"])
def test_every_key_has_the_address_that_reverse_gives_it(slug):
    to_case, to_answer = by_key("case", slug), by_key("report-answer", slug, 10)
    for key in (1, 10, 2005):
        assert to_case(key) == reverse("case", args=[slug, key])
        assert to_answer(key) == reverse("report-answer", args=[slug, 10, key])
