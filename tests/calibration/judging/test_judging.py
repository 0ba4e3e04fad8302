"""Claiming and judging: one judgment a row, late writes refused, failures as failures (row E2)."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any, ClassVar
from uuid import UUID

import pytest
from django.db import connections
from django.utils import timezone

from calibration import judging, rubrics, runs
from calibration.models import Attempt, Judgment, JudgmentQuerySet, RubricVersion, Run, WorkerBeat
from calibration.runs import claims
from calibration.runs.claims import Result, Row
from calibration.workers import stopping
from grounding.judges import registry
from grounding.judges.lexical import LexicalJudge
from grounding.judges.protocol import (
    Assignment,
    CaseView,
    Classification,
    PassResult,
    StatementView,
    Verification,
)
from grounding.rubrics import RubricDefinition
from labeling.models import CalibrationSet
from tests import cast
from tests.grounding.rubric_examples import with_changes

LONG = timedelta(hours=1)


class Watched:
    """The lexical judge, which counts what it is asked; a test may make it slow or break it."""

    calls: ClassVar[Counter[str]] = Counter()
    seconds: float = 0
    breaks_on: str | None = None
    on_call: Any = None

    def __init__(self, definition: RubricDefinition, _: registry.Services) -> None:
        self._judge = LexicalJudge.of(definition)
        self.name = self._judge.name
        self.implementation = self._judge.implementation

    async def classify(
        self, case: CaseView, statements: Sequence[StatementView]
    ) -> PassResult[Classification]:
        Watched.calls[case.case_id] += 1
        time.sleep(Watched.seconds)
        if Watched.on_call:
            Watched.on_call(case.case_id)
        if case.case_id == Watched.breaks_on:
            raise ZeroDivisionError("a fault of the judge's own")
        return await self._judge.classify(case, statements)

    async def verify(
        self, case: CaseView, assignments: Sequence[Assignment]
    ) -> PassResult[Verification]:
        return await self._judge.verify(case, assignments)


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Watched]]:
    monkeypatch.setattr(registry, "FACTORIES", {**registry.FACTORIES, "lexical": Watched})
    for name, value in (("calls", Counter()), ("seconds", 0), ("breaks_on", None)):
        monkeypatch.setattr(Watched, name, value)
    monkeypatch.setattr(Watched, "on_call", None)
    return Watched


@pytest.fixture
def run(small_set: CalibrationSet, rubric: RubricVersion) -> Run:
    return runs.start(small_set, rubric)


@pytest.fixture(autouse=True)
def _not_stopping() -> Iterator[None]:
    yield
    stopping.forget()


def reconciled(run: Run) -> bool:
    found = runs.outcomes(run)
    return found.pop("planned") == sum(found.values())


def lapse(token: UUID) -> None:
    """What a worker that was stopped for longer than its lease finds when it wakes."""
    late = timezone.now() - timedelta(seconds=1)
    Judgment.objects.filter(lease=token).update(lease_until=late)


def verdict(row: Row | Judgment, said: str) -> Result:
    return Result(row.pk, {"outcome": "graded", "verdict": said}, [_attempt(said)])


def _attempt(raw: str) -> dict[str, Any]:
    return {"number": 1, "judge_pass": "verify", "outcome": "graded", "raw": raw}


def test_a_batch_gives_every_row_its_outcome_and_keeps_the_attempts(run: Run) -> None:
    judging.judge_batch(run.pk, worker="w@h")
    run.refresh_from_db()
    assert runs.status(run) == "complete"
    assert run.finished_at is not None
    assert reconciled(run)
    for row in run.judgments.all():
        assert row.attempts == row.attempt_rows.count() >= 1
        assert row.judge_model == "lexical-4"
        assert row.judged_at is not None
    assert WorkerBeat.objects.get().worker == "w@h"


def test_what_is_stored_is_what_the_pipeline_says(run: Run) -> None:
    from grounding.judges.registry import create_judge
    from grounding.pipeline import grade_case
    from labeling import exchange

    judging.judge_batch(run.pk, worker="w")
    definition = rubrics.definition_of(run.rubric_version)
    sources = list(exchange.source_records(run.set))
    stored = {
        (row.statement.case.case_id, row.statement.statement_id): row
        for row in run.judgments.select_related("statement__case")
    }
    for case in exchange.case_records(run.set):
        for grade in grade_case(case, create_judge(definition), definition, sources=sources):
            row = stored[grade.case_id, grade.statement_id]
            assert (row.claim_class, row.verdict) == (grade.claim_class, grade.verdict)
            assert row.evidence == [item.model_dump(mode="json") for item in grade.evidence]
            assert row.explanation == grade.explanation


def test_a_judge_that_breaks_on_a_case_fails_that_case_alone(
    run: Run, watched: type[Watched]
) -> None:
    watched.breaks_on = "jobs-001-b"
    judging.judge_batch(run.pk, worker="w")
    failed = run.judgments.exclude(outcome="graded").select_related("statement__case")
    assert {row.statement.case.case_id for row in failed} == {"jobs-001-b"}
    assert {row.outcome for row in failed} == {"unavailable"}
    assert all("ZeroDivisionError: a fault" in str(row.error) for row in failed)
    assert all(row.verdict is None and row.claim_class is None for row in failed)
    assert all(row.attempt_rows.get().outcome == "unavailable" for row in failed)
    assert watched.calls["jobs-001-b"] == 1, "the same input meets the same fault"
    assert reconciled(run)


def test_a_rubric_that_cannot_run_as_released_judges_nothing_under_its_name(
    run: Run, watched: type[Watched]
) -> None:
    version = run.rubric_version
    assert version.definition is not None
    version.definition["judge"]["parameters"]["support_probability"] = 0.01
    version.save()
    judging.judge_batch(run.pk, worker="w")
    assert runs.outcomes(run)["unavailable"] == 11
    assert not watched.calls
    assert "released as sha256:" in str(run.judgments.values_list("error", flat=True)[0])


def test_no_row_is_claimed_twice_while_its_lease_lives(run: Run) -> None:
    first = claims.claim(run.pk)
    assert first is not None
    assert len(first.rows) == 11
    assert claims.claim(run.pk) is None
    lapse(first.token)
    second = claims.claim(run.pk)
    assert second is not None
    assert {row.pk for row in second.rows} <= {row.pk for row in first.rows}


def test_a_write_after_the_lease_is_refused_attempts_and_all(run: Run) -> None:
    """Row E2: the worker was stopped, another judged meanwhile, the first wakes."""
    first = claims.claim(run.pk)
    assert first is not None
    lapse(first.token)
    second = claims.claim(run.pk)
    assert second is not None
    row = Judgment.objects.get(pk=second.rows[0].pk)
    assert claims.record(first.token, [verdict(row, "contradictory")]) == []
    assert claims.record(second.token, [verdict(row, "supported")]) == [row.pk]
    assert claims.record(first.token, [verdict(row, "contradictory")]) == []
    assert claims.record(second.token, [verdict(row, "unsupported")]) == [], "written once"
    row.refresh_from_db()
    assert row.verdict == "supported"
    assert [attempt.raw for attempt in Attempt.objects.all()] == ["supported"]


def test_a_write_after_the_lease_is_refused_though_nobody_took_over(run: Run) -> None:
    claim = claims.claim(run.pk)
    assert claim is not None
    lapse(claim.token)
    assert claims.record(claim.token, [verdict(claim.rows[0], "supported")]) == []
    assert claims.renew(claim.token) == 0


def test_without_the_condition_a_late_write_would_replace_a_verdict(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control of the two tests above."""
    first = claims.claim(run.pk)
    assert first is not None
    lapse(first.token)
    second = claims.claim(run.pk)
    assert second is not None
    row = Judgment.objects.get(pk=second.rows[0].pk)
    monkeypatch.setattr(claims, "held_by", lambda token: Judgment.objects.all())
    claims.record(second.token, [Result(row.pk, verdict(row, "supported").values)])
    claims.record(first.token, [Result(row.pk, verdict(row, "contradictory").values)])
    row.refresh_from_db()
    assert row.verdict == "contradictory"


