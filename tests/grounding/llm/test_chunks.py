"""A context that is longer than the judge takes is too long, or is asked about in groups of
passages; nothing is ever cut."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grounding.contract import SpeechAct, Verdict
from grounding.interchange.models import Case, Evidence, Outcome, Passage, Statement
from grounding.judges.llm.chunks import LEAST, Piece, joined, sliding
from grounding.judges.protocol import StatementFailure, Verification
from tests.grounding.llm.asked import document_in, graded, rubric
from tests.provider import Provider, ReadsSchema, in_order

FILLER = "Nothing of note was written down on that day by anyone. "
MAPPING = {
    "yes": Verdict.SUPPORTED,
    "no": Verdict.CONTRADICTORY,
    "silent": Verdict.UNSUPPORTED,
    "partly": Verdict.UNSUPPORTED,
}


def limited(most: int, too_long: str, **more: Any) -> Any:
    return rubric(
        judge__parameters__most_context_characters=most,
        judge__parameters__too_long=too_long,
        **more,
    )


def passages(*texts: str) -> Case:
    """A case about the printer's port over these passages."""
    text = "The printer uses port 9100."
    return Case(
        case_id="c1",
        question="Which port?",
        context=tuple(Passage(id=f"p{n}", text=one) for n, one in enumerate(texts, 1)),
        answer=text,
        statements=(Statement(statement_id="s1", text=text),),
    )


LONG = passages(*[FILLER * 5] * 4, "In hall B the printer uses port 9100.", FILLER * 5)


def shown(provider: Provider) -> list[list[dict[str, Any]]]:
    """The passages of each request of the second pass."""
    documents = [document_in(one.json["messages"][-1]["content"]) for one in provider.received]
    return [one["passages"] for one in documents if "passages" in one]


def test_a_context_beyond_the_rubrics_limit_is_too_long_and_nothing_of_it_is_sent() -> None:
    with Provider() as provider:
        (found,) = graded(provider, LONG, limited(800, "refuse"))
    assert found.outcome is Outcome.TOO_LONG
    characters = sum(len(one.text) for one in LONG.context) + 2 * 27 + 11
    assert found.error == f"{characters} characters, and the rubric allows 800 in a request"
    assert [one.judge_pass for one in found.attempts] == ["classify", "verify"]
    assert shown(provider) == []


def test_at_the_limit_itself_it_is_sent_whole() -> None:
    characters = sum(len(one.text) for one in LONG.context) + 2 * 27 + 11
    for too_long in ("refuse", "chunk"):
        with Provider() as provider:
            (found,) = graded(provider, LONG, limited(characters, too_long))
        assert found.verdict is Verdict.SUPPORTED
        assert [len(one) for one in shown(provider)] == [6]


def test_an_answer_that_is_too_long_to_classify_is_too_long() -> None:
    with Provider() as provider:
        (found,) = graded(
            provider, LONG.model_copy(update={"answer": "x" * 900}), limited(800, "chunk")
        )
    assert found.outcome is Outcome.TOO_LONG
    assert provider.calls == 0


def test_in_groups_every_passage_is_seen_and_one_group_that_supports_is_enough() -> None:
    with Provider() as provider:
        (found,) = graded(provider, LONG, limited(800, "chunk"))
    groups = shown(provider)
    assert found.verdict is Verdict.SUPPORTED
    assert (found.evidence[0].passage_id, found.evidence[0].quote) == (
        "p5",
        "the printer uses port 9100",
    )
    assert len(groups) == 4
    ids = [[one["passage_id"] for one in group] for group in groups]
    assert sorted({key for group in ids for key in group}) == ["p1", "p2", "p3", "p4", "p5", "p6"]
    texts = {one["passage_id"]: one["text"] for group in groups for one in group}
    assert texts == {one.id: one.text for one in LONG.context}
    told = (found.explanation or "").splitlines()
    assert told[0] == "Asked over 4 groups of passages."
    assert len(told) == 5
    assert sum("supported." in line and "unsupported." not in line for line in told) in (1, 2)
    assert len(found.attempts) == 1 + 4


def test_neighbours_are_seen_together_wherever_a_group_ends() -> None:
    with Provider() as provider:
        graded(provider, LONG, limited(800, "chunk"))
    ids = [[one["passage_id"] for one in group] for group in shown(provider)]
    for left, right in pairwise(range(1, 7)):
        assert any({f"p{left}", f"p{right}"} <= set(group) for group in ids)


def test_one_passage_that_is_too_long_by_itself_is_taken_in_pieces_and_quoted_as_a_whole() -> None:
    where = FILLER * 30 + "In hall B the printer uses port 9100. " + FILLER * 30
    with Provider() as provider:
        (found,) = graded(provider, passages(where), limited(1000, "chunk"))
    assert found.verdict is Verdict.SUPPORTED
    (evidence,) = found.evidence
    assert evidence.start == where.index("the printer")
    assert where[evidence.start : evidence.end] == evidence.quote == "the printer uses port 9100"
    # The judge counted from what it was shown, and that was right.
    assert not found.evidence_repaired
    for group in shown(provider):
        for piece in group:
            start = piece["part_from_character"]
            assert where[start : start + len(piece["text"])] == piece["text"]


