import pytest

from grounding.judges.adapters.matching import Matching

ASKED = ("It rose by 3 %.", "It fell.", "US law applies.")


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("It fell.", "It fell."),
        ("It fell", "It fell."),
        ("  it  FELL!", "It fell."),
        ("“It fell.”", "It fell."),
        ("It rose by 3 %", "It rose by 3 %."),
        ("It rose by 4 %.", None),
        ("It did not fall.", None),
        ("It fell. It rose by 3 %.", None),
        ("", None),
    ],
)
def test_words_are_matched_but_for_what_no_meaning_hangs_on(said, meant):
    assert Matching(ASKED).text_of(said) == meant


def test_what_could_be_either_of_two_is_neither_unless_it_is_word_for_word():
    matching = Matching(("US law applies.", "us law applies"))
    assert matching.text_of("Us law applies.") is None
    assert matching.text_of("us law applies") == "us law applies"
    assert matching.text_of("US law applies.") == "US law applies."


def test_a_third_of_the_same_kind_does_not_bring_it_back():
    assert Matching(("A b", "a b", "A B")).text_of("a  b") is None
