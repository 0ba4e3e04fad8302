"""The README's example runs as it stands."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_example_outside_the_app_grades_an_answer() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.S)
    done = subprocess.run(
        [sys.executable, "-c", example], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    *grades, decided, digest = done.stdout.splitlines()
    assert len(grades) == 2
    assert decided == "grounded 1.0 () ()"
    assert all(line.startswith("graded ") for line in grades)
    assert digest.startswith("sha256:")