def test_a_contradiction_in_one_group_outweighs_the_silence_of_others() -> None:
    class Contradicts(ReadsSchema):
        def answer(self, asked: Any) -> Any:
            value = super().answer(asked)
            if "p5" in asked.passages:
                value["answers"][0] |= {"verdict": "contradictory", "evidence": []}
            return value

    with Provider(answerer=Contradicts()) as provider:
        (found,) = graded(provider, LONG, limited(800, "chunk"))
    assert found.verdict is Verdict.CONTRADICTORY
    assert "contradictory." in (found.explanation or "")
    assert "unsupported." in (found.explanation or "")


def test_a_group_that_failed_fails_what_it_could_have_decided() -> None:
    silent = passages(*[FILLER * 5] * 6)
    with Provider(in_order(None, None, "refusal")) as provider:
        (found,) = graded(provider, silent, limited(800, "chunk"))
    assert found.outcome is Outcome.REFUSED


def test_where_not_even_one_piece_fits_beside_the_statement_it_is_too_long() -> None:
    with Provider() as provider:
        (found,) = graded(provider, passages(FILLER * 9), limited(200, "chunk"))
    assert found.outcome is Outcome.TOO_LONG


# The rules by themselves.


def said(raw: str, **more: Any) -> Verification:
    return Verification("s1", raw, explanation="Why.", **more)


FAILED = StatementFailure("s1", Outcome.TIMEOUT, "late")


@pytest.mark.parametrize(
    ("found", "quotable", "expected"),
    [
        (["silent", "yes", "no"], True, "yes"),
        (["silent", "no", "silent"], True, "no"),
        (["silent", "partly"], True, "silent"),
        (["yes", FAILED], True, "yes"),
        (["no", FAILED], True, Outcome.TIMEOUT),
        (["silent", FAILED], True, Outcome.TIMEOUT),
        (["silent", None], True, Outcome.MISSING),
        # A refusal: what was asked for must stand nowhere.
        (["yes", "yes"], False, "yes"),
        (["yes", "silent"], False, "silent"),
        (["yes", "no", "silent"], False, "no"),
        (["no", FAILED], False, "no"),
        (["yes", FAILED], False, Outcome.TIMEOUT),
        (["yes", None], False, Outcome.MISSING),
        ([FAILED, FAILED], True, Outcome.TIMEOUT),
    ],
)
def test_one_verdict_out_of_several(found, quotable, expected) -> None:
    heard = [said(one) if isinstance(one, str) else one for one in found]
    result = joined("s1", heard, MAPPING, quotable=quotable)
    came = result.raw_verdict if isinstance(result, Verification) else result.outcome
    assert came == expected


def test_evidence_of_all_that_decide_is_kept_once_and_the_least_sure_of_them_counts() -> None:
    quote = Evidence(passage_id="p1", quote="a")
    other = Evidence(passage_id="p2", quote="b")
    heard = [
        said("yes", evidence=(quote,), confidence=0.9),
        said("no", evidence=(Evidence(passage_id="p3", quote="c"),), confidence=0.1),
        said("yes", evidence=(quote, other), confidence=0.6),
    ]
    result = joined("s1", heard, MAPPING, quotable=True)
    assert isinstance(result, Verification)
    assert (result.evidence, result.confidence) == ((quote, other), 0.6)


def test_a_refusal_is_warranted_only_where_every_group_lacks_what_was_asked_for() -> None:
    class Finds(ReadsSchema):
        def answer(self, asked: Any) -> Any:
            value = super().answer(asked)
            for one in value["answers"]:
                if "speech_act" in one:
                    one["speech_act"] = SpeechAct.REFUSAL.value
                elif "p5" in asked.passages:
                    one["verdict"] = "contradictory"
                else:
                    one |= {"verdict": "supported", "evidence": []}
            return value

    with Provider(answerer=Finds()) as provider:
        (found,) = graded(provider, LONG, limited(800, "chunk"))
    assert found.verdict is Verdict.CONTRADICTORY


@given(
    st.lists(st.text(st.sampled_from("ab cé"), max_size=900), min_size=1, max_size=8),
    st.integers(2 * LEAST, 1000),
)
def test_groups_hold_every_character_and_never_more_than_the_room(texts, room) -> None:
    whole = [Piece(f"p{number}", text) for number, text in enumerate(texts)]
    groups = sliding(whole, room)
    assert all(sum(len(one.text) for one in group) <= room for group in groups)
    for number, text in enumerate(texts):
        covered: set[int] = set()
        for one in _of(groups, f"p{number}"):
            assert text[one.offset : one.offset + len(one.text)] == one.text
            covered |= set(range(one.offset, one.offset + len(one.text)))
        assert covered == set(range(len(text)))
    for left, right in pairwise(groups):
        assert left[-1] == right[0]


def _of(groups: Sequence[Sequence[Piece]], key: str) -> list[Piece]:
    return [one for group in groups for one in group if one.key == key]
