"""`manage.py versions RUBRIC SLUG`."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from calibration import rendering, versions
from calibration.agreement import DEFAULT_SEED
from labeling import sets
from labeling.commands import FAILED, Rendered, add_reference


class Command(Rendered):
    formats = rendering.FORMATS
    help = (
        "A rubric's versions on a set, scope by scope on the same statements: leniency against the "
        "baseline, a line for each cell, several runs of one version, drift over time, and how "
        "often the hold-out was looked at. Exit 0 whatever the figures say; 3 where no version has "
        "a finished run."
    )

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("rubric", metavar="RUBRIC")
        parser.add_argument("set", metavar="SLUG")
        add_reference(parser)
        parser.add_argument("--seed", type=int, default=DEFAULT_SEED)

    def run(self, **options: Any) -> dict[str, Any]:
        held = sets.get(options["set"])
        reading = versions.read(
            options["rubric"], held, minimum=options["reference"], seed=options["seed"]
        )
        document = versions.full(reading)
        if not document["blocks"]:
            self.exit_code = FAILED
            self.say(f"no version of {options['rubric']} has a finished run on {held}")
        elif not options["json"]:
            self.stdout.write(rendering.render_versions(document, options["format"]), ending="")
        return document
