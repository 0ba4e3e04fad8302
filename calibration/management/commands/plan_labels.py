"""`manage.py plan_labels SLUG`."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from calibration import planner
from calibration.planner import Asked
from calibration.rendering.plan import render
from labeling import sets
from labeling.commands import Command as BaseCommand

FIELDS = {
    "margin": "half the width that each cell's 95%% interval may have",
    "share": "the rate that is to be measured in a cell; one half is the worst",
    "design_effect": "by how much clusters widen an interval, where that was measured (default: "
    "as if statements of a pair, else of a case, stood and fell together)",
    "limit": "how many statements to list",
    "seed": "of the draw among statements that would serve alike",
}


class Command(BaseCommand):
    help = (
        "How many more labels each cell of class and verdict needs for an interval of ± the "
        "margin, and which statements to label next. Nothing in it depends on a judge."
    )

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("set", metavar="SLUG")
        for name, told in FIELDS.items():
            default = getattr(Asked(), name)
            said = told if default is None else f"{told} (default: {default})"
            parser.add_argument(f"--{name.replace('_', '-')}", default="", help=said)

    def run(self, **options: Any) -> dict[str, Any]:
        terms = planner.read({name: options[name] for name in FIELDS})
        held = sets.get(options["set"])
        planned = planner.document(held, planner.plan(held, terms))
        if not options["json"]:
            self.stdout.write(render(planned), ending="")
        return planned
