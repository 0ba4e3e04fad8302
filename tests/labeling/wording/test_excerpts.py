"""What a judgment rests on, cut out of its case with a little of what stands around."""

from __future__ import annotations

from labeling.wording import excerpts

LONG = " ".join(f"word{number}" for number in range(400))
CONTEXT = [
    {"id": "p1", "text": LONG},
    {"id": "p2", "text": "Short."},
    {"id": "p3", "text": "Three."},
]


def cited(text: str, quote: str, passage: str = "p1") -> tuple[str, dict[str, object]]:
    start = text.index(quote)
    return (
        "the judge",
        {"passage_id": passage, "quote": quote, "start": start, "end": start + len(quote)},
    )


def test_a_quote_stands_among_its_neighbours_and_is_marked_to_the_letter() -> None:
    found = excerpts.cut(CONTEXT, {}, [cited(LONG, "word200 word201")])
    [one] = found.shown
    assert (one.id, one.before, one.after, found.quoted, found.more) == ("p1", True, True, True, 2)
    assert [piece.text for piece in one.pieces if piece.notes] == ["word200 word201"]
    shown = "".join(piece.text for piece in one.pieces)
    assert shown in LONG
    assert len(shown) <= 2 * excerpts.AROUND + len("word200 word201")


def test_quotes_near_each_other_share_a_stretch_and_distant_ones_do_not() -> None:
    near = [cited(LONG, "word10 "), cited(LONG, "word20 ")]
    assert len(excerpts.cut(CONTEXT, {}, near).shown) == 1
    assert len(excerpts.cut(CONTEXT, {}, [*near, cited(LONG, "word390")]).shown) == 2


def test_where_nothing_is_quoted_the_passages_begin() -> None:
    found = excerpts.cut(CONTEXT, {}, [])
    assert [one.id for one in found.shown] == ["p1", "p2"]
    assert not found.quoted
    assert found.more == 1
    assert LONG.startswith("".join(piece.text for piece in found.shown[0].pieces))


def test_a_quote_that_stands_nowhere_is_left_out() -> None:
    nowhere = ("the judge", {"passage_id": "p1", "quote": "never said", "start": 0, "end": 10})
    assert not excerpts.cut(CONTEXT, {}, [nowhere]).quoted


def test_a_source_is_cut_like_a_passage() -> None:
    [one] = excerpts.cut(
        CONTEXT, {"gloss": "A retry runs again."}, [("expected", {"source_id": "gloss",
        "quote": "runs again", "start": 8, "end": 18})]
    ).shown  # fmt: skip
    assert one.id == "gloss"
    assert not one.before


def test_a_quote_of_a_whole_book_is_cut_short() -> None:
    [one] = excerpts.cut(CONTEXT, {}, [cited(LONG, LONG)]).shown
    assert sum(len(piece.text) for piece in one.pieces) == excerpts.LONGEST
    assert one.after


def test_a_case_without_context_has_nothing_to_show() -> None:
    found = excerpts.cut([], {}, [])
    assert (found.shown, found.more) == ([], 0)
