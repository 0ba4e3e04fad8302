from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from calibration import rendering, reports
from calibration.agreement import DEFAULT_SEED
from calibration.comparing import choices
from labeling import sets
from labeling.commands import Rendered, add_reference


class Command(Rendered):
    formats = rendering.FORMATS
    help = (
        "The agreement report of a rubric version's latest finished run on a set. Exit 0 whatever "
        "the figures say, 3 where nothing was graded."
    )

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("rubric", metavar="RUBRIC@VERSION")
        parser.add_argument("set", metavar="SLUG")
        parser.add_argument("--run", type=int, metavar="ID", help="this run, not the latest")
        add_reference(parser)
        parser.add_argument(
            "--seed",
            type=int,
            default=DEFAULT_SEED,
            help="of the resampling behind the coefficients' intervals (default: %(default)s)",
        )

    def run(self, **options: Any) -> dict[str, Any]:
        run = choices.finished(options["rubric"], sets.get(options["set"]), options["run"])
        report = reports.create(run, minimum=options["reference"], seed=options["seed"])
        if options["json"]:
            return reports.full(report)
        form = options["format"]
        document = reports.full(report, most=rendering.most_listed(form))
        self.stdout.write(rendering.render(document, form), ending="")
        return document
