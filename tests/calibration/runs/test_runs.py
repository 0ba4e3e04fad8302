"""Runs: the frozen plan, figures by counting, the doorbell (rows E4, E5, D11; laws 1, 7)."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from calibration import bundles, judging, rubrics, runs
from calibration.models import Judgment, RubricVersion, Run, WorkerBeat
from grounding.errors import BadInput, Refused
from grounding.interchange.models import Outcome
from labeling import sets
from labeling.models import CalibrationSet
from tests import cast
from tests.calibration.bundles.bundle_fixtures import plain_case, write
from tests.cast import SMALL
from tests.grounding.rubric_examples import with_changes

KEYS = (
    *("planned", "graded", "unreadable", "invalid", "refused"),
    *("timeout", "unavailable", "missing", "too_long"),
)
EXAMPLE = {
    "statement": "Something else.",
    "context": [{"id": "p1", "text": "Something else entirely."}],
    "claim_class": "subject_specific",
    "verdict": "supported",
    "rationale": "Stated.",
}


def settle(run: Run, *, failed: int = 0) -> Run:
    """Give every row of a run an outcome, the first ``failed`` of them a failure."""
    rows = list(run.judgments.order_by("pk").values_list("pk", flat=True))
    run.judgments.filter(pk__in=rows[:failed]).update(outcome=Outcome.TIMEOUT.value)
    run.judgments.filter(pk__in=rows[failed:]).update(
        outcome=Outcome.GRADED.value, verdict="supported"
    )
    run.finished_at = timezone.now()
    run.save()
    return run


def test_the_plan_is_a_row_for_each_live_statement_and_repeat(
    small_set: CalibrationSet, rubric: RubricVersion
) -> None:
    run = runs.start(small_set, rubric, repeats=3)
    rows = set(run.judgments.values_list("statement", "repeat"))
    statements = [pk for pk, _ in runs.planned_statements(small_set, 1)]
    assert len(statements) == 11
    assert rows == {(pk, repeat) for pk in statements for repeat in range(3)}
    assert (run.planned, run.revision, run.failure_ceiling) == (33, 1, 0.05)
    assert runs.status(run) == "running"


def test_a_plan_stays_as_it_was_when_the_set_grows(
    small_set: CalibrationSet, rubric: RubricVersion
) -> None:
    run = runs.start(small_set, rubric)
    case = small_set.cases.order_by("position").first()
    assert case is not None
    case.superseded_in = 2
    case.save()
    CalibrationSet.objects.filter(pk=small_set.pk).update(revision=2)
    assert run.judgments.count() == 11
    again = runs.start(small_set, rubric)
    assert (again.revision, again.planned) == (2, 11 - case.statements.count())


def test_a_set_without_statements_is_not_run(rubric: RubricVersion) -> None:
    with pytest.raises(Refused, match="no statements"):
        runs.start(sets.get_or_create("empty"), rubric)
    assert not Run.objects.exists()


def test_a_recorded_version_is_not_run(small_set: CalibrationSet) -> None:
    with pytest.raises(Refused, match="recorded"):
        runs.start(small_set, rubrics.register_recorded("gpt-4", "1.0.0"))


@pytest.mark.parametrize("repeats", [0, -1, runs.MAX_REPEATS + 1])
def test_a_number_of_repeats_that_makes_no_sense_is_refused(
    small_set: CalibrationSet, rubric: RubricVersion, repeats: int
) -> None:
    with pytest.raises(BadInput, match="repeats"):
        runs.start(small_set, rubric, repeats=repeats)


@pytest.mark.parametrize(
    "shared",
    [
        {"pair_id": "jobs-001"},
        {"pair_id": "JOBS-001"},
        {"case_id": "order-417-a"},
        {
            "statement": "The report contains  three failed jobs.",
            "context": [{"id": "x", "text": "Nightly report 💊: 3 failed jobs, 2 skipped."}],
        },
    ],
)
def test_a_rubric_is_not_scored_on_a_case_that_it_shows_among_its_examples(
    small_set: CalibrationSet, shared: dict[str, Any]
) -> None:
    """Row D11: by pair, by case, and by text under another id."""
    leaking = rubrics.release(with_changes(examples=[EXAMPLE | shared])).rubric_version
    with pytest.raises(Refused, match=r"examples\.0"):
        runs.start(small_set, leaking)
    assert not Run.objects.exists()


def leaking(**example: Any) -> RubricVersion:
    return rubrics.release(with_changes(examples=[EXAMPLE | example])).rubric_version


def superseded(tmp_path: Path, case_id: str, **changes: Any) -> None:
    """A newer revision of a case of the small set."""
    lines = (SMALL / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    case = next(one for one in map(json.loads, lines) if one["case_id"] == case_id)
    bundles.import_set("small", write(tmp_path / "newer.jsonl", [case | changes]), supersede=True)


def test_what_a_case_said_before_it_was_superseded_gives_it_away(
    small_set: CalibrationSet, tmp_path: Path
) -> None:
    passage = {"id": "p1", "text": "Nightly report: 4 failed jobs.", "source": None}
    said = {"statement_id": "s1", "text": "Four jobs failed.", "expected": None}
    newer = {"context": [passage], "answer": "Four jobs failed.", "statements": [said]}
    shown = leaking(
        statement="The report contains three failed jobs.",
        context=[{"id": "x", "text": "Nightly report 💊: 3 failed jobs, 2 skipped."}],
    )
    superseded(tmp_path, "jobs-001-a", **newer, pair_id=None, pair_kind=None)
    with pytest.raises(Refused, match=r"examples\.0: has the statement and context"):
        runs.start(small_set, shown)


def test_a_pair_that_a_scored_case_has_left_gives_it_away(
    small_set: CalibrationSet, tmp_path: Path
) -> None:
    shown = leaking(pair_id="jobs-001")
    for side in "ab":
        superseded(tmp_path, f"jobs-001-{side}", pair_id=f"other-{side}")
    with pytest.raises(Refused, match=r"examples\.0: shares pair jobs-001"):
        runs.start(small_set, shown)


def test_a_case_that_came_after_the_release_gives_the_examples_away_from_then_on(
    small_set: CalibrationSet, tmp_path: Path
) -> None:
    shown = leaking(case_id="late-1-a", pair_id="late-1")
    before = runs.start(small_set, shown)
    late = plain_case(7, case_id="late-1-b", pair_id="late-1")
    bundles.import_set("small", write(tmp_path / "late.jsonl", [late]))
    with pytest.raises(Refused, match=r"examples\.0: shares pair late-1"):
        runs.start(small_set, shown)
    assert (before.planned, Run.objects.count()) == (11, 1)


def test_a_rubric_with_examples_of_its_own_is_scored(small_set: CalibrationSet) -> None:
    fair = rubrics.release(
        with_changes(examples=[EXAMPLE | {"pair_id": "elsewhere-1", "case_id": "elsewhere-1-a"}])
    ).rubric_version
    assert runs.start(small_set, fair).planned == 11


def test_outcomes_have_every_key_and_add_up_with_what_is_pending(
    small_set: CalibrationSet, rubric: RubricVersion
) -> None:
    run = runs.start(small_set, rubric)
    pks = list(run.judgments.order_by("pk").values_list("pk", flat=True))
    soon = timezone.now() + timedelta(seconds=60)
    for pk, outcome in zip(pks, [*Outcome], strict=False):
        verdict = "supported" if outcome is Outcome.GRADED else None
        Judgment.objects.filter(pk=pk).update(outcome=outcome.value, verdict=verdict)
    Judgment.objects.filter(pk__in=pks[8:10]).update(lease_until=soon)
    found = runs.outcomes(run)
    assert tuple(found) == KEYS
    assert found == {"planned": 11} | dict.fromkeys(KEYS[1:], 1)
    now = runs.progress(run)
    assert (now.waiting, now.leased, now.done, now.status) == (1, 2, 8, "running")
    assert sum(found[key] for key in KEYS[1:]) + now.waiting + now.leased == found["planned"]


@pytest.mark.parametrize(
    ("ceiling", "failed", "status"),
    [
        (0.05, 0, "complete"),
        (0.05, 1, "partial"),
        (1 / 11, 1, "complete"),
        (1 / 11, 2, "partial"),
        (0.0, 0, "complete"),
        (0.0, 1, "partial"),
        (1.0, 11, "complete"),
    ],
)
def test_a_run_is_complete_while_its_failures_are_within_the_ceiling(
    small_set: CalibrationSet, rubric: RubricVersion, ceiling: float, failed: int, status: str
) -> None:
    run = settle(runs.start(small_set, rubric), failed=failed)
    run.failure_ceiling = ceiling
    assert runs.status(run) == status


def test_the_ceiling_of_the_rubric_is_the_runs(small_set: CalibrationSet) -> None:
    lax = rubrics.release(with_changes(gate__failure_ceiling=0.5)).rubric_version
    run = settle(runs.start(small_set, lax), failed=5)
    assert runs.status(run) == "complete"
    assert runs.status(settle(runs.start(small_set, lax), failed=6)) == "partial"


def test_the_figures_of_a_run_take_a_fixed_number_of_queries(
    small_set: CalibrationSet, rubric: RubricVersion, django_assert_num_queries: Any
) -> None:
    for repeats in (1, 5):
        run = runs.start(small_set, rubric, repeats=repeats)
        with django_assert_num_queries(1):
            runs.outcomes(run)
        with django_assert_num_queries(1):
            runs.status(run)
        with django_assert_num_queries(2):
            runs.progress(run)


def test_a_run_without_a_worker_says_so_with_the_age_of_the_oldest_work(
    small_set: CalibrationSet, rubric: RubricVersion
) -> None:
    """Row E5."""
    run = runs.start(small_set, rubric)
    assert not runs.progress(run).worker_away, "a worker has a moment to show itself"
    long_ago = timezone.now() - timedelta(minutes=5)
    Run.objects.filter(pk=run.pk).update(started_at=long_ago)
    run.refresh_from_db()
    alone = runs.progress(run)
    assert (alone.worker_away, alone.worker_seen_at) == (True, None)
    assert alone.waiting_since == long_ago

    seen = timezone.now() - timedelta(minutes=2)
    WorkerBeat.objects.create(worker="w@h", seen_at=seen)
    assert runs.progress(run).worker_seen_at == seen
    assert runs.progress(run).worker_away
    WorkerBeat.objects.update(seen_at=timezone.now())
    assert not runs.progress(run).worker_away


def test_work_that_was_dropped_waits_since_its_lease_ran_out(
    small_set: CalibrationSet, rubric: RubricVersion
) -> None:
    run = runs.start(small_set, rubric)
    lapsed = timezone.now() - timedelta(seconds=30)
    run.judgments.update(lease_until=lapsed)
    assert runs.progress(run).waiting_since == lapsed
    settle(run)
    assert (runs.progress(run).waiting_since, runs.progress(run).rate) == (None, None)


def test_cancelling_is_for_runs_under_way(small_set: CalibrationSet, rubric: RubricVersion) -> None:
    run = runs.start(small_set, rubric)
    runs.cancel(run)
    first = run.cancelled_at
    runs.cancel(run)
    assert first is not None
    assert (run.cancelled_at, runs.status(run)) == (first, "cancelled")
    with pytest.raises(Refused, match="finished"):
        runs.cancel(settle(runs.start(small_set, rubric)))


def test_the_latest_finished_run_is_of_this_version_and_set_and_not_cancelled(
    small_set: CalibrationSet, rubric: RubricVersion
) -> None:
    assert runs.latest_finished(rubric, small_set) is None
    partial = settle(runs.start(small_set, rubric), failed=11)
    assert runs.latest_finished(rubric, small_set) == partial
    later = settle(runs.start(small_set, rubric))
    runs.start(small_set, rubric)
    runs.cancel(runs.start(small_set, rubric))
    assert runs.latest_finished(rubric, small_set) == later
    other = cast.small("other")
    assert runs.latest_finished(rubric, other) is None


def test_the_baseline_is_the_first_complete_run_of_the_major_line(
    small_set: CalibrationSet, rubric: RubricVersion, django_assert_num_queries: Any
) -> None:
    minor = rubrics.release(with_changes(version="1.1.0", prompts__verify="x")).rubric_version
    major = rubrics.release(
        with_changes(version="2.0.0", prompts__verify="x", verdict_mapping__refuted="unsupported")
    ).rubric_version
    settle(runs.start(small_set, rubric), failed=3)
    settle(runs.start(small_set, major))
    assert runs.baseline("groundedness", 1, small_set) is None, "a partial run is none"
    first = settle(runs.start(small_set, minor))
    settle(runs.start(small_set, rubric))
    # The runs, then a count for the partial one and for the first that is complete: no further.
    with django_assert_num_queries(3):
        assert runs.baseline("groundedness", 1, small_set) == first
    assert runs.baseline("groundedness", 3, small_set) is None
    assert rubrics.register_recorded("groundedness", "1.2.0").major is None
    assert runs.baseline("groundedness", 1, cast.small("other")) is None


@pytest.mark.django_db(transaction=True)
def test_a_start_that_is_rolled_back_rings_for_nobody(rings: Callable[[], int]) -> None:
    """Row E4: no ghost task."""
    small_set, rubric = cast.small(), rubrics.release(with_changes()).rubric_version
    with transaction.atomic():
        runs.start(small_set, rubric)
        transaction.set_rollback(True)
    assert (rings(), Run.objects.count(), Judgment.objects.count()) == (0, 0, 0)


@pytest.mark.django_db(transaction=True)
def test_a_start_that_commits_late_rings_only_then(rings: Callable[[], int]) -> None:
    """Row E4: a worker that answers the ring at once finds the run."""
    small_set, rubric = cast.small(), rubrics.release(with_changes()).rubric_version
    with transaction.atomic():
        run = runs.start(small_set, rubric)
        assert rings() == 0
    assert rings() == 1
    judging.judge_batch(run.pk, worker="w")
    assert runs.status(run) == "complete"


def test_a_message_for_a_run_that_is_not_there_does_nothing(db: None) -> None:
    judging.judge_batch(404, worker="w")
    assert not Judgment.objects.exists()
