from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from calibration import rubrics, runs
from calibration.agreement import DEFAULT_SEED, between_humans
from calibration.comparing import choices
from calibration.rendering.between_humans import render
from calibration.reports import rating_sheets
from calibration.stats.alt_test import DEFAULT_EPSILON
from labeling import sets
from labeling.commands import Command as BaseCommand
from labeling.models import CalibrationSet


class Command(BaseCommand):
    help = (
        "How far annotators agree among themselves: Krippendorff's alpha and pairwise. With a "
        "judge beside: the human ceiling, and whether it may stand in for an annotator. Exit 0 "
        "whatever the figures say, 3 where no statement has two ratings."
    )

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("set", metavar="SLUG")
        parser.add_argument(
            "--against",
            metavar="RUBRIC@VERSION",
            help="put the latest finished run of this version beside people",
        )
        parser.add_argument(
            "--epsilon",
            type=float,
            default=DEFAULT_EPSILON,
            help="advantage given to the judge in an annotator's seat (default: %(default)s)",
        )
        parser.add_argument(
            "--seed",
            type=int,
            default=DEFAULT_SEED,
            help="of the resampling behind the intervals (default: %(default)s)",
        )

    def run(self, **options: Any) -> dict[str, Any]:
        calibration_set = sets.get(options["set"])
        measured = between_humans.measure(calibration_set, seed=options["seed"])
        if options["against"] is not None:
            measured["against"] = _beside(calibration_set, options)
        if not options["json"]:
            self.stdout.write(render(measured, calibration_set.slug), ending="")
        return measured


def _beside(calibration_set: CalibrationSet, options: dict[str, Any]) -> dict[str, Any]:
    run = choices.latest(options["against"], calibration_set)
    return {
        "rubric": rubrics.identity(run.rubric_version),
        "run": {"id": run.pk, "status": runs.status(run), "revision": run.revision},
        **rating_sheets.now(run, seed=options["seed"], epsilon=options["epsilon"]),
    }
