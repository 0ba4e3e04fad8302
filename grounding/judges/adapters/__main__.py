"""`python -m grounding.judges.adapters RUBRIC`: what the rubric's package sends and reads here.

Prints the lines that pin it, to be put into the rubric before it is released.
"""

from __future__ import annotations

import sys
from pathlib import Path

from grounding.errors import AssizeError, BadInput
from grounding.judges.adapters import HOOKS
from grounding.judges.adapters.guarding import fingerprint, installed
from grounding.rubrics import AdapterSpec, RubricDefinition, load_rubric


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
    """The fingerprint as a rubric's YAML has it. BadInput where the rubric names no adapter."""
    spec = definition.judge
    if not isinstance(spec, AdapterSpec):
        raise BadInput(f"{definition.reference} names a {spec.kind} judge, no adapter")
    kind = HOOKS[definition.judge.kind]
    version = installed(kind, definition.reference)
    present = fingerprint(kind, spec, definition.reference)
    lines = [f"  fingerprint:  # of {kind.package} {version}"]
    return "\n".join([*lines, *(f"    {name}: {value}" for name, value in present.items()), ""])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
