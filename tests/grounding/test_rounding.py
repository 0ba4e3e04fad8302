"""Which number bears out which, by the rules of `grounding.language.rounding` and `quantities`."""

import pytest

from grounding.contract import Verdict
from grounding.judges.lexical.holding import borne_out
from grounding.language.tokens import span_of
from tests.grounding.test_lexical import grade, verdict


def held(claim, passage):
    """Whether each number of ``claim`` is borne out by ``passage``."""
    figures = span_of(claim).figures
    assert figures
    return all(borne_out(one, span_of(passage)) for one in figures)


ROUNDS = [
    ("about 5,000 users", "4,987 users"),
    ("around 5,000 users", "5,400 users"),
    ("~5,000 users", "5,400 users"),
    ("about five thousand users", "4,987 users"),
    ("約5,000 users", "4,987 users"),
    ("some 1,200 users", "1,187 users"),
    ("nearly 5,000 users", "4,987 users"),
    ("almost 50%", "47.6%"),
    ("about 12 million", "12.4 million"),
    ("12 million", "12.4 million"),
    ("1.2 million", "1,234,567"),
    ("12.4 thousand", "12,380"),
    ("$5 million", "$4.987 million"),
    ("12 points", "12.4 points"),
    ("48%", "47.6%"),
    ("48 percent", "47.5%"),
    ("12.4%", "12.38%"),
    ("160 km", "100 miles"),
    ("8 km", "5 miles"),
    ("90 metres", "300 feet"),
    ("about 2,000 km", "1,998 km"),
]
FALLS_SHORT = [
    # Zeros at the end of a whole number are digits.
    ("5,000 users", "4,987 users"),
    ("five thousand users", "4,987 users"),
    ("5,000 metres", "5.4 km"),
    ("80 minutes", "84 minutes"),
    # The digit before does not round up.
    ("48%", "47.4%"),
    ("47%", "47.5%"),
    ("13 million", "12.4 million"),
    ("12.00 points", "12.02 points"),
    # Of two equal halves the larger one.
    ("about 5,000 users", "5,500 users"),
    ("about 6,000 users", "4,987 users"),
    # By more than a twentieth, after "about" by more than a tenth.
    ("1%", "0.6%"),
    ("3 million", "2.6 million"),
    ("2 hours", "90 minutes"),
    ("about 100 users", "60 users"),
    ("about 5,000 users", "4,510 users"),
    # Never the other way.
    ("12.4 million", "12 million"),
    ("4,987 users", "about 5,000 users"),
    ("about 5,400 users", "5,000 users"),
    ("12.4%", "about 12%"),
    # "Nearly" is less, a bound and "exactly" are strict.
    ("nearly 5,000 users", "5,012 users"),
    ("at least 48%", "47.6%"),
    ("more than 12 million", "11.8 million"),
    ("exactly 48%", "47.6%"),
    # Another unit, or none.
    ("48%", "47.6 points"),
    ("48 users", "47.6%"),
    # Dates, years, times of day, ordinals, versions, names.
    ("about 2000", "1998"),
    ("around 1900", "1,898 and 1898"),
    ("about the 20th", "the 19th"),
    ("about 10:00", "9:58"),
    ("Python 3.1", "Python 3.12"),
    ("iOS 17", "iOS 16.8"),
    ("version 12", "version 12.4"),
    ("section 12", "section 12.4"),
    ("v12.4", "v12.38"),
    ("A-12.4", "A-12.38"),
    ("4 March", "4.1 percent in March"),
]


@pytest.mark.parametrize(("claim", "passage"), ROUNDS)
def test_a_number_is_borne_out_by_one_that_rounds_to_it(claim, passage):
    assert held(claim, passage)


@pytest.mark.parametrize(("claim", "passage"), FALLS_SHORT)
def test_what_differs_by_more_than_rounding_is_another_number(claim, passage):
    assert not held(claim, passage)


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("84 minutes", "1 h 24 min"),
        ("84 minutes", "1h 24min"),
        ("84 minutes", "1 hour and 24 minutes"),
        ("84 minutes", "an hour and 24 minutes"),
        ("1 hour 24 minutes", "84 minutes"),
        ("90 minutes", "one and a half hours"),
        ("90 minutes", "an hour and a half"),
        ("90 minutes", "1½ hours"),
        ("one and a half hours", "90 minutes"),
        ("two hours and a half", "150 minutes"),
        ("half an hour", "30 minutes"),
        ("half a million", "500,000"),
        ("two and a half million", "2,500,000"),
        ("27 months", "2 years and 3 months"),
        ("70 inches", "5 feet 10 inches"),
        ("about 90 minutes", "1 h 27 min"),
    ],
)
def test_a_quantity_of_several_words_is_one_number(claim, passage):
    assert held(claim, passage)


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("85 minutes", "1 h 24 min"),
        ("24 minutes", "1 h 24 min"),
        ("1 h 20 min", "1 h 24 min"),
        ("64 minutes", "half an hour and 24 km"),
        ("84 minutes", "1 hour, 24 minutes"),
        ("180 minutes", "1 hour and 120 minutes"),
        ("2 hours", "one and a half hours"),
        ("3 million", "two and a half million"),
    ],
)
def test_a_quantity_of_several_words_is_that_one_alone(claim, passage):
    assert not held(claim, passage)


def test_what_is_not_measured_is_no_number():
    for text in ("an hour", "half of them", "one and all", "a and a half", "half the day"):
        assert not span_of(text).figures, text


@pytest.mark.parametrize("digits", ["1" * 60, "0", "0.0", "0 km", "9" * 39 + ".5", "1,0,0", "½"])
def test_odd_numbers_round_to_nothing_without_a_fault(digits):
    assert not any(borne_out(one, span_of("about 7,000 km")) for one in span_of(digits).figures)
    held("about 7,000 km", digits)


@pytest.mark.parametrize(
    ("statement", "passage", "expected"),
    [
        ("Turnout was 48% in the north.", "Turnout was 47.6% in the north.", Verdict.SUPPORTED),
        ("Turnout was 48% in the north.", "Turnout was 47.4% in the north.", Verdict.CONTRADICTORY),
        # What is rounded leaves open what it was rounded from.
        ("Turnout was 47.6% in the north.", "Turnout was 48% in the north.", Verdict.UNSUPPORTED),
        ("The flight took 84 minutes.", "The flight took 1 h 24 min.", Verdict.SUPPORTED),
        ("The flight took 85 minutes.", "The flight took 1 h 24 min.", Verdict.CONTRADICTORY),
    ],
)
def test_verdicts_follow(statement, passage, expected):
    assert verdict(statement, passage) is expected


def test_what_the_regression_gives_is_not_told_as_a_probability():
    explanation = grade("The report lists 3 failed jobs.", "The report lists 3 failed jobs.")
    assert explanation.confidence is None
    assert str(explanation.explanation).startswith("lexical score 0.")
    assert "probab" not in str(explanation.explanation)
