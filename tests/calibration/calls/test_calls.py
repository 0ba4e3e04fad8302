"""Runs over a real provider: limits, attempts, kept answers, budgets (rows D8, D9, E8)."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.db import connections

from calibration import calls, judging, reports, runs
from calibration.calls.permits import GRACE_SECONDS, Leave
from calibration.calls.slots import Slots
from calibration.judging import inflight
from calibration.models import Attempt, CachedReply, Holder, Judgment, Run, SentRequest
from calibration.runs import counting, rounds, spending
from calibration.runs.spending import Budget
from grounding.errors import BadInput, Refused
from tests.calibration.calls.scene import KEY, Start, lamps
from tests.provider import FAULTS, Provider, always, in_order, rate_limited, status

pytestmark = pytest.mark.django_db


def test_every_call_is_kept_and_what_was_sent_once(
    start: Start, provider: Provider, tmp_path: Path
) -> None:
    run = start(lamps(tmp_path, 5, statements=3), repeats=2)
    assert runs.status(run) == "complete"
    assert provider.calls == 20, "2 passes of 5 cases, twice"
    attempts = Attempt.objects.filter(judgment__run=run)
    assert attempts.count() == 2 * run.planned
    assert attempts.filter(counts=True).count() == 20, "one for each call, not for each statement"
    assert SentRequest.objects.count() == 10, "the second repeat asked the same"
    sent = set(SentRequest.objects.values_list("body", flat=True))
    assert sent == {one.body.decode() for one in provider.received}
    one = attempts.filter(counts=True)[0]
    assert (one.http_status, one.retry, one.round, one.cached) == (200, 0, 1, False)
    assert one.cost == pytest.approx((one.input_tokens + 10 * one.output_tokens) / 1e6)
    spent = spending.of(run)
    assert (spent.calls, spent.answered) == (20, 20)
    assert spent.cost == pytest.approx(sum(one.cost for one in attempts.filter(counts=True)))


def test_the_key_stands_in_no_table(start: Start, provider: Provider, tmp_path: Path) -> None:
    """Row B8; the control is that the provider refuses calls without it."""
    provider.plan = in_order(FAULTS["server_error"], None, "half_json", "refusal")
    start(lamps(tmp_path, 4))
    assert provider.calls > 8
    for model in apps.get_app_config("calibration").get_models():
        for row in model.objects.values():
            assert KEY not in str(row), model.__name__


def test_retries_are_attempts_of_their_own(
    start: Start, provider: Provider, tmp_path: Path
) -> None:
    provider.plan = in_order(status(503), status(500))
    run = start(lamps(tmp_path, 1))
    tried = list(Attempt.objects.filter(judgment__run=run))
    assert [(one.number, one.retry, one.http_status) for one in tried] == [
        (1, 0, 503),
        (2, 1, 500),
        (3, 2, 200),
        (4, 0, 200),
    ]
    assert {one.counts for one in tried} == {True}
    assert runs.status(run) == "complete"


def _at_once(run: Run, workers: int) -> None:
    def work(number: int) -> None:
        try:
            judging.judge_batch(run.pk, worker=f"w{number}")
        finally:
            connections.close_all()

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(work, range(workers)))


@pytest.mark.django_db(transaction=True)
def test_workers_together_keep_below_the_limit_and_share_it(
    start: Start, provider: Provider, tmp_path: Path, settings: Any
) -> None:
    settings.JUDGE_CONCURRENCY = 6
    provider.latency = 0.15
    run = start(lamps(tmp_path, 60), judged=False)
    _at_once(run, 3)
    assert runs.status(run) == "complete"
    assert provider.calls == 120
    assert 5 <= provider.peak <= 6
    assert not Holder.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_workers_that_count_for_themselves_go_beyond_the_limit(
    start: Start,
    provider: Provider,
    tmp_path: Path,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The control: each takes the whole limit as its own."""
    settings.JUDGE_CONCURRENCY = 6
    provider.latency = 0.15
    alone = Leave(until=time.monotonic() + 60, held=6)
    monkeypatch.setattr(inflight.Calls, "renew", lambda self, **_: self._slots.renewed(alone))
    run = start(lamps(tmp_path, 60), judged=False)
    _at_once(run, 3)
    assert provider.peak > 6


