"""`manage.py production RUBRIC@VERSION SLUG --supported K --judged N`."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from calibration import production, reports
from calibration.comparing import choices
from calibration.rendering.production import render
from calibration.stats.production import NONE_JUDGED
from grounding.errors import Refused
from labeling import sets
from labeling.commands import Command as BaseCommand
from labeling.commands import add_reference


class Command(BaseCommand):
    help = (
        "What a judge's score of production means: the share of supported statements, raw and "
        "corrected for the errors that the judge makes on the labelled statements of a set, by "
        "Rogan and Gladen and by prediction-powered inference. Exit 0 whatever the figures say, 3 "
        "where nothing was graded, here or in production."
    )

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("rubric", metavar="RUBRIC@VERSION")
        parser.add_argument("set", metavar="SLUG")
        parser.add_argument(
            "--supported",
            required=True,
            metavar="K",
            help="statements in production that the judge called supported",
        )
        parser.add_argument(
            "--judged",
            required=True,
            metavar="N",
            help="of how many that it called supported, unsupported or contradictory; what it "
            "called not applicable, and its failures, are in neither",
        )
        parser.add_argument(
            "--effective-n",
            default="",
            metavar="E",
            help="how many independent statements those are worth, where several stand in one "
            "answer (default: N, as if each stood alone)",
        )
        parser.add_argument("--run", type=int, metavar="ID", help="this run, not the latest")
        add_reference(parser)

    def run(self, **options: Any) -> dict[str, Any]:
        given = production.read(options["supported"], options["judged"], options["effective_n"])
        if not given.judged:
            raise Refused(NONE_JUDGED)
        run = choices.finished(options["rubric"], sets.get(options["set"]), options["run"])
        measured = production.measure(reports.create(run, minimum=options["reference"]), given)
        if not options["json"]:
            self.stdout.write(render(measured), ending="")
        return measured
