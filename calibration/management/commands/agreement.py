from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from calibration import between_humans
from calibration.agreement import DEFAULT_SEED
from calibration.rendering.between_humans import render
from labeling import sets
from labeling.commands import Command as BaseCommand


class Command(BaseCommand):
    help = "How far annotators agree among themselves: Krippendorff's alpha and pairwise."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("set", metavar="SLUG")
        parser.add_argument(
            "--seed",
            type=int,
            default=DEFAULT_SEED,
            help="of the resampling behind the intervals (default: %(default)s)",
        )

    def run(self, **options: Any) -> dict[str, Any]:
        calibration_set = sets.get(options["set"])
        measured = between_humans.measure(calibration_set, seed=options["seed"])
        if not options["json"]:
            self.stdout.write(render(measured, calibration_set.slug), ending="")
        return measured
