"""The corpora that the lexical judge is trained and measured on, as ASSIZE_DATA holds them."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from grounding.interchange.models import Case

TRAINING = "begin_wow_test"
SHIPPED_RUBRIC = Path(__file__).parents[1] / "calibration" / "rubrics" / "groundedness@1.0.0.yaml"
STARTER = Path(__file__).parents[1] / "calibration" / "sets" / "starter"


@dataclass(frozen=True)
class Labelled:
    """A case of one statement, and the verdict most of its labels give (ties: the stricter)."""

    case: Case
    verdict: str

    @property
    def snippet(self) -> str:
        """The knowledge snippet that several cases share, or the case alone."""
        tags = (tag for tag in self.case.tags if tag.startswith("knowledge:"))
        return next(tags, self.case.case_id)


def folder() -> Path:
    """Where the data lies; ends the process in one line where it is not said."""
    found = os.environ.get("ASSIZE_DATA")
    if not found:
        sys.exit("ASSIZE_DATA is not set: it names the folder that holds the corpora")
    return Path(found)


def load(name: str) -> list[Labelled]:
    """The labelled cases of one corpus, in the file's order."""
    votes: dict[str, Counter[str]] = {}
    for line in (folder() / name / "labels.jsonl").read_text(encoding="utf-8").splitlines():
        label = json.loads(line)
        votes.setdefault(label["case_id"], Counter())[label["verdict"]] += 1
    lines = (folder() / name / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [Case.model_validate_json(line) for line in lines]
    return [Labelled(one, _majority(votes[one.case_id])) for one in cases if one.case_id in votes]


def _majority(votes: Counter[str]) -> str:
    return max(votes, key=lambda verdict: (votes[verdict], verdict != "supported", verdict))
