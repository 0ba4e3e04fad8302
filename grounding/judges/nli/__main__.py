"""`python -m grounding.judges.nli FOLDER`: the digest that a rubric pins the model by."""

from __future__ import annotations

import sys
from pathlib import Path

from grounding.errors import Refused
from grounding.judges.nli.models import digest_of


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: python -m grounding.judges.nli FOLDER", file=sys.stderr)
        return 3
    try:
        print(digest_of(Path(arguments[0])))
    except (OSError, Refused) as error:
        print(error, file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