def test_cases_that_came_back_without_a_result_are_claimed_few_at_a_time_and_then_alone(
    run: Run,
) -> None:
    sizes = []
    for _ in range(3):
        claim = claims.claim(run.pk)
        assert claim is not None
        sizes.append((len({row.case_pk for row in claim.rows}), claim.suspect))
        lapse(claim.token)
        Judgment.objects.exclude(claims=len(sizes)).update(lease_until=timezone.now() + LONG)
    assert sizes == [(6, False), (5, True), (1, True)]


def test_rows_given_back_are_under_no_suspicion(run: Run) -> None:
    claim = claims.claim(run.pk)
    assert claim is not None
    first = claim.rows[0].pk
    assert claims.release(claim.token, [first]) == 1
    assert claims.release(claim.token) == 10
    assert set(run.judgments.values_list("claims", "lease", "lease_until")) == {(0, None, None)}
    assert claims.renew(claim.token) == 0


def test_a_worker_that_was_asked_to_stop_claims_nothing(
    run: Run, watched: type[Watched], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "FLUSH_SECONDS", 0)
    watched.on_call = lambda case_id: stopping.ask()
    judging.judge_batch(run.pk, worker="w")
    judging.judge_batch(run.pk, worker="w")
    assert sum(watched.calls.values()) == 1
    assert run.judgments.filter(outcome="graded").exists()
    assert not run.judgments.filter(outcome=None, lease_until__isnull=False).exists()
    assert not run.judgments.filter(outcome=None, claims__gt=0).exists()


