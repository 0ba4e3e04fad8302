"""Published worked examples and real labels, from the folder that ASSIZE_DATA names.

A test marked ``published("statistic", ...)`` that takes `entry` runs once for each entry of
``reference_values.json`` with one of these statistics, under the entry's name and source.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Entry = dict[str, Any]

UNSET = "ASSIZE_DATA is not set"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "published(*statistics): runs on these published examples")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    marker = metafunc.definition.get_closest_marker("published")
    if marker is not None:
        metafunc.parametrize("entry", _parameters(marker.args))


@pytest.fixture
def read_lines() -> Callable[[str], list[Entry]]:
    """Read a JSON Lines file of the data folder, or skip."""
    folder = _folder()
    if folder is None:
        pytest.skip(UNSET)
    return lambda name: [json.loads(line) for line in (folder / name).open(encoding="utf-8")]


def _folder() -> Path | None:
    return Path(os.environ["ASSIZE_DATA"]) if os.environ.get("ASSIZE_DATA") else None


def _parameters(statistics: tuple[str, ...]) -> list[Any]:
    folder = _folder()
    if folder is None:
        return [pytest.param(None, id=UNSET, marks=pytest.mark.skip(reason=UNSET))]
    entries = json.loads((folder / "reference_values.json").read_text("utf-8"))["references"]
    chosen = [entry for entry in entries if entry["statistic"] in statistics]
    return [pytest.param(entry, id=f"{entry['id']}: {entry['source']}") for entry in chosen]
