from __future__ import annotations

from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from labeling import commands, sets
from labeling.cases import checks


class Command(commands.Command):
    help = "Lint a calibration set; exit 1 where there are findings."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument(
            "--minimum",
            type=int,
            default=checks.MIN_CELL,
            help="statements that each class and verdict needs (default %(default)s; 0: none)",
        )

    def run(self, **options: Any) -> dict[str, Any]:
        findings = checks.lint(sets.get(options["slug"]), minimum=options["minimum"])
        for finding in findings:
            self.say(f"{finding.kind}: {finding.case_id or 'the set'}: {finding.message}")
        self.say(f"{len(findings)} findings" if findings else "nothing found")
        self.exit_code = commands.RED if findings else commands.DONE
        return {"findings": [asdict(finding) for finding in findings]}
