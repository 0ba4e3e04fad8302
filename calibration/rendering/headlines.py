"""The rates that a version is read by first, and two baselines that are not compared by them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from calibration.rendering.laid_out import RATE, Section, Table
from calibration.wording.numbers import rate_cells

Told = Mapping[str, Any]

HEADLINES: Final = {
    "verdict": "verdict right",
    "right": "class too where stated",
    "lenient": "lenient",
    "strict": "strict",
    "class_escape": "class escape",
}


def two_baselines(old: Told | None, new: Told | None) -> Iterator[Section]:
    """Each on all that it graded itself; nothing where only one is there."""
    if not old or not new:
        return
    tables = [
        Table((said, *RATE), [(_name(run), *rate_cells(run[name])) for run in (old, new)])
        for name, said in HEADLINES.items()
    ]
    note = (
        "Each on all that it graded itself, against the references as they are now. A right answer "
        "is not the same thing for both, so no difference between them is a change of the judge."
    )
    yield Section("Both baselines: not comparable", tables, [note])


def _name(run: Told) -> str:
    return f"{run['rubric']['name']}@{run['rubric']['version']}, run {run['id']}"
