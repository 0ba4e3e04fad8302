"""Claims by hand: what is cut, and what is left whole because nobody could be sure.

A row that changes asks for a new `grounding.splitting.IMPLEMENTATION`: rubrics that split by
claims name it.
"""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grounding.errors import BadInput, Refused
from grounding.language.grammar import words_of
from grounding.rubrics import ClaimSplitting
from grounding.splitting import (
    IMPLEMENTATION,
    claims,
    claims_of,
    dropped,
    sentences_of,
    split_answer,
)
from grounding.splitting.claims import CONNECTING

CLAIMS = ClaimSplitting(method="claims", language="en", implementation=IMPLEMENTATION)

CUT = [
    (
        "Alice Moran was born in Leeds in 1950, and she moved to Paris in 1971.",
        ["Alice Moran was born in Leeds in 1950", "she moved to Paris in 1971."],
    ),
    (
        "The fee is 20 euros; the deposit is 50 euros.",
        ["The fee is 20 euros", "the deposit is 50 euros."],
    ),
    (
        "The plant employs 50 people, while the office has ten desks.",
        ["The plant employs 50 people", "the office has ten desks."],
    ),
    (
        "The phone was launched in 2012 and it had sold 70 million units.",
        ["The phone was launched in 2012", "it had sold 70 million units."],
    ),
    (
        "The museum is open daily, although the garden is closed.",
        ["The museum is open daily", "the garden is closed."],
    ),
    (
        "In some cases, the drug causes nausea, and it raises the pulse.",
        ["In some cases, the drug causes nausea", "In some cases, it raises the pulse."],
    ),
    (
        "If the disk is full, the job is stopped, and the log is closed.",
        ["If the disk is full, the job is stopped", "If the disk is full, the log is closed."],
    ),
    (
        "Marie Curie discovered radium and won two Nobel prizes.",
        ["Marie Curie discovered radium", "Marie Curie won two Nobel prizes."],
    ),
    (
        "He was born in Ulm and became a physicist.",
        ["He was born in Ulm", "He became a physicist."],
    ),
    (
        "The feature has not been announced by Google, but has begun to appear on some handsets.",
        [
            "The feature has not been announced by Google",
            "The feature has begun to appear on some handsets.",
        ],
    ),
    (
        "She then wrapped the gift and hid it in a drawer.",
        ["She then wrapped the gift", "She hid it in a drawer."],
    ),
    (
        "According to the paper, the firm sold its plant and closed its office.",
        [
            "According to the paper, the firm sold its plant",
            "According to the paper, the firm closed its office.",
        ],
    ),
    (
        "In 1971, it was transferred to the museum, and was displayed there.",
        ["In 1971, it was transferred to the museum", "In 1971, it was displayed there."],
    ),
    (
        "Around 15 animals ran away on Thursday and then swam across the river.",
        ["Around 15 animals ran away on Thursday", "Around 15 animals then swam across the river."],
    ),
    (
        "It is actually cross cultural, and can go back at least 3,000 years.",
        ["It is actually cross cultural", "It can go back at least 3,000 years."],
    ),
    (
        "The report contains three failed jobs, two skipped jobs and one warning.",
        [
            "The report contains three failed jobs",
            "The report contains two skipped jobs.",
            "The report contains one warning.",
        ],
    ),
    (
        "The lease covers the ground floor and the basement.",
        ["The lease covers the ground floor", "The lease covers the basement."],
    ),
    (
        "The drug may cause a rash and a fever.",
        ["The drug may cause a rash", "The drug may cause a fever."],
    ),
    (
        "She visited Paris, London and Rome.",
        ["She visited Paris", "She visited London.", "She visited Rome."],
    ),
    (
        "Alice Moran and Bob Hale died in Leeds.",
        ["Alice Moran died in Leeds.", "Bob Hale died in Leeds."],
    ),
    (
        "Alice Moran, Bob Hale and Cy Dent were born in Leeds.",
        [
            "Alice Moran was born in Leeds.",
            "Bob Hale was born in Leeds.",
            "Cy Dent was born in Leeds.",
        ],
    ),
    (
        "The firm, which was founded in 1990, has 50 employees.",
        ["The firm has 50 employees.", "The firm was founded in 1990."],
    ),
    (
        "Bagniewski, who lost in 2013, is in talks with two clubs.",
        ["Bagniewski is in talks with two clubs.", "Bagniewski lost in 2013."],
    ),
    (
        "Paris, the capital of France, is on the Seine.",
        ["Paris is on the Seine.", "Paris is the capital of France."],
    ),
    (
        "The minister said that taxes would fall and that the plan was final.",
        ["The minister said that taxes would fall", "The minister said that the plan was final."],
    ),
    (
        "His parents had five sons and he was the youngest.",
        ["His parents had five sons", "he was the youngest."],
    ),
]

