"""`manage.py regression_suite SLUG`."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from calibration import asked
from calibration.agreement import DEFAULT_SEED
from calibration.planner import suites
from calibration.rendering.plan import render_suite
from labeling import queues, sets
from labeling.commands import Command as BaseCommand
from labeling.commands import add_reference


class Command(BaseCommand):
    help = (
        "Pairs proposed as a regression suite, balanced over cells of class and verdict; fifty to "
        "a hundred are enough to run on every change. --out writes them as a bundle that "
        "import_set reads. Nothing in it depends on a judge."
    )

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("set", metavar="SLUG")
        parser.add_argument(
            "--size", default=str(suites.SIZE), help="how many pairs (default: %(default)s)"
        )
        parser.add_argument(
            "--seed",
            default=str(DEFAULT_SEED),
            help="of the draw among pairs that would serve alike (default: %(default)s)",
        )
        add_reference(parser)
        parser.add_argument(
            "--out", metavar="PATH", help="write the bundle there: NAME.zip, or a new folder"
        )

    def run(self, **options: Any) -> dict[str, Any]:
        held = sets.get(options["set"])
        how: dict[str, Any] = {
            "size": asked.whole(options["size"], "size", least=1, most=suites.MOST),
            "seed": asked.whole(options["seed"], "seed", most=queues.MAX_SEED),
            "minimum": options["reference"],
        }
        out = options["out"]
        suite = suites.write(held, out, **how) if out else suites.propose(held, **how)
        document = suites.full(held, suite, out)
        if not options["json"]:
            self.stdout.write(render_suite(document), ending="")
        if out:
            self.say(f"{len(suite.pairs)} pairs written to {out}")
        return document
