"""The README's example runs as it stands."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from pathlib import Path

import yaml

from grounding.judges.adapters import HOOKS
from grounding.rubrics import load_rubric
from tests.grounding.rubric_examples import shipped_data

ROOT = Path(__file__).parents[2]


def test_the_example_outside_the_app_grades_an_answer() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.S)
    done = subprocess.run(
        [sys.executable, "-c", example], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    *grades, digest = done.stdout.splitlines()
    assert len(grades) == 2
    assert all(line.startswith("graded ") for line in grades)
    assert digest.startswith("sha256:")


def test_the_adapter_that_it_sets_up_is_a_rubric_that_maps_all_its_words() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    (block,) = re.findall(r"```yaml\n(.*?)```", readme, re.S)
    data = shipped_data() | yaml.safe_load(textwrap.dedent(block))
    definition = load_rubric(yaml.safe_dump(data), source="README.md")
    assert {*HOOKS[definition.judge.kind].words, "no_text"} == {*definition.verdict_mapping}
    assert definition.verdict_mapping[HOOKS[definition.judge.kind].yes] == "supported"
