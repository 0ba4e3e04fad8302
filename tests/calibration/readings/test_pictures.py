"""Pictures that are kept: drawn once, found again, drawn anew when anything about them changes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.template.loader import render_to_string

from calibration import charts
from calibration.charts import Interval, drawing, engine
from calibration.charts import picture as picture_module
from calibration.models import DrawnPicture
from calibration.readings import pictures

pytestmark = pytest.mark.django_db


def figure(count: int = 1):
    return charts.intervals("Rates", "Of some.", [Interval("a", count, 4, count / 4, 0.1, 0.9)])


@pytest.fixture
def no_engine(monkeypatch):
    """From here on every drawing fails; what this process remembers is forgotten."""

    def broken(*_):
        raise engine.NotDrawn("no engine")

    drawing._drawn.cache_clear()
    monkeypatch.setattr(engine.Engine, "svg", broken)


def test_a_picture_is_drawn_once_and_then_comes_with_one_query(
    django_assert_num_queries, monkeypatch
):
    first = pictures.kept([figure(1), figure(2)])
    drawing._drawn.cache_clear()
    monkeypatch.setattr(engine.Engine, "svg", lambda *_: pytest.fail("drawn again"))
    with django_assert_num_queries(1):
        again = pictures.kept([figure(1), figure(2)])
        assert [each.svg for each in again] == [each.svg for each in first]
    assert "1 of 4" in again[0].svg
    assert "2 of 4" in again[1].svg


def test_only_what_is_not_there_yet_is_drawn():
    pictures.kept([figure(1)])
    pictures.kept([figure(1), figure(2)])
    assert DrawnPicture.objects.count() == 2


@pytest.mark.parametrize("part", ["title", "description", "rows", "links", "whole", "kind"])
def test_whatever_decides_how_it_looks_is_in_its_digest(part):
    picture = figure().picture
    other = {"links": [charts.picture.Link("/a/", "b")], "whole": {"a": 1}, "rows": []}
    assert replace(picture, **{part: other.get(part, "else")}).digest != picture.digest


def test_another_way_of_drawing_draws_anew(monkeypatch):
    before = figure().picture.digest
    monkeypatch.setattr(picture_module, "IMPLEMENTATION", picture_module.IMPLEMENTATION + 1)
    assert figure().picture.digest != before


def test_what_cannot_be_drawn_leaves_its_table_open_and_is_tried_again(no_engine):
    kept = pictures.kept([figure()])
    page = render_to_string("calibration/_figure.html", {"figure": kept[0]})
    assert "could not be drawn" in page
    assert '<details class="behind-picture" open>' in page
    assert '<th scope="row">a</th><td class="num">1</td><td class="num">4</td>' in page
    assert not DrawnPicture.objects.exists()


def test_a_page_that_keeps_no_pictures_shows_the_table_just_so(no_engine):
    page = render_to_string("calibration/_figure.html", {"figure": figure()})
    assert "could not be drawn" in page
    assert "25.0%" in page


def test_a_page_has_picture_caption_and_the_table_behind_it():
    page = render_to_string("calibration/_figure.html", {"figure": figure()})
    assert page.index("<figcaption>") < page.index("<svg") < page.index("<details")
    assert '<details class="behind-picture">' in page
    assert page.count("<svg") == page.count("</svg>") == 1