def test_rows_that_are_claimed_too_often_fail_and_the_others_proceed(run: Run) -> None:
    """Row E6, with the worker's death played by a lease that runs out."""
    doomed = run.judgments.order_by("case_pk").values_list("case_pk", flat=True)[0]
    for _ in range(200):
        claim = claims.claim(run.pk)
        if claim is None:
            break
        if doomed in {row.case_pk for row in claim.rows}:
            lapse(claim.token)
        else:
            claims.record(claim.token, [verdict(row, "supported") for row in claim.rows])
    failed = run.judgments.filter(outcome="unavailable")
    assert set(failed.values_list("case_pk", flat=True)) == {doomed}
    assert set(failed.values_list("claims", flat=True)) == {claims.MAX_CLAIMS}
    assert all("claimed 3 times" in str(row.error) for row in failed)
    assert runs.outcomes(run)["graded"] == 11 - len(failed)
    assert reconciled(run)


def test_a_cancelled_run_is_asked_about_no_further(
    run: Run, watched: type[Watched], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "FLUSH_SECONDS", 0)
    watched.on_call = lambda case_id: runs.cancel(run)
    judging.judge_batch(run.pk, worker="w")
    assert sum(watched.calls.values()) == 1
    judged = run.judgments.filter(outcome="graded").count()
    assert 0 < judged < 11, "what was judged is kept"
    judging.judge_batch(run.pk, worker="w")
    assert sum(watched.calls.values()) == 1
    run.refresh_from_db()
    assert run.finished_at is None


def test_a_long_batch_renews_its_lease_while_it_works(
    run: Run, watched: type[Watched], monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    monkeypatch.setattr(judging, "FLUSH_SECONDS", 0.1)
    settings.JUDGMENT_LEASE_SECONDS = 1
    watched.seconds = 0.3
    judging.judge_batch(run.pk, worker="w")
    assert sum(watched.calls.values()) == 6
    assert runs.status(run) == "complete"


def test_a_worker_shows_itself_in_the_midst_of_a_long_batch(
    run: Run, watched: type[Watched], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "FLUSH_SECONDS", 0)
    seen = set()

    def note(case_id: str) -> None:
        seen.add(WorkerBeat.objects.get().seen_at)

    watched.on_call = note
    judging.judge_batch(run.pk, worker="w")
    assert len(seen) == 6


def test_repeats_are_judged_each_and_kept_each(
    small_set: CalibrationSet, rubric: RubricVersion, watched: type[Watched]
) -> None:
    run = runs.start(small_set, rubric, repeats=3)
    judging.judge_batch(run.pk, worker="w")
    assert set(watched.calls.values()) == {3}
    assert runs.outcomes(run)["graded"] == 33


def test_a_batch_takes_few_queries(
    run: Run, django_assert_max_num_queries: Any, watched: type[Watched]
) -> None:
    # The run is finished by it, and put in columns.
    with django_assert_max_num_queries(60):
        judging.judge_batch(run.pk, worker="w")


def _judge_together(run: Run, workers: int) -> None:
    """The same task at the same moment in as many threads."""
    gate = threading.Barrier(workers)

    def work(number: int) -> None:
        gate.wait(timeout=10)
        try:
            judging.judge_batch(run.pk, worker=f"w{number}")
        finally:
            connections.close_all()

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(work, range(workers)))


@pytest.mark.django_db(transaction=True)
def test_the_same_task_twice_at_once_asks_about_each_case_once(watched: type[Watched]) -> None:
    """Row E2."""
    watched.seconds = 0.05
    run = runs.start(cast.small(), rubrics.release(with_changes()).rubric_version)
    _judge_together(run, workers=4)
    assert watched.calls == Counter(dict.fromkeys(watched.calls, 1))
    assert sum(watched.calls.values()) == 6
    assert (
        Attempt.objects.values("judgment", "number").distinct().count() == Attempt.objects.count()
    )
    assert runs.status(run) == "complete"
    assert reconciled(run)


@pytest.mark.django_db(transaction=True)
def test_without_the_conditional_claim_the_same_task_twice_asks_twice(
    watched: type[Watched], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: a claim that takes rows whether or not someone holds them."""
    watched.seconds = 0.05

    def unconditional(self: JudgmentQuerySet, now: object) -> JudgmentQuerySet:
        return self.filter(outcome__isnull=True)

    monkeypatch.setattr(JudgmentQuerySet, "waiting", unconditional)
    run = runs.start(cast.small(), rubrics.release(with_changes()).rubric_version)
    _judge_together(run, workers=4)
    assert max(watched.calls.values()) > 1
