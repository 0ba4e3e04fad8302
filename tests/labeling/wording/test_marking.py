"""Texts in pieces: nothing lost, nothing moved, and the words marked that differ."""

from __future__ import annotations

from time import monotonic

import pytest

from labeling.wording.marking import MAX_COMPARISONS, Mark, Piece, differing, pieces


def marked(cut: list[Piece]) -> list[str]:
    return [piece.text for piece in cut if piece.notes]


def joined(cut: list[Piece]) -> str:
    return "".join(piece.text for piece in cut)


def test_a_mark_stands_on_its_code_points():
    text = "💊 👩‍🔧 ñ: three jobs"
    start = text.index("three")
    cut = pieces(text, [Mark(start, start + 5, "a")])
    assert joined(cut) == text
    assert marked(cut) == ["three"]


def test_marks_that_overlap_are_cut_where_either_ends_and_keep_both_notes():
    cut = pieces("abcdef", [Mark(0, 4, "one"), Mark(2, 6, "two")])
    assert cut == [
        Piece("ab", ("one",)),
        Piece("cd", ("one", "two")),
        Piece("ef", ("two",)),
    ]


def test_a_mark_outside_the_text_or_empty_marks_nothing():
    for mark in (Mark(0, 9, "n"), Mark(2, 2, "n"), Mark(-1, 2, "n"), Mark(3, 1, "n")):
        assert pieces("abc", [mark]) == [Piece("abc")]


def test_an_empty_text_has_no_pieces():
    assert pieces("", []) == []
    assert differing("", "") == ([], [])


@pytest.mark.parametrize(
    ("left", "right", "ours", "theirs"),
    [
        ("three failed jobs", "five failed jobs", ["three"], ["five"]),
        ("It is open.", "It is not open.", [], ["not "]),
        ("pays 3 EUR", "pays 3,5 EUR", [], [",5"]),
        ("the same", "the same", [], []),
        ("", "all of it", [], ["all of it"]),
        ("東京は首都", "京都は首都", ["東京は首都"], ["京都は首都"]),
        ("a b", "a  b", [" "], ["  "]),
        ("x cat", "x cat.", [], ["."]),
    ],
)
def test_the_words_that_the_other_side_lacks_are_marked(left, right, ours, theirs):
    cut = differing(left, right)
    assert [joined(side) for side in cut] == [left, right]
    assert [marked(side) for side in cut] == [ours, theirs]


def test_two_long_texts_with_nothing_in_common_are_one_difference_at_once():
    """Word by word these are 100 million comparisons."""
    left = "same start " + " ".join(f"l{n}" for n in range(10_000)) + " same end"
    right = "same start " + " ".join(f"r{n}" for n in range(10_000)) + " same end"
    began = monotonic()
    cut = differing(left, right)
    assert monotonic() - began < 2
    assert [joined(side) for side in cut] == [left, right]
    for side in cut:
        [whole] = [piece.text for piece in side if piece.notes]
        assert len(whole.split()) == 10_000
        assert len(side) == 3
    assert MAX_COMPARISONS < 10_000**2


def test_long_texts_that_differ_in_one_word_show_that_word():
    left = " ".join(f"w{n}" for n in range(20_000))
    cut = differing(left, left.replace("w777 ", "other "))
    assert [marked(side) for side in cut] == [["w777"], ["other"]]


def test_a_word_that_comes_often_is_compared_like_any_other():
    middle = " the cat" * 110
    cut = differing(f"old{middle} lay", f"new{middle} sat")
    assert [marked(side) for side in cut] == [["old", "lay"], ["new", "sat"]]
