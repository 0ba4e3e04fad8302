"""What an engine might draw some day and must never reach a page."""

from __future__ import annotations

import re

import pytest

from calibration.charts import cleaning
from calibration.charts.cleaning import Unclean
from calibration.charts.drawing import PLACEHOLDER
from calibration.charts.picture import Link, Picture

HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
    'width="10" height="10">'
)


def cleaned(inside: str, *links: Link) -> str:
    return cleaning.clean(f"{HEAD}{inside}</svg>", Picture("k", "T", "D", [], links), PLACEHOLDER)


def link(inside: str = '<path d="M0,0h1"/>', place: object = 0) -> str:
    return f'<a xlink:href="{PLACEHOLDER}{place}">{inside}</a>'


@pytest.mark.parametrize(
    "inside",
    [
        "<script>alert(1)</script>",
        "<style>a{}</style>",
        "<foreignObject/>",
        '<image xlink:href="https://elsewhere.example/x.png"/>',
        '<use xlink:href="#a"/>',
        "<animate/>",
        '<path d="M0,0h1" style="fill:red"/>',
        '<path d="M0,0h1" onclick="alert(1)"/>',
        '<path d="M0,0h1" id="a"/>',
        '<path d="M0,0h1" fill="url(#a)"/>',
        '<path d="M0,0h1" fill="#fff"/>',
        '<path d="M0,0h1" clip-path="url(#c)"/>',
        '<path d="M0,0h1" transform="translate(1,1);x"/>',
        "<g>beside</g> text",
        '<svg width="1" height="1"/>',
    ],
)
def test_what_is_on_no_list_stops_the_drawing(inside):
    with pytest.raises(Unclean):
        cleaned(inside)


@pytest.mark.parametrize("svg", ["", "<svg", "<html></html>", "\x00", "&nbsp;"])
def test_what_is_no_svg_stops_the_drawing(svg):
    with pytest.raises(Unclean):
        cleaning.clean(svg, Picture("k", "T", "D", []), PLACEHOLDER)


@pytest.mark.parametrize(
    "href",
    [
        "https://elsewhere.example/",
        "//elsewhere.example/",
        "/\\elsewhere.example/",
        "javascript:alert(1)",
        "data:text/html,x",
        "relative/",
        "/a b",
        "/a\nb",
        "",
    ],
)
def test_a_link_leads_to_a_path_of_this_site_or_the_drawing_stops(href):
    with pytest.raises(Unclean):
        cleaned(link(), Link(href, "Name"))


def test_a_link_is_written_with_its_address_and_name_escaped():
    drawn = cleaned(link(), Link("/list/?a=1&b='\"", 'A "name" <b>'))
    assert 'href="/list/?a=1&amp;b=&#x27;&quot;"' in drawn
    assert 'aria-label="A &quot;name&quot; &lt;b&gt;"' in drawn


@pytest.mark.parametrize("inside", [link(place=1), link(place="0/../x"), link() + link(), ""])
def test_each_link_is_drawn_once_and_no_other(inside):
    with pytest.raises(Unclean):
        cleaned(inside, Link("/list/", "Name"))


def test_text_is_escaped_again():
    assert "&lt;/svg&gt;" in cleaned("<text>&lt;/svg&gt;</text>")


def test_what_is_drawn_hidden_or_empty_is_left_out():
    drawn = cleaned('<g><path d=""/></g><g display="none"><path d="M0,0h1"/></g>')
    assert not re.search("<g|<path", drawn)
