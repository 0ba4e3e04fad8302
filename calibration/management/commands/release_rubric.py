"""`manage.py release_rubric FILE`."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from calibration import rubrics
from grounding.errors import BadInput
from grounding.rubrics import RubricDefinition, load_rubric
from labeling.commands import Command as BaseCommand


class Command(BaseCommand):
    help = "Release a rubric version from YAML or JSON; the same content again changes nothing."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def run(self, **options: Any) -> dict[str, Any]:
        definition = read(options["file"])
        released = rubrics.release(definition)
        version = released.rubric_version
        self.say(f"{version} is released; it needed a bump of: {released.required_bump}")
        if released.baseline_of:
            self.say(f"its first complete run on a set is the baseline of {released.baseline_of}")
        if definition.gate.never_passes:
            self.say(f"warning: {definition.gate.never_passes}")
        return {
            "rubric": version.name,
            "version": version.version,
            "digest": version.digest,
            "scope_digest": version.scope_digest,
            "required_bump": released.required_bump,
            "baseline_of": released.baseline_of,
        }


def read(path: Path) -> RubricDefinition:
    """The definition in a file; BadInput names the file, the line and the field."""
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise BadInput("is not UTF-8", source=path.name, line=line) from None
    return load_rubric(text, source=path.name)
