"""What workers are asked to do: one call each, with ids for arguments."""

from __future__ import annotations

from celery import Task, shared_task

from calibration import judging
from calibration.judging import reconciler


@shared_task(bind=True, ignore_result=True)  # type: ignore[untyped-decorator]
def judge(self: Task, run_id: int) -> None:
    judging.judge_batch(run_id, worker=self.request.hostname)


@shared_task(bind=True, ignore_result=True)  # type: ignore[untyped-decorator]
def reconcile(self: Task) -> None:
    reconciler.reconcile(worker=self.request.hostname)
