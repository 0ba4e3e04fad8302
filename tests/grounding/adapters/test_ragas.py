"""Ragas itself, asked through its own code, against a provider on this machine."""

from __future__ import annotations

import math

import pytest

from grounding.interchange.models import Outcome, Source
from tests.grounding.adapters.setting import (
    MODEL,
    Says,
    judged,
    needs,
    prompt_of,
    ragas_input,
    ragas_says,
    row,
    rubric,
    verdicts_of,
)
from tests.grounding.rubric_examples import case
from tests.provider import Provider, always, in_order, status

pytestmark = needs("ragas")

THREE = case("The report shows 3 failed jobs.", "It shows 2 skipped.", "It was written on Monday.")
TRUTH = {"The report shows 3 failed jobs.": 1, "It shows 2 skipped.": 0}


def says(text):
    return TRUTH.get(text, 1)


def ragas_verdicts(rows):
    from ragas.metrics.collections.faithfulness.util import NLIStatementOutput

    return NLIStatementOutput.model_validate({"statements": rows})


def ragas_score(rows):
    """Of these verdicts, by Ragas' own arithmetic."""
    from ragas.metrics.collections import Faithfulness

    return Faithfulness._compute_score(None, ragas_verdicts(rows))


def test_each_statement_gets_the_verdict_that_ragas_gave_it():
    with Provider(answerer=ragas_says(says)) as provider:
        found = judged(provider, rubric("ragas"), THREE)
    assert verdicts_of(found) == ["supported", "unsupported", "supported"]
    assert [one.raw_verdict for one in found] == ["1", "0", "1"]
    assert found[1].explanation == "Of It shows 2 skipped."
    assert {one.judge_model for one in found} == {MODEL}


def test_all_statements_of_a_case_are_asked_about_in_one_request_of_ragas_own():
    with Provider(answerer=ragas_says(says)) as provider:
        judged(provider, rubric("ragas"), THREE)
    (call,) = provider.received
    assert ragas_input(prompt_of(call.json)) == {
        "context": "Nightly report: 3 failed jobs.",
        "statements": [one.text for one in THREE.statements],
    }
    assert (call.json["temperature"], call.json["top_p"]) == (0.01, 0.1)
    assert call.json["max_tokens"] == 1024
    assert "judge the faithfulness" in prompt_of(call.json)


def test_a_prompt_of_the_rubrics_own_takes_the_place_of_ragas_instruction():
    own = "A statement is {0} or {{ not }}: 1 where the context entails it, else 0."
    with Provider(answerer=ragas_says(says)) as provider:
        found = judged(provider, rubric("ragas", verify=own), THREE)
        prompt = prompt_of(provider.received[0].json)
    assert verdicts_of(found) == ["supported", "unsupported", "supported"]
    assert prompt.startswith(own)
    assert "judge the faithfulness" not in prompt


def test_what_is_supported_is_counted_without_evidence_and_nothing_else_is():
    with Provider(answerer=ragas_says(says)) as provider:
        found = judged(provider, rubric("ragas"), THREE)
    assert [one.without_evidence for one in found] == [True, False, True]
    assert not any(one.evidence for one in found)


def test_every_attempt_is_kept_with_what_was_sent_and_what_came():
    with Provider(plan=in_order(status(503)), answerer=ragas_says(says)) as provider:
        first = judged(provider, rubric("ragas"), THREE)[0]
        sent = [one.body.decode() for one in provider.received]
    assert [one.outcome for one in first.attempts] == [Outcome.UNAVAILABLE, Outcome.GRADED]
    assert [one.http_status for one in first.attempts] == [503, 200]
    assert [one.retry for one in first.attempts] == [0, 1]
    assert "judge the faithfulness" in (first.attempts[0].sent or "")
    assert first.attempts[0].request_digest == first.attempts[1].request_digest
    assert '"verdict": 1' in (first.attempts[1].raw or "").replace("\\", "")
    assert first.attempts[1].input_tokens
    assert len(sent) == 2


def test_verdicts_in_another_order_reach_their_statements():
    def answer(prompt):
        rows = [row(one, says(one)) for one in ragas_input(prompt)["statements"]]
        return {"statements": rows[::-1]}

    with Provider(answerer=Says(answer)) as provider:
        found = judged(provider, rubric("ragas"), THREE)
    assert verdicts_of(found) == ["supported", "unsupported", "supported"]


def test_a_statement_that_ragas_dropped_is_missing_and_the_others_stand():
    def answer(prompt):
        rows = [row(one, says(one)) for one in ragas_input(prompt)["statements"]]
        return {"statements": [rows[0], rows[2]]}

    with Provider(answerer=Says(answer)) as provider:
        found = judged(provider, rubric("ragas"), THREE)
    assert verdicts_of(found) == ["supported", "(missing)", "supported"]
    rows = [row("a", 1), row("c", 1)]
    assert ragas_score(rows) == 1.0  # the one that it dropped would have lowered its score


