"""The reconciler: what a dead worker or an emptied broker dropped is taken up again."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from calibration import judging, rubrics, runs
from calibration.judging import reconciler
from calibration.models import Judgment, Run, WorkerBeat
from calibration.runs import claims
from tests import cast
from tests.grounding.rubric_examples import with_changes

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def run(rings: Callable[[], int]) -> Run:
    started = runs.start(cast.small(), rubrics.release(with_changes()).rubric_version)
    assert rings() == 1
    return started


def test_it_rings_for_work_that_waits(run: Run, rings: Callable[[], int]) -> None:
    reconciler.reconcile(worker="w@h")
    assert rings() == 1 + runs.PARALLEL
    assert WorkerBeat.objects.get().worker == "w@h"


def test_it_rings_once_where_someone_is_at_work(run: Run, rings: Callable[[], int]) -> None:
    one = run.judgments.order_by("pk").values_list("pk", flat=True)[0]
    Judgment.objects.filter(pk=one).update(lease_until=timezone.now() + timedelta(seconds=60))
    reconciler.reconcile(worker="w")
    assert rings() == 2


def test_work_whose_lease_ran_out_waits_again(run: Run, rings: Callable[[], int]) -> None:
    assert claims.claim(run.pk) is not None
    before = rings()
    reconciler.reconcile(worker="w")
    assert rings() == before, "held, so nobody is called"
    Judgment.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    reconciler.reconcile(worker="w")
    assert rings() > before
    while claims.waits(run.pk):
        judging.judge_batch(run.pk, worker="w")
    assert runs.status(run) == "complete"


def test_it_marks_a_run_whose_count_is_even(run: Run) -> None:
    Judgment.objects.update(outcome="timeout")
    reconciler.reconcile(worker="w")
    run.refresh_from_db()
    assert run.finished_at is not None
    first = run.finished_at
    reconciler.reconcile(worker="w")
    run.refresh_from_db()
    assert run.finished_at == first


def test_it_leaves_a_cancelled_run_alone(run: Run, rings: Callable[[], int]) -> None:
    runs.cancel(run)
    before = rings()
    reconciler.reconcile(worker="w")
    assert rings() == before
    Judgment.objects.update(outcome="timeout")
    reconciler.reconcile(worker="w")
    run.refresh_from_db()
    assert run.finished_at is None


def test_workers_of_yesterday_are_forgotten() -> None:
    old = timezone.now() - timedelta(days=2)
    WorkerBeat.objects.create(worker="old", seen_at=old)
    reconciler.reconcile(worker="new")
    assert WorkerBeat.objects.get().worker == "new"
