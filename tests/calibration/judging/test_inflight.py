"""Many cases in flight for one worker: one outcome a row, leases kept, calls broken off."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from calibration import bundles, judging, rubrics, runs
from calibration.judging import inflight
from calibration.models import Attempt, Judgment, Run
from calibration.runs import claims
from calibration.workers import stopping
from grounding.judges import registry
from labeling import sets
from labeling.models import CalibrationSet
from tests.calibration.judging.waiting_judge import WaitingJudge
from tests.grounding.rubric_examples import with_changes


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[WaitingJudge]]:
    monkeypatch.setattr(registry, "FACTORIES", {"lexical": WaitingJudge})
    monkeypatch.setattr(registry, "COMPUTING", frozenset())
    monkeypatch.setattr(inflight, "FLUSH_SECONDS", 0.1)
    WaitingJudge.reset()
    yield WaitingJudge
    stopping.forget()


def lamps(tmp_path: Path, number: int) -> CalibrationSet:
    lines = []
    for index in range(number):
        text = f"Lamp {index} burns for {index + 3} hours."
        case = {
            "case_id": f"lamp-{index}",
            "context": [{"id": "p1", "text": text}],
            "answer": text,
            "statements": [{"statement_id": "s1", "text": text}],
        }
        lines.append(json.dumps(case))
    path = tmp_path / "lamps.jsonl"
    path.write_text("\n".join(lines) + "\n")
    bundles.import_set("lamps", path)
    return sets.get("lamps")


def started(held: CalibrationSet, **options: Any) -> Run:
    return runs.start(held, rubrics.release(with_changes()).rubric_version, **options)


@pytest.mark.django_db
def test_cases_are_in_flight_together_and_each_row_gets_one_outcome(
    judge: type[WaitingJudge], tmp_path: Path
) -> None:
    judge.seconds = {"each": 0.1}
    run = started(lamps(tmp_path, 100), repeats=2)
    before = time.monotonic()
    judging.judge_batch(run.pk, worker="w")
    took = time.monotonic() - before
    assert runs.status(run) == "complete"
    assert set(judge.calls.values()) == {2}
    assert runs.outcomes(run)["graded"] == 200
    attempts = Attempt.objects.values_list("judgment", "number")
    assert len(attempts) == len(set(attempts)) > 0
    assert judge.most > 32
    assert took < 10, "one after the other they take 20 s"
    assert judge.threads == {"judging"}


@pytest.mark.django_db
def test_no_slot_waits_for_the_slowest_of_a_batch(
    judge: type[WaitingJudge], tmp_path: Path, settings: Any
) -> None:
    """Two cases take long; while they are in flight, all others come and go."""
    settings.JUDGE_CONCURRENCY = 4
    judge.seconds = {"each": 0.02, "lamp-0": 1.5, "lamp-1": 1.5}
    run = started(lamps(tmp_path, 60))
    seen: list[int] = []

    def note(case_id: str) -> None:
        if case_id == "lamp-59":
            seen.append(judge.under_way)

    judge.on_call = note
    before = time.monotonic()
    judging.judge_batch(run.pk, worker="w")
    assert seen[0] >= 3, "the last began while the slow ones were in flight"
    assert time.monotonic() - before < 3
    assert runs.status(run) == "complete"


@pytest.mark.django_db
def test_a_single_call_may_outlast_the_lease(
    judge: type[WaitingJudge], small_set: CalibrationSet, settings: Any
) -> None:
    settings.JUDGMENT_LEASE_SECONDS = 1
    judge.seconds = {"jobs-001-a": 1.6}
    run = started(small_set)
    judging.judge_batch(run.pk, worker="w")
    assert runs.status(run) == "complete"
    assert set(judge.calls.values()) == {1}


@pytest.mark.django_db
def test_without_renewal_the_same_call_is_made_again(
    judge: type[WaitingJudge],
    small_set: CalibrationSet,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The control of the test above."""
    settings.JUDGMENT_LEASE_SECONDS = 1
    judge.seconds = {"jobs-001-a": 1.6}
    monkeypatch.setattr(claims, "renew", lambda token: 1)
    run = started(small_set)
    judging.judge_batch(run.pk, worker="w")
    assert judge.calls["jobs-001-a"] > 1 or runs.status(run) == "running"


