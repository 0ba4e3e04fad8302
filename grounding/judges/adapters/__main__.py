"""`python -m grounding.judges.adapters RUBRIC`: what the rubric's package sends and reads here.

Prints the lines that pin it, to be put into the rubric before it is released.
"""

from __future__ import annotations

import sys
from pathlib import Path

from grounding.errors import AssizeError
from grounding.judges.adapters import HOOKS
from grounding.judges.adapters.guarding import adapter_of, fingerprint, installed
from grounding.rubrics import RubricDefinition, load_rubric


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: python -m grounding.judges.adapters RUBRIC", file=sys.stderr)
        return 3
    try:
        path = Path(arguments[0])
        print(pinned(load_rubric(path.read_text(encoding="utf-8"), source=path.name)), end="")
    except (OSError, UnicodeError, AssizeError) as error:
        print(error, file=sys.stderr)
        return 3
    return 0


def pinned(definition: RubricDefinition) -> str:
    """The fingerprint as a rubric's YAML has it. Refused where the rubric names no adapter."""
    kind = HOOKS[adapter_of(definition).kind]
    version = installed(kind, definition.reference)
    present = fingerprint(kind, definition)
    lines = [f"  fingerprint:  # of {kind.package} {version}"]
    return "\n".join([*lines, *(f"    {name}: {value}" for name, value in present.items()), ""])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
