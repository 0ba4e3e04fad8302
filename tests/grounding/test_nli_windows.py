"""What an entailment model is shown: nothing left out, nothing longer than it takes."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grounding.errors import Refused
from grounding.judges import lexical
from grounding.judges.nli import decide
from grounding.judges.nli.labels import meanings
from grounding.judges.nli.windows import Cut, Piece, windows, words_of
from grounding.rubrics import NliParameters, NliWords

ALONE = Cut(join=1, run=0, overlap=0)
ANY = lambda words: True  # noqa: E731
SENTENCES = "One two. Three four. Five six. Seven eight."


def words(texts, cut, fits=ANY):
    return [words_of(one, texts) for one in windows(texts, cut, fits)]


def at_most(count):
    return lambda text: len(text.split()) <= count


def test_each_text_is_a_window():
    assert words(["One. Two.", "Three."], ALONE) == ["One. Two.", "Three."]


def test_neighbouring_texts_are_joined_and_slide():
    found = words(["One.", "Two.", "Three."], Cut(join=2, run=0, overlap=0))
    assert found == ["One.", "Two.", "Three.", "One.\nTwo.", "Two.\nThree."]


def test_fewer_texts_than_are_to_be_joined_are_joined_all():
    assert words(["One.", "Two."], Cut(join=5, run=0, overlap=0))[-1] == "One.\nTwo."
    assert words(["One."], Cut(join=5, run=0, overlap=0)) == ["One."]


def test_runs_of_sentences_stand_beside_whole_texts_each_once():
    found = words([SENTENCES, "Nine."], Cut(join=1, run=2, overlap=0))
    assert found == [
        SENTENCES,
        "Nine.",
        "One two. Three four.",
        "Three four. Five six.",
        "Five six. Seven eight.",
    ]


def test_a_long_text_is_divided_at_sentences_that_overlap():
    cut = Cut(join=1, run=0, overlap=1)
    assert words([SENTENCES], cut, at_most(4)) == [
        "One two. Three four.",
        "Three four. Five six.",
        "Five six. Seven eight.",
    ]


def test_an_overlap_as_long_as_a_part_still_comes_to_an_end():
    cut = Cut(join=1, run=0, overlap=5)
    assert words([SENTENCES], cut, at_most(2)) == [
        "One two.",
        "Three four.",
        "Five six.",
        "Seven eight.",
    ]


def test_a_sentence_that_is_too_long_is_divided_at_words_that_overlap():
    sentence = "a b c d e f g h i j k l m n o p"
    found = words([sentence], ALONE, at_most(5))
    assert all(len(part.split()) <= 5 for part in found)
    assert set(" ".join(found).split()) == set(sentence.split())
    assert all(set(one.split()) & set(two.split()) for one, two in pairwise(found))


@given(
    st.lists(st.text(alphabet="ab .\n💊é", max_size=60), max_size=4),
    st.integers(1, 3),
    st.integers(0, 2),
    st.integers(0, 3),
    st.integers(1, 12),
)
def test_every_character_is_seen_and_every_window_fits(texts, join, run, overlap, most):
    fits = lambda text: len(text) <= most  # noqa: E731
    laid = windows(texts, Cut(join, run, overlap), fits)
    assert len(set(laid)) == len(laid)
    seen = {(one.text, at) for window in laid for one in window for at in range(one.start, one.end)}
    shown = {
        (number, found.start())
        for number, text in enumerate(texts)
        for found in re.finditer(r"\S", text)
    }
    assert shown <= seen
    assert all(fits(words_of(window, texts)) for window in laid)


def test_no_text_has_no_window():
    assert windows([], Cut(3, 2, 1), ANY) == ()
    assert windows(["", " \n "], Cut(3, 2, 1), ANY) == ()


@pytest.mark.parametrize(
    ("named", "meant"),
    [
        (["entailment", "neutral", "contradiction"], ("entailment", "neutral", "contradiction")),
        (["CONTRADICTION", "NEUTRAL", "ENTAILMENT"], ("contradiction", "neutral", "entailment")),
        (["contradict", "entails", "Neutral"], ("contradiction", "entailment", "neutral")),
        (["entailment", "not_entailment"], ("entailment", "not_entailment")),
        (["Not Entailment", "Entailment"], ("not_entailment", "entailment")),
    ],
)
def test_outputs_mean_what_the_model_calls_them_in_any_order_and_spelling(named, meant):
    assert meanings({"id2label": {str(at): name for at, name in enumerate(named)}}, "m") == meant


def test_outputs_are_read_by_number_and_not_by_the_order_in_the_file():
    config = {"id2label": {"2": "contradiction", "10": "neutral", "0": "entailment"}}
    assert meanings(config, "m") == ("entailment", "contradiction", "neutral")


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"id2label": {"0": "LABEL_0", "1": "LABEL_1"}}, "LABEL_0, LABEL_1"),
        ({"id2label": {"0": "entailment", "1": "neutral"}}, "entailment, neutral"),
        ({"id2label": {"0": "entailment", "1": "entailed", "2": "neutral"}}, "entailed"),
        ({"id2label": {"0": "positive", "1": "neutral", "2": "negative"}}, "positive"),
        ({"id2label": {"a": "entailment", "b": "not_entailment"}}, "numbers"),
        ({"id2label": {}}, "id2label"),
        ({}, "id2label"),
    ],
)
def test_outputs_that_are_not_known_are_refused_by_name(config, said):
    with pytest.raises(Refused, match=said):
        meanings(config, "m")


WORDS = NliWords(
    entailment="entailed",
    neutral="not_stated",
    contradiction="refuted",
    not_entailment="not_stated",
)
PARAMETERS = NliParameters(
    entail=0.5,
    contradict=0.6,
    join_passages=2,
    run_sentences=0,
    overlap_sentences=1,
    max_tokens=64,
    batch=4,
    words=WORDS,
    classifier=lexical.IMPLEMENTATION,
    window_sentences=1,
    anchor_overlap=0.5,
    answerable_overlap=0.6,
)
THREE = ("entailment", "neutral", "contradiction")
ONE, TWO = (Piece(0, 0, 3),), (Piece(1, 0, 3),)


@pytest.mark.parametrize(
    ("first", "second", "meaning", "window", "confidence"),
    [
        # Each threshold counts from itself on, each over its own best window.
        ((0.5, 0.5, 0.0), (0.1, 0.9, 0.0), "entailment", ONE, 0.5),
        ((0.49, 0.5, 0.01), (0.1, 0.9, 0.0), "neutral", (), 0.51),
        ((0.1, 0.9, 0.0), (0.1, 0.3, 0.6), "contradiction", TWO, 0.6),
        ((0.1, 0.9, 0.0), (0.1, 0.31, 0.59), "neutral", (), 0.41),
        # Where both reach theirs the likelier one counts, and of equals the harmful error is
        # not made.
        ((0.9, 0.1, 0.0), (0.1, 0.1, 0.8), "entailment", ONE, 0.9),
        ((0.7, 0.3, 0.0), (0.1, 0.1, 0.8), "contradiction", TWO, 0.8),
        ((0.8, 0.2, 0.0), (0.1, 0.1, 0.8), "contradiction", TWO, 0.8),
        # Contradiction that does not reach its own takes nothing away.
        ((0.5, 0.5, 0.0), (0.0, 0.41, 0.59), "entailment", ONE, 0.5),
        # Of equal windows the first counts.
        ((0.9, 0.1, 0.0), (0.9, 0.1, 0.0), "entailment", ONE, 0.9),
    ],
)
def test_the_decision_is_over_the_best_windows(first, second, meaning, window, confidence):
    found = decide([(ONE, first), (TWO, second)], THREE, PARAMETERS)
    assert (found.meaning, found.window, found.confidence) == (meaning, window, confidence)


def test_a_model_of_two_outputs_never_contradicts():
    two = ("not_entailment", "entailment")
    assert decide([(ONE, (0.3, 0.7))], two, PARAMETERS).meaning == "entailment"
    found = decide([(ONE, (0.99, 0.01))], two, PARAMETERS)
    assert (found.meaning, found.window) == ("not_entailment", ())


def test_without_a_window_nothing_is_entailed():
    always = PARAMETERS.model_copy(update={"entail": 0.0, "contradict": 0.0})
    assert decide([], THREE, always).meaning == "neutral"
    assert decide([], ("entailment", "not_entailment"), always).meaning == "not_entailment"
