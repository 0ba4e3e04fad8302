import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

PROGRAM = """
import importlib, pkgutil, sys

EXTRAS = {"torch", "transformers", "huggingface_hub", "numpy", "sklearn"}
EXTRAS |= {"ragas", "deepeval", "openai", "httpx", "httpx2"}

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"django", "celery", "config", "labeling", "calibration"} | EXTRAS:
            raise ImportError(f"{name} is not to be imported")

sys.meta_path.insert(0, Blocker())
import grounding
for module in pkgutil.walk_packages(grounding.__path__, "grounding."):
    importlib.import_module(module.name)
from pathlib import Path
from grounding.answers import decide
from grounding.interchange.models import Passage
from grounding.pipeline import grade_answer
from grounding.rubrics import load_rubric
path = Path("calibration/rubrics/groundedness@1.0.0.yaml")
definition = load_rubric(path.read_text(encoding="utf-8"), source=path.name)
context = [Passage(id="p1", text="Nightly report: 3 failed jobs, 2 skipped.")]
graded = grade_answer("What failed?", context, "The report shows 3 failed jobs.", definition)
assert graded.digest == definition.digest
print(decide(graded.grades, definition.answer_policy).decision)
assert not {"django", "celery", "config", "labeling", "calibration"} & set(sys.modules)
"""


def test_every_module_of_grounding_works_without_django():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "grounded"
