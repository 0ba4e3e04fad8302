"""`manage.py checks RUBRIC@VERSION SLUG`."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from calibration import rubrics
from calibration.readings import checkup
from calibration.rendering import checkup as rendering
from labeling import sets
from labeling.commands import Command as BaseCommand


class Command(BaseCommand):
    help = (
        "The checks of a rubric version's judge on a set: agreement with itself, planted orders, "
        "closed book, order and length of the context; “not run” where there is nothing. Exit 0 "
        "whatever the figures say."
    )

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("rubric", metavar="RUBRIC@VERSION")
        parser.add_argument("set", metavar="SLUG")

    def run(self, **options: Any) -> dict[str, Any]:
        found = checkup.full(rubrics.get(options["rubric"]), sets.get(options["set"]))
        if not options["json"]:
            self.stdout.write(rendering.render(found), ending="")
        return found
