"""`manage.py gate RUBRIC@VERSION SLUG`."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from calibration import gate, rubrics
from calibration.gate.gating import FAIL, INCONCLUSIVE, PASS
from calibration.rendering import gate as rendering
from labeling import sets
from labeling.commands import DONE, RED, Rendered
from labeling.commands import INCONCLUSIVE as TOO_FEW

EXIT = {PASS: DONE, FAIL: RED, INCONCLUSIVE: TOO_FEW}


class Command(Rendered):
    formats = rendering.FORMATS
    help = (
        "A rubric version's own gate policy on its latest complete run, against labels by people. "
        "Exit 0 pass, 1 fail, 2 inconclusive, 3 where nothing could be measured."
    )

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("rubric", metavar="RUBRIC@VERSION")
        parser.add_argument("set", metavar="SLUG")
        parser.add_argument("--junit", type=Path, metavar="FILE", help="write JUnit XML too")

    def run(self, **options: Any) -> dict[str, Any]:
        version = rubrics.get(options["rubric"])
        document = gate.full(version, gate.measure(version, sets.get(options["set"])))
        if options["junit"]:
            options["junit"].write_text(rendering.junit(document), encoding="utf-8")
        if not options["json"]:
            self.stdout.write(rendering.render(document, options["format"]), ending="")
        self.exit_code = EXIT[document["result"]]
        return document
