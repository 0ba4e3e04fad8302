"""`manage.py start_run RUBRIC@VERSION SLUG`, and `start_run --rerun RUN`."""

from __future__ import annotations

from argparse import ArgumentParser
from contextlib import nullcontext
from datetime import datetime, timedelta
from time import sleep
from typing import Any, Final

from django.utils import timezone

from calibration import rubrics, runs, workers
from calibration.models import RubricVersion, Run
from calibration.runs import estimates, probes, rounds
from calibration.runs.probes import Probe
from calibration.runs.spending import Budget
from grounding.errors import BadInput, Unavailable
from labeling import sets
from labeling.commands import FAILED
from labeling.commands import Command as BaseCommand
from labeling.models import CalibrationSet

WORKER_PATIENCE: Final = timedelta(seconds=30)
# A worker of one's own is coming, however slow the machine.
OWN_WORKER_PATIENCE: Final = timedelta(seconds=120)
LOOK_SECONDS: Final = 0.3


class Command(BaseCommand):
    help = "Run a rubric version over a set; with --wait, until every outcome is there."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("rubric", metavar="RUBRIC@VERSION", nargs="?")
        parser.add_argument("slug", metavar="SLUG", nargs="?")
        parser.add_argument("--wait", action="store_true", help="until the run is finished")
        parser.add_argument("--repeats", type=int, default=1)
        parser.add_argument("--rerun", metavar="RUN", type=int, help="judge its failures again")
        parser.add_argument(
            "--probe", choices=probes.KINDS, help="of the cases told otherwise, to measure nothing"
        )
        parser.add_argument("--seed", type=int, help="of the probe")
        parser.add_argument(
            "--characters", type=int, help="that a probe of the length fills contexts up to"
        )
        parser.add_argument("--max-calls", type=int, help="no more calls than these")
        parser.add_argument("--max-tokens", type=int, help="no more tokens, sent and answered")
        parser.add_argument("--max-cost", type=float, help="in the currency of the rubric")

    def run(self, **options: Any) -> dict[str, Any]:
        run = self._again(options) if options["rerun"] is not None else self._started(options)
        if options["wait"]:
            self._wait(run)
        outcomes = runs.outcomes(run)
        status = runs.status(run)
        if options["wait"] and not outcomes["graded"]:
            self.exit_code = FAILED
            self.say(f"run {run.pk} is {status}, and nothing was graded")
        return {"run": run.pk, "status": status, "outcomes": outcomes}

    def _started(self, options: dict[str, Any]) -> Run:
        if not options["rubric"] or not options["slug"]:
            raise BadInput("say which RUBRIC@VERSION on which SLUG, or which run with --rerun")
        calibration_set = sets.get(options["slug"])
        version = rubrics.get(options["rubric"])
        probe = _probe(options)
        self._estimate(version, calibration_set, options["repeats"], probe)
        run = runs.start(
            calibration_set,
            version,
            repeats=options["repeats"],
            budget=_budget(options),
            probe=probe,
        )
        self.say(f"run {run.pk} of {version} on {calibration_set}: {run.planned} judgments planned")
        return run

    def _again(self, options: dict[str, Any]) -> Run:
        if options["rubric"] is not None:
            raise BadInput("--rerun takes up a run as it is: leave RUBRIC@VERSION and SLUG out")
        found = runs.get(options["rerun"])
        budget = _budget(options)
        run = rounds.rerun(found, None if budget == runs.NO_BUDGET else budget)
        waiting = runs.progress(run).waiting
        self.say(f"run {run.pk}, round {run.round}: {waiting} failed judgments are made again")
        return run

    def _estimate(
        self,
        version: RubricVersion,
        calibration_set: CalibrationSet,
        repeats: int,
        probe: Probe | None,
    ) -> None:
        definition = rubrics.definition_of(version)
        if estimates.calls(definition):
            expected = estimates.of(definition, calibration_set, repeats, probe)
            cost = (
                f", {expected.cost:,.2f} {expected.currency}" if expected.cost is not None else ""
            )
            tokens = f"{expected.input_tokens:,} tokens sent, {expected.output_tokens:,} answered"
            self.say(f"expected: about {expected.calls:,} calls, {tokens}{cost}")

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


def _probe(options: dict[str, Any]) -> Probe | None:
    if options["probe"] is not None:
        return probes.probe(
            options["probe"], seed=options["seed"], characters=options["characters"]
        )
    for name in ("seed", "characters"):
        if options[name] is not None:
            raise BadInput("goes with --probe alone", field=name)
    return None


def _budget(options: dict[str, Any]) -> Budget:
    return Budget(options["max_calls"], options["max_tokens"], options["max_cost"])


def _require_worker(
    run: Run, progress: runs.Progress, since: datetime, patience: timedelta
) -> None:
    seen = max(filter(None, (since, progress.worker_seen_at)))
    if progress.now - seen > patience:
        raise Unavailable(
            f"no worker for {patience.seconds} s: run {run.pk} waits with "
            f"{progress.planned - progress.done} of {progress.planned} judgments to do"
        )
