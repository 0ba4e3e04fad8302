"""The README's examples run as they stand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import yaml

from grounding.judges.adapters import HOOKS
from grounding.rubrics import load_rubric
from tests.grounding.rubric_examples import shipped_data
from tests.provider import Provider

ROOT = Path(__file__).parents[2]
OFFLINE, ASKING = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.S)


def lines_of(example: str, **environment: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", example],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | environment,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_the_example_outside_the_app_grades_an_answer() -> None:
    *grades, decided, digest = lines_of(OFFLINE)
    assert len(grades) == 2
    assert decided == "grounded 1.0 () ()"
    assert all(line.startswith("graded ") for line in grades)
    assert digest.startswith("sha256:")


def test_the_example_with_a_language_model_grades_an_answer_over_http() -> None:
    with Provider(key="sk-readme-0123456789") as provider:
        grade, *attempts, digest = lines_of(
            ASKING,
            OPENAI_BASE_URL=f"{provider.url}/v1",
            OPENAI_API_KEY="sk-readme-0123456789",
            JUDGE_ALLOWED_HOSTS="127.0.0.1",
        )
    model = "mistralai/Mistral-Small-3.2-24B-Instruct-2506"
    assert grade == f"graded subject_specific supported {model} None"
    assert [line.split()[:2] for line in attempts] == [["classify", "200"], ["verify", "200"]]
    assert provider.calls == 2
    assert digest.startswith("sha256:")


def test_the_example_with_nobody_there_ends_in_an_outcome_and_not_in_an_error() -> None:
    with Provider() as provider:
        address = f"{provider.url}/v1"
    grade, *attempts, _ = lines_of(
        ASKING, OPENAI_BASE_URL=address, OPENAI_API_KEY="", JUDGE_ALLOWED_HOSTS="127.0.0.1"
    )
    assert grade.startswith("unavailable None None")
    assert attempts


def test_the_adapter_that_it_sets_up_is_a_rubric_that_maps_all_its_words() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    (block,) = re.findall(r"```yaml\n(.*?)```", readme, re.S)
    data = shipped_data() | yaml.safe_load(textwrap.dedent(block))
    definition = load_rubric(yaml.safe_dump(data), source="README.md")
    assert {*HOOKS[definition.judge.kind].words, "no_text"} == {*definition.verdict_mapping}
    assert definition.verdict_mapping[HOOKS[definition.judge.kind].yes] == "supported"
