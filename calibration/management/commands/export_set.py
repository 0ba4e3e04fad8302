from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from calibration import bundles
from labeling import commands, sets
from labeling.exchange import tables
from labeling.models import CalibrationSet


class Command(commands.Command):
    help = "Write a calibration set with its labels, judgments and rubrics to OUT."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("out", type=Path, help="NAME.zip, or a new folder")
        parser.add_argument("--format", choices=["bundle", *tables.KINDS], default="bundle")

    def run(self, **options: Any) -> dict[str, Any]:
        calibration_set = sets.get(options["slug"])
        records = self._write(calibration_set, options["out"], options["format"])
        counts = ", ".join(f"{count} {name}" for name, count in records.items())
        self.say(f"{calibration_set.slug}: {counts} written to {options['out']}")
        return {
            "set": calibration_set.slug,
            "revision": calibration_set.revision,
            "format": options["format"],
            "out": str(options["out"]),
            "records": records,
        }

    def _write(self, calibration_set: CalibrationSet, out: Path, kind: str) -> dict[str, int]:
        if kind == "bundle":
            return self._bundle(calibration_set, out)
        with bundles.one_moment():
            return tables.write(calibration_set, out, kind)

    def _bundle(self, calibration_set: CalibrationSet, out: Path) -> dict[str, int]:
        manifest = bundles.export_bundle(calibration_set, out)
        return {
            name.removesuffix(".jsonl"): entry.records
            for name, entry in manifest.files.items()
            if entry.records is not None
        }