LEFT_WHOLE = [
    "The basic service is free, but Fliggo charges for premium features.",
    "According to the ministry, exports rose in May, but imports were flat.",
    "The museum is open.",
    "The book was written and illustrated by Ann Lee.",
    "He was born in Ulm and moved to Munich.",
    "She bought and sold shares.",
    "Alice Moran and Bob Hale married in Leeds.",
    "The minister said taxes would fall, and the plan was final.",
    "The firm reportedly lost money and closed its office.",
    "In 2019, the firm opened a store, but it closed in 2021.",
    "Neither the cat nor the dog ate, and the bird slept.",
    "The firm did not publish a report and a plan.",
    "The train left at 9:15, but the bus was late if it rained.",
    "The show (which ran and was liked) ended.",
    "No job failed and was retried.",
    "He left because his sister was ill, and his brother was away.",
    "The bus or the train is late, and is the fee refunded?",
    "The firm sold its plant and closed its office, he said.",
    "The firm owns a plant and employs 50 people since 2019.",
    "The head of the company, which was founded in 1990, resigned.",
    "Tim Cook, the head of Apple, resigned in May.",
    "Paris and London are capitals.",
    "The song was played between the first and the second act and was liked.",
    "It offers a pool or a sauna.",
    "The team scored ten goals and four forced fumbles.",
    "The box contains apples, pears and plums.",
]


@pytest.mark.parametrize(("sentence", "expected"), CUT, ids=[row[0][:40] for row in CUT])
def test_a_sentence_is_cut_where_every_claim_stands_by_itself(sentence, expected):
    assert [one.text for one in claims_of(sentence)] == expected


@pytest.mark.parametrize("sentence", LEFT_WHOLE, ids=[one[:40] for one in LEFT_WHOLE])
def test_a_sentence_is_left_whole_where_a_cut_might_be_wrong(sentence):
    (claim,) = claims_of(sentence)
    assert (claim.text, claim.start, claim.end) == (sentence, 0, len(sentence))


def test_a_claim_that_stands_in_the_answer_has_its_own_place_and_another_its_sentences():
    answer = "Nobody came. Marie Curie discovered radium and won two prizes."
    found = split_answer(answer, CLAIMS)
    assert [(one.text, answer[one.start : one.end]) for one in found] == [
        ("Nobody came.", "Nobody came."),
        ("Marie Curie discovered radium", "Marie Curie discovered radium"),
        ("Marie Curie won two prizes.", "Marie Curie discovered radium and won two prizes."),
    ]
    assert [one.is_verbatim for one in found] == [True, True, False]
    assert [[answer[slice(*part)] for part in one.covers] for one in found][2] == [
        "Marie Curie",
        "won two prizes.",
    ]


def test_qualifiers_travel_with_every_claim_that_they_govern():
    found = claims_of("In some cases, the drug may cause a rash and a fever.")
    assert [[one.text for one in claim.qualifiers] for claim in found] == [
        ["In some cases", "some", "may"],
        ["In some cases", "some", "may"],
    ]


def test_a_rubric_released_with_other_rules_does_not_run_with_these():
    other = CLAIMS.model_copy(update={"implementation": IMPLEMENTATION + 1})
    with pytest.raises(Refused, match=f"implementation {IMPLEMENTATION + 1} of claims"):
        split_answer("A. B.", other)


def invariants(answer):
    """What holds of any answer whatever: offsets, coverage, qualifiers, determinism."""
    found = claims_of(answer)
    assert found == claims_of(answer)
    assert list(dict.fromkeys(one.sentence for one in found)) == list(sentences_of(answer))
    for sentence in sentences_of(answer):
        own = [one for one in found if one.sentence == sentence]
        for one in own:
            assert one.text.strip() == one.text != ""
            assert sentence.start <= one.start < one.end <= sentence.end
            assert answer[one.start : one.end] == (one.text if one.is_verbatim else sentence.text)
            assert not dropped(one.text, sentence.text)
            for start, end in one.covers:
                assert sentence.start <= start < end <= sentence.end
                assert answer[start:end].rstrip(" ,") in one.text
        _covered(answer, sentence, own)
    return found


def _covered(answer, sentence, own):
    said = {at for one in own for start, end in one.covers for at in range(start, end)}
    left = {
        word.low
        for word in words_of(answer, sentence.start, sentence.end)
        if word.is_word and not said.issuperset(range(word.start, word.end))
    }
    assert left <= CONNECTING, left


@pytest.mark.parametrize("sentence", [row[0] for row in CUT] + LEFT_WHOLE)
def test_nothing_of_a_sentence_escapes_its_claims(sentence):
    invariants(f"Before it. {sentence} After it, 💊.")


_PIECES = [
    "The firm", "Alice Moran", "it", "she", "In some cases", "According to Bo", "If it rains",
    "may", "was", "has", "sold", "became", "did not", "opened", "reportedly", "the plant", "a car",
    "two cats", "in 2019", "since 2020", "in Paris", "up to 20", "and", "but", ",", ", and", ";",
    "which", "who", "that", "said that", "because", "both", "or", "while", ".", "?", "(", ")", '"',
    "💊", "\n", "e\u0301", "٣",
]  # fmt: skip


@settings(max_examples=600, deadline=None)
@given(st.lists(st.sampled_from(_PIECES), max_size=22).map(" ".join))
@example("it was sold , and it was sold ; she has a car and two cats .")
@example("The firm , which was sold , has a car and became the plant .")
def test_invariants_hold_whatever_the_words(answer):
    try:
        invariants(answer)
    except BadInput:
        return


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(exclude_categories=("Cs",)), max_size=60))
def test_invariants_hold_whatever_the_characters(text):
    try:
        invariants(text)
    except BadInput:
        return


def test_a_sentence_of_which_a_rule_would_lose_a_word_is_left_whole(monkeypatch):
    def loses_the_end(clause):
        return [(clause.till(3),), (clause.till(2),)]

    monkeypatch.setattr(claims, "inside", loses_the_end)
    (claim,) = claims_of("The lease covers the ground floor.")
    assert claim.text == "The lease covers the ground floor."
