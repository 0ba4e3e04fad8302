"""Each kind of picture as it comes from the engine, and what hostile text can do to it."""

from __future__ import annotations

import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import altair
import pytest

from calibration import charts
from calibration.charts.drawing import specification
from tests.calibration.charts.figures import CONFUSION, one_of_each, series

KINDS = sorted(one_of_each())

HOSTILE = (
    "<script>alert(1)</script></text></svg><img src=x onerror=alert(1)>"
    "]]> \x00\x1b[2J \u202eevil\u2066 \ud800 \uffff &amp; ' \" \\u{27} ]+alert(1)+["
)


def tree(svg: str) -> ET.Element:
    return ET.fromstring(svg)


def texts(svg: str) -> list[str]:
    return ["".join(each.itertext()) for each in tree(svg).iter("text")]


@pytest.mark.parametrize("kind", KINDS)
def test_every_specification_is_valid_vega_lite(kind):
    """Altair holds it against the published schema of the version that it names."""
    spec = specification(one_of_each()[kind].picture)
    assert spec["$schema"].endswith("/v6.json")
    assert altair.SCHEMA_VERSION.startswith("v6.")
    altair.Chart.from_dict(spec)


@pytest.mark.parametrize("kind", KINDS)
def test_a_picture_keeps_to_the_strict_policy(kind):
    """No style, no script, no id to clash on a page, nothing from elsewhere, no fixed colour."""
    svg = one_of_each()[kind].svg
    root = tree(svg)
    names = {each.tag for each in root.iter()}
    assert names <= {"svg", "desc", "g", "path", "line", "rect", "text", "tspan", "a"}
    attributes = {name for each in root.iter() for name in each.attrib}
    assert not attributes & {"style", "id", "{http://www.w3.org/1999/xlink}href"}
    assert not [name for name in attributes if name.startswith("on")]
    assert not re.search(r"url\(|://|xmlns", svg)
    colours = {each.get(name) for each in root.iter() for name in ("fill", "stroke")}
    assert {c for c in colours if c and not c.startswith("var(--")} <= {"none", "transparent"}


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_text_is_shown_as_text(kind):
    figure = one_of_each(HOSTILE)[kind]
    svg = figure.svg
    assert {each.tag for each in tree(svg).iter()} <= {
        *("svg", "desc", "g", "path", "line", "rect", "text", "tspan", "a")
    }
    assert not re.search("[\x00-\x08\x0e-\x1f\u202a-\u202e\u2066-\u2069]", svg)
    if kind != "reliability":  # which shows nothing of anybody's
        assert any(text.startswith("<script>a") for text in texts(svg))
    assert tree(svg).get("aria-label").startswith("<script>alert(1)</script></text></svg>")
    assert "⟨U+202E⟩" in tree(svg).get("aria-label")


@pytest.mark.parametrize("kind", KINDS)
def test_its_links_are_those_it_was_given_each_with_a_name(kind):
    given = {"differences": 1, "heat": 8, "intervals": 1, "line": 1, "reliability": 1, "shares": 1}
    root = tree(one_of_each()[kind].svg)
    links = list(root.iter("a"))
    assert len(links) == given[kind]
    assert all(re.fullmatch(r"/list/\?[a-z=&0-9]+", link.get("href")) for link in links)
    assert all(len(link.get("aria-label")) > 5 and len(link) for link in links)
    # An image hides what is in it from a screen reader, links included.
    assert root.get("role") == "group"


def test_what_leads_nowhere_is_one_image_with_a_title_and_a_description():
    rates = [charts.Interval("a", 1, 2, 0.5, 0.1, 0.9)]
    root = tree(charts.intervals("Rates", "Of some.", rates).svg)
    assert (root.get("role"), root.get("aria-label")) == ("img", "Rates")
    assert root.find("desc").text == "Of some."


def test_a_heat_map_says_each_count_in_its_cell_and_frames_where_both_agree():
    svg = one_of_each()["heat"].svg
    shown = texts(svg)
    for row in CONFUSION:
        for count in row:
            assert str(count) in shown
            if sum(row):
                assert f"{100 * count / sum(row):.1f}%" in shown
    names = [link.get("aria-label") for link in tree(svg).iter("a")]
    assert "Reference unsupported, judge contradictory: 8 of 88, 9.1%" in names


def test_an_undefined_rate_is_drawn_as_a_dash_with_its_n():
    shown = texts(one_of_each()["intervals"].svg)
    assert "— n = 0" in shown
    assert "0 of 50, 0.0%" in shown


def test_points_lie_where_their_values_say():
    """340 pixels are 100%: 77% is at 261.8, its interval 230.52 plus 55.76, its floor at 204."""
    root = tree(one_of_each()["intervals"].svg)
    moved = (re.match(r"translate\(([0-9.]+),", each.get("transform", "")) for each in root.iter())
    places = [float(found[1]) for found in moved if found]
    lengths = [float(each.get("x2") or 0) for each in root.iter("line")]
    for expected in (261.8, 230.52, 204):
        assert any(abs(place - expected) < 0.01 for place in places), expected
    assert any(abs(length - 55.76) < 0.01 for length in lengths)


def test_lines_have_a_picture_each_over_the_same_places_and_one_table():
    lines = charts.lines("Rates", "Over versions.", series("2.0.0, baseline run 9"))
    assert [figure.title for figure in lines.figures] == ["2.0.0, baseline run 9", "Another"]
    for figure in lines.figures:
        shown = texts(figure.svg)
        assert {"1.0.0", "1.1.0", "1.2.0", "2.0.0,baselinerun 9"} <= set(shown)
    assert len(lines.rows) == 5


def test_the_table_behind_a_line_opens_what_is_counted_and_what_it_is_counted_of():
    first, undefined, unlinked, *_ = charts.lines("Rates", "Over.", series("All")).rows
    assert first[1:4] == ["1.0.0", ("10", "/list/?v=1"), ("100", "/list/?of=1")]
    assert first[4:] == ["10.0%", "5.0% to 20.0%"]
    assert undefined[2:5] == [("0", None), ("0", None), "—"]
    assert unlinked[2:4] == [("30", None), ("100", None)]
    (named,) = tree(one_of_each()["line"].svg).iter("a")
    assert named.get("aria-label") == "A name, 1.0.0: 10 of 100, 10.0%"


def test_neither_the_app_nor_a_process_that_shows_a_picture_imports_the_engine():
    program = (
        "import sys, django; from django.conf import settings\n"
        "import os; os.environ.setdefault('DJANGO_SETTINGS_MODULE', 'config.settings')\n"
        "django.setup()\n"
        "import calibration.readings.pictures, calibration.tasks, config.celery, config.urls\n"
        "from tests.calibration.charts.figures import one_of_each\n"
        "assert one_of_each()['heat'].svg.startswith('<svg')\n"
        "print([name for name in ('altair', 'vl_convert') if name in sys.modules])"
    )
    command = [sys.executable, "-c", program]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