def test_a_statement_that_nobody_asked_about_is_noted_and_takes_no_place():
    def answer(prompt):
        rows = [row(one, says(one)) for one in ragas_input(prompt)["statements"]]
        return {"statements": [row("s1", 0), *rows]}

    with Provider(answerer=Says(answer)) as provider:
        found = judged(provider, rubric("ragas"), THREE)
    assert verdicts_of(found) == ["supported", "unsupported", "supported"]
    assert found[0].notes == (
        "the verify pass answered for \"statement 's1'\", which it was not asked about",
    )


def test_a_statement_with_two_verdicts_is_invalid():
    def answer(prompt):
        rows = [row(one, 1) for one in ragas_input(prompt)["statements"]]
        return {"statements": [*rows, row(rows[0]["statement"], 1)]}

    with Provider(answerer=Says(answer)) as provider:
        found = judged(provider, rubric("ragas"), THREE)
    assert verdicts_of(found) == ["(invalid)", "supported", "supported"]


def test_a_statement_in_other_words_is_missing_but_not_for_a_full_stop():
    def answer(prompt):
        first, _, third = ragas_input(prompt)["statements"]
        return {
            "statements": [
                row(first.removesuffix("."), 1),
                row("The report shows 2 skipped.", 1),
                row(f"  {third.upper()}", 0),
            ]
        }

    with Provider(answerer=Says(answer)) as provider:
        found = judged(provider, rubric("ragas"), THREE)
    assert verdicts_of(found) == ["supported", "(missing)", "unsupported"]
    assert "The report shows 2 skipped." in found[1].notes[0]


@pytest.mark.parametrize("verdict", [2, -1])
def test_a_number_that_is_neither_1_nor_0_is_invalid_though_ragas_counts_it_as_faithful(verdict):
    with Provider(answerer=ragas_says(lambda one: verdict)) as provider:
        found = judged(provider, rubric("ragas"), THREE)
    assert verdicts_of(found) == ["(invalid)"] * 3
    assert found[0].raw_verdict == str(verdict)
    assert ragas_score([row("a", verdict)]) == 1.0


def test_no_verdict_at_all_is_missing_where_ragas_says_nan():
    with Provider(answerer=Says(lambda prompt: {"statements": []})) as provider:
        found = judged(provider, rubric("ragas"), THREE)
    assert verdicts_of(found) == ["(missing)"] * 3
    assert math.isnan(ragas_score([]))


@pytest.mark.parametrize("verdict", ["yes", 0.5, None, True])
def test_a_verdict_that_ragas_cannot_read_is_unreadable_and_its_text_is_kept(verdict):
    with Provider(answerer=ragas_says(lambda one: verdict)) as provider:
        found = judged(provider, rubric("ragas"), THREE)
        calls = provider.calls
    assert verdicts_of(found) == ["(unreadable)"] * 3
    assert "ragas cannot read the answer" in found[0].error
    assert "The report shows 3 failed jobs." in found[0].attempts[-1].raw
    assert len(found[0].attempts) == calls


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        ("half_json", "(unreadable)"),
        ("blank", "(unreadable)"),
        ("no_verdict", "(unreadable)"),
        ("null_verdict", "(unreadable)"),
        ("truncated", "(unreadable)"),
        ("refusal", "(refused)"),
        ("content_filter", "(refused)"),
        ("away", "(unavailable)"),
        ("reset", "(unavailable)"),
        ("too_long", "(too_long)"),
    ],
)
def test_a_fault_comes_out_under_its_own_name(fault, outcome):
    with Provider(plan=always(fault), answerer=ragas_says(lambda one: 1)) as provider:
        found = judged(provider, rubric("ragas"), THREE)
    assert verdicts_of(found) == [outcome] * 3


@pytest.mark.parametrize("fault", ["prose", "fences"])
def test_an_answer_with_words_around_it_is_read_as_this_ragas_reads_it_or_is_unreadable(fault):
    with Provider(plan=always(fault), answerer=ragas_says(lambda one: 0)) as provider:
        found = judged(provider, rubric("ragas"), THREE)
    assert set(verdicts_of(found)) in ({"unsupported"}, {"(unreadable)"})


def test_what_the_carrier_gave_up_on_is_not_asked_again_by_ragas():
    with Provider(plan=always("away"), answerer=ragas_says(says)) as provider:
        judged(provider, rubric("ragas"), THREE)
        assert provider.calls == 2  # the carrier's two tries


