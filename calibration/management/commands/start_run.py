"""`manage.py start_run RUBRIC@VERSION SLUG`."""

from __future__ import annotations

from argparse import ArgumentParser
from contextlib import nullcontext
from datetime import datetime, timedelta
from time import sleep
from typing import Any, Final

from django.utils import timezone

from calibration import rubrics, runs, workers
from calibration.models import Run
from grounding.errors import Unavailable
from labeling import sets
from labeling.commands import FAILED
from labeling.commands import Command as BaseCommand

WORKER_PATIENCE: Final = timedelta(seconds=30)
# A worker of one's own is coming, however slow the machine.
OWN_WORKER_PATIENCE: Final = timedelta(seconds=120)
LOOK_SECONDS: Final = 0.3


class Command(BaseCommand):
    help = "Run a rubric version over a set; with --wait, until every outcome is there."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("rubric", metavar="RUBRIC@VERSION")
        parser.add_argument("slug", metavar="SLUG")
        parser.add_argument("--wait", action="store_true", help="until the run is finished")
        parser.add_argument("--repeats", type=int, default=1)

    def run(self, **options: Any) -> dict[str, Any]:
        calibration_set = sets.get(options["slug"])
        version = rubrics.get(options["rubric"])
        run = runs.start(calibration_set, version, repeats=options["repeats"])
        self.say(f"run {run.pk} of {version} on {calibration_set}: {run.planned} judgments planned")
        if options["wait"]:
            self._wait(run)
        outcomes = runs.outcomes(run)
        status = runs.status(run)
        if options["wait"] and not outcomes["graded"]:
            self.exit_code = FAILED
            self.say(f"run {run.pk} is {status}, and nothing was graded")
        return {"run": run.pk, "status": status, "outcomes": outcomes}

    def _wait(self, run: Run) -> None:
        """Until nothing is planned any more, with a worker of its own where it must."""
        worker = workers.worker() if workers.embedded_broker() else None
        with workers.supervised(worker) if worker else nullcontext():
            patience = OWN_WORKER_PATIENCE if worker else WORKER_PATIENCE
            since = timezone.now()
            while (now := runs.progress(run)).status == "running":
                self._show(now)
                _require_worker(run, now, since, patience)
                sleep(LOOK_SECONDS)
                if worker:
                    worker.tend()
            self._show(now, last=True)
        run.refresh_from_db()

    def _show(self, progress: runs.Progress, *, last: bool = False) -> None:
        rate = f", {progress.rate:.0f}/s" if progress.rate else ""
        self.show(progress.done, progress.planned, f"judged{rate}", last=last)


def _require_worker(
    run: Run, progress: runs.Progress, since: datetime, patience: timedelta
) -> None:
    seen = max(filter(None, (since, progress.worker_seen_at)))
    if progress.now - seen > patience:
        raise Unavailable(
            f"no worker for {patience.seconds} s: run {run.pk} waits with "
            f"{progress.planned - progress.done} of {progress.planned} judgments to do"
        )
