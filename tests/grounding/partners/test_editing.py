"""An edit carried through a case: whatever is changed, every offset still names its text."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grounding.contract import Verdict
from grounding.evidence import Texts, resolve
from grounding.interchange.models import Case, Evidence, Passage
from grounding.partners import Edit, propose
from grounding.partners.editing import Unclear, edited, moved, touches

ANSWER = "Pump A weighs 40 kg 💊. Pump B, too, weighs 40 kg."
PASSAGE = "Pump A: 40 kg. Cafe\u0301 pump B: 40 kg."


def case():
    return Case.model_validate(
        {
            "case_id": "c",
            "context": (
                {"id": "p1", "text": PASSAGE},
                {"id": "p2", "text": "Else."},
            ),
            "retrieved": ({"id": "p1", "text": PASSAGE}, {"id": "p9", "text": "Pool."}),
            "answer": ANSWER,
            "statements": (
                statement("s1", ANSWER[:22], (0, 22), "Pump A: 40 kg", 0),
                statement("s2", ANSWER[23:], (23, len(ANSWER)), "pump B: 40 kg", 21),
                statement("s3", "Both weigh alike.", None, "Cafe\u0301", 15),
                statement("s4", "Pump B weighs 40 kg.", (23, len(ANSWER)), "40 kg", 29),
            ),
        }
    )


def statement(statement_id, text, span, quote, start):
    evidence = {"passage_id": "p1", "quote": quote, "start": start, "end": start + len(quote)}
    assert PASSAGE[start : start + len(quote)] == quote
    return {
        "statement_id": statement_id,
        "text": text,
        "span": span,
        "expected": {"verdict": Verdict.SUPPORTED, "evidence": (evidence,)},
    }


def sound(one):
    """Every span is inside the answer, every quote is its slice."""
    texts = Texts({passage.id: passage.text for passage in one.context}, {})
    for each in one.statements:
        if each.span is not None:
            assert 0 <= each.span[0] < each.span[1] <= len(one.answer)
        for evidence in each.expected.evidence if each.expected else ():
            assert resolve(evidence, texts) == evidence


def test_an_edit_in_the_answer_moves_what_stands_behind_it_and_rewrites_what_was_put_together():
    start = ANSWER.rindex("40")
    made = edited(case(), Edit(None, start, start + 2, "40", "4,000"))
    assert made.answer == "Pump A weighs 40 kg 💊. Pump B, too, weighs 4,000 kg."
    assert [one.text for one in made.statements] == [
        "Pump A weighs 40 kg 💊.",
        "Pump B, too, weighs 4,000 kg.",
        "Both weigh alike.",
        "Pump B weighs 4,000 kg.",
    ]
    assert [one.span for one in made.statements] == [(0, 22), (23, 52), None, (23, 52)]
    first = edited(case(), Edit(None, 14, 16, "40", "4"))
    assert [one.span for one in first.statements] == [(0, 21), (22, 48), None, (22, 48)]
    sound(made)
    sound(first)


def test_an_edit_in_a_passage_moves_its_quotes_in_the_pool_as_well():
    made = edited(case(), Edit("p1", 8, 10, "40", "forty-one"))
    assert made.context[0].text == "Pump A: forty-one kg. Cafe\u0301 pump B: 40 kg."
    assert made.retrieved[0].text == made.context[0].text
    assert (made.context[1].text, made.retrieved[1].text) == ("Else.", "Pool.")
    quotes = [one.expected.evidence[0] for one in made.statements]
    assert [one.quote for one in quotes] == [
        "Pump A: forty-one kg", "pump B: 40 kg", "Cafe\u0301", "40 kg",
    ]  # fmt: skip
    assert [(one.start, one.end) for one in quotes] == [(0, 20), (28, 41), (22, 27), (36, 41)]
    sound(made)


def test_what_cannot_be_carried_through_is_said_to_be_so():
    with pytest.raises(Unclear):
        edited(case(), Edit(None, 20, 25, ANSWER[20:25], "x"))
    with pytest.raises(Unclear):  # s4 was put together, and does not have the word
        edited(case(), Edit(None, 31, 34, "too", "also"))
    with pytest.raises(Unclear):
        edited(case(), Edit("p1", 10, 17, PASSAGE[10:17], "x"))


spans = st.tuples(st.integers(0, 40), st.integers(1, 12)).map(lambda p: (p[0], p[0] + p[1]))


@given(st.text("ab💊é ", min_size=40, max_size=52), spans, spans, st.text("xy", max_size=6))
def test_a_span_holds_the_same_words_after_an_edit_and_the_changed_ones_where_it_was_made(
    text, span, at, new
):
    span, at = (span[0], min(span[1], len(text))), (at[0], min(at[1], len(text)))
    if span[0] >= span[1] or at[0] >= at[1]:
        return
    edit = Edit(None, *at, text[slice(*at)], new)
    after = text[: at[0]] + new + text[at[1] :]
    try:
        start, end = moved(span, edit)
    except Unclear:
        assert at[0] < span[1]
        assert span[0] < at[1]
        return
    if touches(span, edit):
        assert after[start:end] == text[span[0] : at[0]] + new + text[at[1] : span[1]]
    else:
        assert after[start:end] == text[slice(*span)]


words = st.sampled_from(
    ["Pump A", "All jobs", "was", "is", "sold", "in 2019", "40", "kg", "for", "may", "be", "not",
     "because", "after", "the", "plant", "Oslo", "on", "Monday", "some", "1,200", "euros", "💊",
     "caused", "usually", "Amara Nwosu", "three", ",", "reportedly"]
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@example([["Pump A", "sold", "may", "1,200"]], 1)
@example([["Pump A", "caused", "Pump A"]], 1)
@given(
    st.lists(st.lists(words, min_size=2, max_size=9), min_size=1, max_size=3), st.integers(1, 50)
)
def test_every_proposal_is_a_sound_case_that_differs_by_its_edit_alone(parts, seed):
    texts = [" ".join(part).capitalize() + "." for part in parts]
    answer, statements, at = " ".join(texts), [], 0
    for number, text in enumerate(texts, 1):
        evidence = Evidence(passage_id="p1", quote=text, start=at, end=at + len(text))
        statements.append(
            {
                "statement_id": f"s{number}",
                "text": text,
                "span": (at, at + len(text)),
                "expected": {"verdict": Verdict.SUPPORTED, "evidence": (evidence,)},
            }
        )
        at += len(text) + 1
    one = Case.model_validate(
        {
            "case_id": "c",
            "context": (Passage(id="p1", text=answer),),
            "answer": answer,
            "statements": tuple(statements),
        }
    )
    found = propose(one, seed=seed)
    assert found == propose(one, seed=seed)
    for proposal in found:
        _differs_by_its_edit(one, proposal)


def _differs_by_its_edit(original, proposal):
    edit, made = proposal.edit, proposal.case
    sound(made)
    before = original.answer if edit.passage_id is None else original.context[0].text
    after = made.answer if edit.passage_id is None else made.context[0].text
    assert before[edit.start : edit.end] == edit.old != edit.new
    assert after == before[: edit.start] + edit.new + before[edit.end :] != before
    if edit.passage_id is None:
        assert made.context == original.context
    else:
        assert made.answer == original.answer
    for ours, theirs in zip(original.statements, made.statements, strict=True):
        if ours.span and original.answer[slice(*ours.span)] == ours.text:
            assert made.answer[slice(*theirs.span)] == theirs.text
        if ours.statement_id not in proposal.expected and edit.passage_id is None:
            assert theirs.text == ours.text
    assert proposal.statement_id in proposal.expected
    assert all(after is not Verdict.SUPPORTED for _, after in proposal.expected.values())


DATA = os.environ.get("ASSIZE_DATA")


@pytest.mark.slow
@pytest.mark.skipif(not DATA, reason="ASSIZE_DATA is not set: no real data")
@pytest.mark.parametrize(
    ("name", "least"), [("begin_wow_test", 2000), ("qags", 1000), ("wice", 40)]
)
def test_partners_of_real_cases_are_sound(name, least):
    folder = Path(DATA or "") / name
    if not folder.exists():
        pytest.skip(f"ASSIZE_DATA has no {name}")
    lines = (folder / "labels.jsonl").read_text(encoding="utf-8").splitlines()
    said = {(one["case_id"], one["statement_id"]): one["verdict"] for one in map(json.loads, lines)}
    made = 0
    for line in (folder / "cases.jsonl").read_text(encoding="utf-8").splitlines():
        one = Case.model_validate_json(line)
        known = {s.statement_id: said.get((one.case_id, s.statement_id)) for s in one.statements}
        verdicts = {key: Verdict(word) for key, word in known.items() if word}
        for proposal in propose(one, seed=1, verdicts=verdicts):
            made += 1
            sound(proposal.case)
            assert proposal.case != one
    assert made >= least