def test_ragas_asks_again_about_what_it_cannot_read_and_each_time_is_kept():
    with Provider(plan=in_order("half_json"), answerer=ragas_says(says)) as provider:
        found = judged(provider, rubric("ragas"), THREE)
        assert provider.calls == 2
    assert verdicts_of(found) == ["supported", "unsupported", "supported"]
    assert len(found[0].attempts) == 2
    assert found[0].attempts[0].request_digest != found[0].attempts[1].request_digest


def test_statements_of_the_same_words_are_asked_about_once_and_each_judged():
    same = case("The report shows 3 failed jobs.", "The report shows 3 failed jobs.")
    with Provider(answerer=ragas_says(says)) as provider:
        found = judged(provider, rubric("ragas"), same)
        asked = ragas_input(prompt_of(provider.received[0].json))["statements"]
    assert len(asked) == 1
    assert verdicts_of(found) == ["supported", "supported"]


def test_an_external_claim_is_asked_about_beside_the_sources_alone():
    mixed = case("The report shows 3 failed jobs.", "Tomatoes are fruits.")
    sources = (Source(id="w1", text="A tomato is a fruit."),)
    with Provider(answerer=ragas_says(lambda one: 1)) as provider:
        found = judged(provider, rubric("ragas"), mixed, sources)
        asked = [ragas_input(prompt_of(one.json)) for one in provider.received]
    assert [one.claim_class for one in found] == ["subject_specific", "external"]
    assert {one["context"]: one["statements"] for one in asked} == {
        "Nightly report: 3 failed jobs.": ["The report shows 3 failed jobs."],
        "A tomato is a fruit.": ["Tomatoes are fruits."],
    }


def test_where_no_text_is_admitted_ragas_is_not_asked_and_nothing_is_supported():
    with Provider(answerer=ragas_says(lambda one: 1)) as provider:
        found = judged(provider, rubric("ragas"), case("Tomatoes are fruits."))
        assert provider.calls == 0
    assert (found[0].verdict, found[0].raw_verdict) == ("unsupported", "no_text")


def test_a_context_of_nothing_but_white_space_is_no_text():
    blank = case("The report shows 3 failed jobs.", context=[" ", "\n\t"])
    with Provider(answerer=ragas_says(lambda one: 1)) as provider:
        found = judged(provider, rubric("ragas"), blank)
        assert provider.calls == 0
    assert found[0].raw_verdict == "no_text"


def test_an_interpretation_is_not_asked_about():
    with Provider(answerer=ragas_says(lambda one: 1)) as provider:
        found = judged(provider, rubric("ragas"), case("You should rerun the jobs."))
        assert provider.calls == 0
    assert found[0].verdict == "not_applicable"


def test_a_refusal_is_put_to_ragas_like_any_statement():
    with Provider(answerer=ragas_says(lambda one: 0)) as provider:
        found = judged(provider, rubric("ragas"), case("The context does not say who wrote it."))
        assert provider.calls == 1
    assert (found[0].speech_act, found[0].verdict) == ("refusal", "unsupported")


def test_a_text_that_ragas_cannot_take_fails_its_case_and_not_the_run(monkeypatch):
    from ragas.metrics.collections.faithfulness.util import NLIStatementPrompt

    write = NLIStatementPrompt.to_string

    def choking(self, data):
        if "skipped" in str(data):
            raise RuntimeError("choked")
        return write(self, data)

    monkeypatch.setattr(NLIStatementPrompt, "to_string", choking)
    with Provider(answerer=ragas_says(says)) as provider:
        found = judged(provider, rubric("ragas"), THREE)
        assert provider.calls == 0
    assert verdicts_of(found) == ["(unavailable)"] * 3
    assert found[0].error == "ragas failed before it asked: RuntimeError: choked"


def test_no_log_tells_of_a_request_to_nowhere(caplog):
    with caplog.at_level("INFO"), Provider(answerer=ragas_says(says)) as provider:
        judged(provider, rubric("ragas"), THREE)
    assert "nowhere" not in caplog.text


def test_nothing_is_asked_but_the_provider(connections):
    with Provider(answerer=ragas_says(says)) as provider:
        judged(provider, rubric("ragas"), THREE)
    assert connections.here
    assert connections.elsewhere == []


def test_ragas_report_of_its_use_would_have_been_seen(connections, monkeypatch):
    from ragas import _analytics

    rubric("ragas")
    assert connections.elsewhere == []
    monkeypatch.setattr(_analytics, "do_not_track", lambda: False)
    _analytics.track(_analytics.LLMUsageEvent(provider="openai", llm_type="instructor"))
    assert connections.elsewhere
    connections.elsewhere.clear()
