import pysbd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pysbd.languages import LANGUAGE_CODES

from grounding.errors import BadInput
from grounding.rubrics import SentenceSplitting
from grounding.rubrics.definition import Language
from grounding.splitting import sentences, split_answer


def texts(answer, language="en"):
    found = split_answer(answer, SentenceSplitting(method="sentences", language=language))
    assert all(answer[one.start : one.end] == one.text for one in found)
    return [one.text for one in found]


def test_the_seed_example_is_two_sentences():
    answer = "The report contains three failed jobs. A retry reruns a failed operation."
    assert texts(answer) == [
        "The report contains three failed jobs.",
        "A retry reruns a failed operation.",
    ]


@pytest.mark.parametrize(
    ("answer", "language", "expected"),
    [
        ("💊 is fine. 👩‍🔧 fixed it.", "en", ["💊 is fine.", "👩‍🔧 fixed it."]),
        ("Cafe\u0301 opened. It cost 3.5 €.", "en", ["Cafe\u0301 opened.", "It cost 3.5 €."]),
        ("مرحبا بك. كيف حالك؟", "ar", ["مرحبا بك.", "كيف حالك؟"]),
        ("今日は晴れ。明日は雨？はい。", "ja", ["今日は晴れ。", "明日は雨？", "はい。"]),
        ("Dr. Smith arrived at 3.15 p.m. today.", "en", ["Dr. Smith arrived at 3.15 p.m. today."]),
        ("One\n\nTwo. Three", "en", ["One", "Two.", "Three"]),
        ("", "en", []),
        (" \n\t ", "en", []),
    ],
)
def test_offsets_are_code_points_in_any_script(answer, language, expected):
    assert texts(answer, language) == expected


def test_what_the_sentence_rules_lose_is_kept():
    lossy = "&&&. &ᓰ& foo. ∯ bar."
    kept = "".join(pysbd.Segmenter(language="en", clean=False).segment(lossy))
    assert kept != lossy, "this text no longer shows the loss that is guarded against"
    assert "".join("".join(texts(lossy)).split()) == "".join(lossy.split())


_hostile = st.text(
    st.one_of(
        st.sampled_from(list("Ab1. !?。؟\n\r\t\"'()[]&∯ᓰ♬♟☄☉☇✂⌬\u200f\u0301💊ا日")),
        st.characters(exclude_categories=("Cs",)),
    ),
    max_size=80,
)


@settings(max_examples=400, deadline=None)
@given(_hostile, st.sampled_from(["en", "ar", "ja", "de", "hi"]))
@example("&&&. &ᓰ& foo. ∯ bar.", "en")
@example('He said "no. yes." Then left. He said "no. yes." Then left.', "en")
def test_joined_sentences_are_the_answer_but_for_white_space(answer, language):
    try:
        found = split_answer(answer, SentenceSplitting(method="sentences", language=language))
    except BadInput:
        return
    cursor = 0
    for one in found:
        assert answer[one.start : one.end] == one.text == one.text.strip() != ""
        assert answer[cursor : one.start].strip() == ""
        cursor = one.end
    assert answer[cursor:].strip() == ""


def test_rules_that_break_on_a_text_say_so(monkeypatch):
    class Broken:
        def __init__(self, **_):
            pass

        def processor(self, text):
            raise IndexError("list index out of range")

    monkeypatch.setattr(sentences.pysbd, "Segmenter", Broken)
    with pytest.raises(BadInput, match="sentence rules for 'en' break on the text"):
        split_answer("A. B.")


def test_a_rubric_may_name_every_language_that_there_are_rules_for_and_no_other():
    assert set(Language.__args__) == set(LANGUAGE_CODES)
