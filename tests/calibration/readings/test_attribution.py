"""Texts cut where claims and quotes stand, and every quote in its place."""

from __future__ import annotations

from calibration.readings.attribution import Quote, Stretch, claim_of, place, stretches
from grounding.evidence import Texts
from labeling.wording.marking import Mark

TEXTS = Texts({"p1": "Three jobs failed 💊 tonight.", "p2": "Again: again."}, {"p1": "A source."})


def test_a_text_is_cut_at_its_marks_and_joins_up_again():
    found = stretches("One. Two.", [Mark(0, 4, "h1"), Mark(5, 9, "h2")])
    assert found == [
        Stretch("One.", ("h1",), ("h1",), ("h1",)),
        Stretch(" ", ()),
        Stretch("Two.", ("h2",), ("h2",), ("h2",)),
    ]


def test_marks_that_overlap_begin_and_end_where_they_do():
    """A statement, and a part that was split from its end: abc, of which bc is the second."""
    found = stretches("abc", [Mark(0, 3, "h1"), Mark(1, 3, "h2")])
    assert found == [
        Stretch("a", ("h1",), ("h1",), ()),
        Stretch("bc", ("h1", "h2"), ("h2",), ("h1", "h2")),
    ]


def test_a_mark_outside_of_its_text_is_left_out():
    assert stretches("abc", [Mark(2, 9, "h1")]) == [Stretch("abc", ())]


def test_each_quote_stands_once_for_a_claim_and_again_for_another():
    """Two people cite the same words for claim 1, one of them with its offsets; code points."""
    one = {"passage_id": "p1", "quote": "failed 💊"}
    same = {"passage_id": "p1", "quote": "failed 💊", "start": 11, "end": 19}
    placed = place({"h1": [one, same], "j1": [one]}, TEXTS)
    assert placed.quotes == {
        "h1": [Quote("p1", "failed 💊", "h1-1")],
        "j1": [Quote("p1", "failed 💊", "j1-1")],
    }
    assert placed.marks == {("passage", "p1"): [Mark(11, 19, "h1-1"), Mark(11, 19, "j1-1")]}
    assert [claim_of(mark.note) for mark in placed.marks["passage", "p1"]] == ["h1", "j1"]


def test_a_source_may_be_called_like_a_passage():
    placed = place({"h1": [{"source_id": "p1", "quote": "A source"}]}, TEXTS)
    assert list(placed.marks) == [("source", "p1")]


def test_what_stands_nowhere_is_kept_without_a_mark():
    """Not in the text; in it twice, without offsets; in no text at all; no evidence at all."""
    adrift = [
        {"passage_id": "p1", "quote": "five jobs"},
        {"passage_id": "p2", "quote": "again."} | {"start": 0, "end": 6},
        {"passage_id": "p9", "quote": "tonight"},
        {"quote": "tonight"},
    ]
    placed = place({"h1": adrift}, TEXTS)
    assert [quote.name for quote in placed.quotes["h1"]] == [None] * 4
    assert placed.marks == {}