@pytest.mark.django_db
def test_cancelling_breaks_off_what_is_in_flight_and_keeps_what_was_judged(
    judge: type[WaitingJudge], tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.JUDGE_CONCURRENCY = 4
    judge.seconds = {"each": 60.0, "lamp-0": 0.01}
    run = started(lamps(tmp_path, 20))
    real, looks = claims.goes_on, iter(range(100))

    def cancelled_later(run_pk: int) -> bool:
        if next(looks) == 3:
            runs.cancel(run)
        return real(run_pk)

    monkeypatch.setattr(claims, "goes_on", cancelled_later)
    before = time.monotonic()
    judging.judge_batch(run.pk, worker="w")
    assert time.monotonic() - before < 10
    assert runs.outcomes(run)["graded"] == 1
    assert (judge.under_way, judge.broken_off) == (0, sum(judge.calls.values()) - 1)
    calls = sum(judge.calls.values())
    judging.judge_batch(run.pk, worker="w")
    assert sum(judge.calls.values()) == calls


@pytest.mark.django_db
def test_a_lost_lease_breaks_off_what_is_in_flight(
    judge: type[WaitingJudge], small_set: CalibrationSet, settings: Any
) -> None:
    settings.JUDGMENT_LEASE_SECONDS = 1
    judge.seconds = {"each": 60.0}
    run = started(small_set)
    taken_over = threading.Event()
    real = claims.renew

    def taken(token: Any) -> int:
        Judgment.objects.filter(run=run).update(
            lease=None, lease_until=timezone.now() + timedelta(minutes=5)
        )
        taken_over.set()
        return real(token)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(claims, "renew", taken)
        judging.judge_batch(run.pk, worker="w")
    assert taken_over.is_set()
    assert (judge.under_way, judge.broken_off) == (0, 6)
    assert runs.outcomes(run)["graded"] == 0


@pytest.mark.django_db
def test_asked_to_stop_it_records_what_lands_and_gives_back_the_rest(
    judge: type[WaitingJudge], tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.JUDGE_CONCURRENCY = 4
    monkeypatch.setattr(inflight, "GRACE_SECONDS", 0.5)
    judge.seconds = {"each": 0.3, "lamp-1": 60.0}
    judge.on_call = lambda case_id: stopping.ask()
    run = started(lamps(tmp_path, 30))
    judging.judge_batch(run.pk, worker="w")
    rows = Judgment.objects.filter(run=run)
    assert rows.filter(outcome="graded").count() == sum(judge.calls.values()) - 1
    assert judge.broken_off == 1
    assert 1 < sum(judge.calls.values()) < 30
    left = set(rows.filter(outcome=None).values_list("lease", "lease_until", "claims"))
    assert left == {(None, None, 0)}


@pytest.mark.django_db
def test_a_fault_of_the_judges_own_code_fails_its_case_alone(
    judge: type[WaitingJudge], small_set: CalibrationSet
) -> None:
    judge.breaks_on = "jobs-001-b"
    run = started(small_set)
    judging.judge_batch(run.pk, worker="w")
    failed = run.judgments.exclude(outcome="graded").select_related("statement__case")
    assert {row.statement.case.case_id for row in failed} == {"jobs-001-b"}
    assert {row.outcome for row in failed} == {"unavailable"}
    assert judge.calls["jobs-001-b"] == 1


@pytest.mark.django_db
def test_cases_under_suspicion_are_in_flight_without_company(
    judge: type[WaitingJudge], tmp_path: Path
) -> None:
    """Row E6: what takes its worker down takes at most its own few along, and at last none."""
    run = started(lamps(tmp_path, 30))
    rows = Judgment.objects.filter(run=run).order_by("pk")
    Judgment.objects.filter(pk__in=[row.pk for row in rows[:12]]).update(claims=1)
    Judgment.objects.filter(pk__in=[row.pk for row in rows[:2]]).update(claims=2)
    together: dict[str, int] = {}
    judge.on_call = lambda case_id: together.update({case_id: judge.under_way})
    judging.judge_batch(run.pk, worker="w")
    assert runs.status(run) == "complete"
    assert max(together[f"lamp-{n}"] for n in range(2)) == 1
    assert max(together[f"lamp-{n}"] for n in range(2, 12)) == 5
    assert max(together.values()) > 5


@pytest.mark.django_db
def test_a_session_ends_when_its_turn_is_over_and_rings_for_the_rest(
    judge: type[WaitingJudge], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.JUDGE_CONCURRENCY = 2
    monkeypatch.setattr(inflight, "TURN_SECONDS", 0.3)
    judge.seconds = {"each": 0.1}
    held = lamps(tmp_path, 60)
    run, other = started(held), started(held)
    judging.judge_batch(run.pk, worker="w")
    assert 0 < runs.outcomes(run)["graded"] < 60
    assert not run.judgments.filter(lease_until__isnull=False).exists()
    runs.cancel(other)
    judging.judge_batch(run.pk, worker="w")
    assert runs.status(run) == "complete"
