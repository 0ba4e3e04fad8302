"""`manage.py import_judgments SLUG FILE`."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from calibration import runs
from calibration.bundles import recorded
from labeling import sets
from labeling.commands import Command as BaseCommand


class Command(BaseCommand):
    help = "Keep results that were recorded elsewhere as a run; the same file again adds nothing."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", metavar="SLUG")
        parser.add_argument("file", type=Path, metavar="FILE")

    def run(self, **options: Any) -> dict[str, Any]:
        calibration_set = sets.get(options["slug"])
        path: Path = options["file"]
        with path.open("rb") as stream:
            imported = recorded.import_judgments(calibration_set, stream, source=path.name)
        run, version = imported.run, imported.run.rubric_version
        self.say(
            f"run {run.pk} of {version} " + ("added" if imported.added else "was there already")
        )
        return {
            "run": run.pk,
            "rubric": version.name,
            "version": version.version,
            "outcomes": runs.outcomes(run),
        }
