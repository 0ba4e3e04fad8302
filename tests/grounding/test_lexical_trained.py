"""The trained part of the lexical judge, and what it reads a text as."""

import json
import os
from decimal import Decimal

import pytest

from grounding.contract import Verdict
from grounding.errors import Refused
from grounding.judges.lexical import model
from grounding.judges.lexical.features import EITHER_WAY, MORE_MEANS_LESS, Features
from grounding.judges.lexical.holding import borne_out
from grounding.judges.registry import create_judge
from grounding.language.tokens import holds, span_of
from grounding.rubrics import load_rubric
from tests.grounding.rubric_examples import SHIPPED, with_changes
from tests.grounding.test_lexical import verdict


def held(claim, passage):
    """Whether each number of ``claim`` stands in ``passage``."""
    return [borne_out(token, span_of(passage)) for token in span_of(claim).figures]


def test_other_coefficients_than_the_rubric_names_are_refused_by_name():
    rubric = with_changes(judge__parameters__coefficients="sha256:" + "0" * 64)
    with pytest.raises(Refused, match=r"groundedness@1\.0\.0 names the lexical coefficients"):
        create_judge(rubric)


def test_the_coefficients_move_the_rubrics_digest():
    shipped = load_rubric(SHIPPED.read_text(encoding="utf-8"))
    other = with_changes(judge__parameters__coefficients="sha256:" + "0" * 64)
    assert other.digest != shipped.digest
    assert other.scope_digest == shipped.scope_digest


def test_no_weight_speaks_against_its_features_sense():
    weights = dict(zip(Features._fields, model._shipped()[1].weights, strict=True))
    for name, weight in weights.items():
        if name not in EITHER_WAY:
            assert (weight <= 0) if name in MORE_MEANS_LESS else (weight >= 0), name


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("1234567", "1,234,567"),
        ("1234567", "1.234.567"),
        ("1234567", "1 234 567"),
        ("1234567", "12,34,567"),
        ("١٢٣٤٫٥", "1,234.5"),
        ("१२", "twelve"),
        ("１２", "12"),
        ("23", "twenty-three"),
        ("30000", "3万"),
        ("320", "三百二十人"),
        ("90 minutes", "1.5 hours"),
        ("8 km", "5 miles"),
        ("4:10 pm", "16:10"),
        ("4 March 2021", "2021-03-04"),
        ("10,000", "10, 000"),
    ],
)
def test_a_number_is_found_in_another_spelling_script_or_unit(claim, passage):
    found = held(claim, passage)
    assert found
    assert all(found)


@pytest.mark.parametrize(
    ("claim", "passage"),
    [("5 km", "5 miles"), ("7 km", "5 miles"), ("12%", "12 euros"), ("4:10", "250 jobs")],
)
def test_a_number_in_another_unit_is_another_number(claim, passage):
    assert not any(held(claim, passage))


def test_marks_of_other_scripts_stay_in_their_word():
    assert [token.word for token in span_of("नौकरियाँ विफल हुईं").tokens] == [
        "नौकरियाँ",
        "विफल",
        "हुईं",
    ]
    assert {token.number for token in span_of("१२ और ١٢").figures} == {Decimal(12)}


@pytest.mark.parametrize(
    ("statement", "passage"),
    [
        ("Latency increased in July.", "Latency decreased in July."),
        ("The German minister opened the bridge.", "The French minister opened the bridge."),
        ("All nightly jobs failed.", "Most nightly jobs failed."),
        ("The outage caused the delay.", "The delay caused the outage."),
        ("Berlin is larger than Munich.", "Munich is larger than Berlin."),
        ("वार्षिक रिपोर्ट में १२ विफल कार्य हैं।", "वार्षिक रिपोर्ट में १५ विफल कार्य हैं।"),
        ("契約は署名されなかった。", "契約は署名された。"),
    ],
)
def test_another_thing_in_the_same_place_contradicts(statement, passage):
    assert verdict(statement, passage) is Verdict.CONTRADICTORY


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("dances", "dancer"),
        ("kid", "child"),
        ("people", "girls"),
        ("France", "French"),
    ],
)
def test_a_word_is_found_in_its_relations_in_a_like_word_and_in_a_narrower_one(claim, passage):
    assert holds(span_of(f"the {claim}").content[0], span_of(f"the {passage}"))


def test_a_narrower_word_is_not_found_in_a_wider_one():
    assert not holds(span_of("the girl").content[0], span_of("the people"))


@pytest.mark.parametrize(
    ("statement", "passage"),
    [
        # The skiers of the sport are skiers still, whatever they do without.
        (
            "Skiers cross the snow on their own skis.",
            "Skiers cross the snow on their own skis rather than on ski lifts.",
        ),
        ("There were no rumours of a merger.", "There were no rumours of his merger plans."),
        ("The number of visitors decreased in June.", "In June the number did not increase."),
        ("The number of visitors did not increase.", "The number decreased."),
    ],
)
def test_negations_that_agree_are_no_contradiction(statement, passage):
    assert verdict(statement, passage) is not Verdict.CONTRADICTORY


def test_a_word_like_a_reservation_is_none():
    passage = "The village is considered a suburb of Leeds."
    assert verdict("The village is a suburb of Leeds.", passage) is Verdict.SUPPORTED


def test_a_first_name_may_be_missing_where_no_other_stands_before_the_surname():
    statement = "The contract was signed by Anna Nordström in Oslo."
    assert verdict(statement, "The contract was signed by Nordström in Oslo.") is Verdict.SUPPORTED
    other = "The contract was signed by Clara Nordström in Oslo."
    assert verdict(statement, other) is not Verdict.SUPPORTED


def test_a_name_of_several_words_has_one_place():
    statement = "The contract was signed by Peter Brown."
    assert verdict(statement, "The contract was signed by Clara Lund.") is Verdict.CONTRADICTORY
    elsewhere = "The contract was signed in Great Yarmouth."
    assert verdict(statement, elsewhere) is Verdict.UNSUPPORTED


@pytest.mark.parametrize(
    ("statement", "passage"),
    [
        ("The update fixed the outage.", "The update may have fixed the outage."),
        ("All nightly jobs for Acme failed.", "The nightly jobs for Acme failed."),
        ("The report for Contoso lists failed jobs.", "The report lists failed jobs."),
    ],
)
def test_what_likeness_cannot_make_up_for_is_unsupported(statement, passage):
    assert verdict(statement, passage) is Verdict.UNSUPPORTED


@pytest.mark.parametrize(
    ("statement", "passage"),
    [
        ("契約はオスロで署名された。", "契約は2021年3月にオスロで署名された。"),
        ("सर्वर १२ बजे बंद हुआ।", "सर्वर 12 बजे बंद हुआ।"),
        ("فشلت ٣ مهام في التقرير.", "فشلت 3 مهام في التقرير."),
    ],
)
def test_scripts_beside_latin_are_borne_out_by_the_same_words(statement, passage):
    assert verdict(statement, passage) is Verdict.SUPPORTED


@pytest.mark.slow
@pytest.mark.skipif(not os.environ.get("ASSIZE_DATA"), reason="ASSIZE_DATA is not set")
def test_training_again_gives_the_shipped_coefficients(tmp_path, monkeypatch):
    from benchmarks import train_lexical

    monkeypatch.setattr(train_lexical, "TARGET", tmp_path / "coefficients.json")
    shipped = json.loads((SHIPPED.parents[2] / "grounding/judges/lexical" / model.FILE).read_text())
    train_lexical.main()
    assert json.loads((tmp_path / "coefficients.json").read_text()) == shipped
