from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from calibration import bundles
from labeling import commands


class Command(commands.Command):
    help = "Bring a bundle (zip or folder), or a cases file, into a calibration set."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="the set, made where there is none")
        parser.add_argument("path", type=Path)
        parser.add_argument("--dry-run", action="store_true", help="report, and write nothing")
        parser.add_argument(
            "--supersede",
            action="store_true",
            help="make new revisions of cases that differ, and replace labels that do",
        )

    def run(self, **options: Any) -> dict[str, Any]:
        imported = bundles.import_set(
            options["slug"],
            options["path"],
            dry_run=options["dry_run"],
            supersede=options["supersede"],
            watch=self._watch if self.watches() else None,
        )
        result = imported.as_json()
        for warning in result["warnings"]:
            self.say(warning)
        self.say(_summary(result, dry_run=options["dry_run"]))
        return result

    def _watch(self, part: str, done: int, total: int) -> None:
        self.show(done, total, f"{part} read", last=done >= total)


def _summary(result: dict[str, Any], *, dry_run: bool) -> str:
    cases, labels, judgments = result["cases"], result["labels"], result["judgments"]
    return (
        f"{result['set']}, revision {result['revision']}: "
        f"cases {cases['added']} added, {cases['unchanged']} unchanged, "
        f"{cases['superseded']} superseded; labels {labels['added']} added, "
        f"{labels['unchanged']} unchanged; judgments {judgments['added']} added, "
        f"{judgments['unchanged']} unchanged" + ("; nothing was written" if dry_run else "")
    )