def test_starts_keep_to_the_rate(
    start: Start, provider: Provider, tmp_path: Path, settings: Any
) -> None:
    settings.JUDGE_REQUESTS_PER_MINUTE = 600
    run = start(lamps(tmp_path, 15))
    assert runs.status(run) == "complete"
    moments = sorted(one.at for one in provider.received)
    assert len(moments) == 30
    apart = (60 + GRACE_SECONDS) / 600
    assert moments[-1] - moments[0] > 29 * apart - GRACE_SECONDS, "ten a second, and no burst"
    assert moments[-1] - moments[0] < 29 * apart * 2


def test_quiet_that_the_provider_asks_for_is_kept_by_all(
    start: Start, provider: Provider, tmp_path: Path, settings: Any
) -> None:
    settings.JUDGE_CONCURRENCY = 2
    provider.plan = in_order(rate_limited(1), rate_limited(1))
    run = start(lamps(tmp_path, 10))
    assert runs.status(run) == "complete"
    moments = sorted(one.at for one in provider.received)
    assert moments[2] - moments[1] >= 1


def test_cancelling_frees_the_providers_slots(
    start: Start, provider: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.latency = 30.0
    run = start(lamps(tmp_path, 40), judged=False)
    real = inflight.claims.goes_on

    def once_all_are_busy(run_pk: int) -> bool:
        if provider.open == 32:
            runs.cancel(run)
        return real(run_pk)

    monkeypatch.setattr(inflight.claims, "goes_on", once_all_are_busy)
    judging.judge_batch(run.pk, worker="w")
    assert not Holder.objects.exists()
    assert run.judgments.filter(lease_until__isnull=False).count() == 0


# Kept answers.


def test_the_same_questions_are_answered_by_what_was_kept(
    start: Start, provider: Provider, tmp_path: Path
) -> None:
    held = lamps(tmp_path, 10)
    first = start(held)
    assert (provider.calls, CachedReply.objects.count()) == (20, 20)
    second = start(held)
    assert runs.status(second) == "complete"
    assert provider.calls == 21, "one call asks which model answers today"
    spent = spending.of(second)
    assert (spent.calls, spent.cached) == (1, 19)
    assert spent.cost == pytest.approx(spending.of(first).cost / 20, rel=0.5)
    kept = Attempt.objects.filter(judgment__run=second, cached=True)
    assert {one.cost for one in kept} == {0.0}
    verdicts = [
        list(run.judgments.values_list("verdict", "raw_verdict")) for run in (first, second)
    ]
    assert verdicts[0] == verdicts[1]


def test_repeats_are_asked_each_time(start: Start, provider: Provider, tmp_path: Path) -> None:
    """Row D9."""
    held = lamps(tmp_path, 4)
    start(held)
    again = start(held, repeats=3)
    fresh = Attempt.objects.filter(judgment__run=again, judgment__repeat__gt=0)
    assert fresh.count() == 16
    assert not fresh.filter(cached=True).exists()


def test_no_answer_is_kept_across_a_change_of_the_model(
    start: Start, provider: Provider, tmp_path: Path
) -> None:
    """Row D8: the provider renames its model between two runs."""
    held = lamps(tmp_path, 10)
    provider.model = "monday"
    start(held)
    provider.model = "tuesday"
    second = start(held)
    assert provider.calls == 40
    assert spending.of(second).cached == 0
    assert counting.judge_models(second) == ["tuesday"]


def test_a_model_that_changes_in_mid_run_makes_the_run_mixed(
    start: Start, provider: Provider, tmp_path: Path, settings: Any
) -> None:
    """Row D8."""
    settings.JUDGE_CONCURRENCY = 1
    held = lamps(tmp_path, 10)
    provider.model = "monday"

    def changes(call: Any) -> None:
        provider.model = "monday" if call.number < 10 else "tuesday"

    provider.plan = changes
    run = start(held)
    found = calls.of(run)
    assert found.mixed
    assert found.models == ["monday", "tuesday"]
    assert set(run.judgments.values_list("judge_model", flat=True)) == {"monday", "tuesday"}
    report = reports.full(reports.create(run))
    assert report["run"]["judge_models"] == ["monday", "tuesday"]


# Budgets.


def _budgeted(run: Run, reason: str) -> list[Judgment]:
    assert runs.status(run) == "partial"
    run.refresh_from_db()
    assert run.budget_spent == reason
    refused = list(run.judgments.filter(outcome="unavailable"))
    assert refused
    assert {row.error for row in refused} == {reason}
    return refused


def test_a_budget_of_calls_is_kept_to_the_call(
    start: Start, provider: Provider, tmp_path: Path
) -> None:
    run = start(lamps(tmp_path, 60), budget=Budget(calls=33))
    _budgeted(run, "not called: the run's budget of 33 calls is spent")
    assert provider.calls == spending.of(run).calls == 33
    assert runs.outcomes(run)["graded"] <= 16
    assert run.finished_at is not None


@pytest.mark.django_db(transaction=True)
def test_a_budget_of_calls_is_kept_by_workers_together(
    start: Start, provider: Provider, tmp_path: Path
) -> None:
    run = start(lamps(tmp_path, 60), judged=False, budget=Budget(calls=41))
    _at_once(run, 3)
    judging.judge_batch(run.pk, worker="last")
    _budgeted(run, "not called: the run's budget of 41 calls is spent")
    assert provider.calls == spending.of(run).calls == 41


def test_a_budget_of_tokens_is_not_exceeded(
    start: Start, provider: Provider, tmp_path: Path
) -> None:
    run = start(lamps(tmp_path, 40), budget=Budget(tokens=60_000))
    _budgeted(run, "not called: the run's budget of 60,000 tokens is spent")
    spent = spending.of(run)
    assert spent.most_tokens is not None
    assert 60_000 - spent.most_tokens < spent.tokens <= 60_000


def test_a_budget_of_money_is_not_exceeded(
    start: Start, provider: Provider, tmp_path: Path
) -> None:
    run = start(lamps(tmp_path, 40), budget=Budget(cost=0.05))
    _budgeted(run, "not called: the run's budget of 0.05 is spent")
    spent = spending.of(run)
    assert spent.cost is not None
    assert spent.most_cost is not None
    assert 0.05 - spent.most_cost < spent.cost <= 0.05


def test_a_budget_that_is_larger_than_the_run_changes_nothing(
    start: Start, provider: Provider, tmp_path: Path
) -> None:
    run = start(lamps(tmp_path, 10), budget=Budget(calls=20, tokens=10_000_000, cost=100.0))
    assert runs.status(run) == "complete"
    assert run.budget_spent is None


def test_money_without_prices_and_nothing_at_all_are_no_budgets(
    small_set: Any, rubric: Any
) -> None:
    for budget, field in ((Budget(cost=1.0), "max_cost"), (Budget(calls=0), "max_calls")):
        with pytest.raises(BadInput) as refused:
            runs.start(small_set, rubric, budget=budget)
        assert refused.value.field == field
    assert not Run.objects.exists()


class _Endless:
    """An attribute that always says there is more to come."""

    def __get__(self, slots: object, owner: object) -> int:
        return 99

    def __set__(self, slots: object, value: int) -> None:
        pass


def test_without_the_reserve_a_budget_is_exceeded(
    start: Start, provider: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: calls in flight are not counted until they are written down."""
    monkeypatch.setattr(Slots, "_allowed", _Endless(), raising=False)
    run = start(lamps(tmp_path, 60), budget=Budget(calls=33))
    assert provider.calls > 33 or runs.status(run) == "complete"


# Rounds.


def test_exactly_the_failures_are_judged_again(
    start: Start, provider: Provider, tmp_path: Path
) -> None:
    """Row E7."""
    provider.plan = _failing_on("Lamp 3 burns", "Lamp 5 burns")
    run = start(lamps(tmp_path, 20))
    before = dict(run.judgments.filter(outcome="graded").values_list("pk", "judged_at"))
    assert runs.outcomes(run)["graded"] == 18
    first = reports.create(run)
    provider.plan = lambda call: None
    made = provider.calls
    again = rounds.rerun(run)
    assert (again.round, runs.status(again)) == (2, "running")
    judging.judge_batch(run.pk, worker="w")
    run.refresh_from_db()
    assert runs.outcomes(run)["graded"] == 20
    assert provider.calls - made == 4, "two passes of two cases"
    graded = dict(run.judgments.filter(pk__in=before).values_list("pk", "judged_at"))
    assert graded == before, "what was graded is untouched"
    mended = run.judgments.filter(round=2)
    assert mended.count() == 2
    for row in mended:
        tried = list(row.attempt_rows.all())
        assert [one.number for one in tried] == list(range(1, len(tried) + 1))
        assert row.attempts == len(tried)
        assert {one.round for one in tried} == {1, 2}
    second = reports.create(run)
    assert (first.round, second.round) == (1, 2)
    first.refresh_from_db()
    assert first.figures["outcomes"]["graded"] == 18
    assert second.figures["outcomes"]["graded"] == 20
    assert reports.create(run) == second


def _failing_on(*texts: str) -> Callable[[Any], str | None]:
    def plan(call: Any) -> str | None:
        asked = call.json["messages"][-1]["content"]
        return "half_json" if any(text in asked for text in texts) else None

    return plan


def test_failures_that_were_answers_are_asked_about_afresh(
    start: Start, provider: Provider, tmp_path: Path
) -> None:
    provider.plan = lambda call: "off_menu" if b"entailed" in call.body else None
    run = start(lamps(tmp_path, 3))
    assert runs.outcomes(run)["invalid"] == 3
    provider.plan = lambda call: None
    rounds.rerun(run)
    judging.judge_batch(run.pk, worker="w")
    assert runs.outcomes(run)["graded"] == 3
    second = Attempt.objects.filter(judgment__run=run, round=2)
    assert second.count() == 6
    assert not second.filter(cached=True).exists()


def test_a_spent_budget_can_be_raised_for_a_round(
    start: Start, provider: Provider, tmp_path: Path, settings: Any
) -> None:
    settings.JUDGE_CONCURRENCY = 1
    run = start(lamps(tmp_path, 20), budget=Budget(calls=10))
    silent = run.judgments.filter(attempts=0).first()
    assert silent is not None
    rounds.rerun(run, Budget(calls=100))
    judging.judge_batch(run.pk, worker="w")
    assert runs.status(run) == "complete"
    first = silent.attempt_rows.order_by("number")[0]
    assert (first.number, first.outcome, first.round) == (1, "unavailable", 1)
    assert "budget of 10 calls" in str(first.error)
    run.refresh_from_db()
    assert (run.budget_calls, run.budget_spent) == (100, None)


def test_there_is_nothing_to_judge_again_where_nothing_failed_or_the_run_is_no_run_of_ours(
    start: Start, provider: Provider, tmp_path: Path
) -> None:
    held = lamps(tmp_path, 2)
    run = start(held, judged=False)
    with pytest.raises(Refused, match="not finished"):
        rounds.rerun(run)
    judging.judge_batch(run.pk, worker="w")
    with pytest.raises(Refused, match="nothing failed"):
        rounds.rerun(run)
    other = start(held, judged=False)
    runs.cancel(other)
    with pytest.raises(Refused, match="cancelled"):
        rounds.rerun(other)


# Faults.


def test_31_of_100_rate_limited_make_a_partial_run_and_no_baseline(
    start: Start, provider: Provider, tmp_path: Path
) -> None:
    """Row E8."""
    limited = tuple(f"Lamp {number} burns" for number in range(31))
    provider.plan = lambda call: (
        status(429) if any(text.encode() in call.body for text in limited) else None
    )
    held = lamps(tmp_path, 100)
    run = start(held)
    found = runs.outcomes(run)
    assert (found["graded"], found["unavailable"]) == (69, 31)
    assert runs.status(run) == "partial"
    assert runs.baseline("groundedness-llm", 1, held) is None


def test_a_provider_that_is_away_fails_every_row_under_its_name(
    start: Start, provider: Provider, tmp_path: Path
) -> None:
    provider.plan = always(status(503))
    run = start(lamps(tmp_path, 2))
    assert runs.outcomes(run)["unavailable"] == 2
    assert "503" in str(run.judgments.values_list("error", flat=True)[0])


def test_only_workers_import_the_http_client() -> None:
    """The web server and commands start without it."""
    import subprocess
    import sys

    code = (
        "import django, sys; django.setup(); import config.urls, config.celery;"
        "from django.urls import get_resolver; get_resolver().url_patterns;"
        "print('aiohttp' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "False"
