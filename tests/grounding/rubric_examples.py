"""Rubrics, cases and scripted judges that several tests build on."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import yaml

from grounding.interchange.models import Case, Passage, Statement
from grounding.judges.protocol import (
    Assignment,
    CaseView,
    Classification,
    PassResult,
    StatementView,
    Verification,
)
from grounding.rubrics import RubricDefinition, load_rubric

SHIPPED = Path(__file__).parents[2] / "calibration" / "rubrics" / "groundedness@1.0.0.yaml"


def shipped_data() -> dict[str, Any]:
    """The shipped rubric as plain data, to be changed by a test."""
    data = yaml.safe_load(SHIPPED.read_text(encoding="utf-8"))
    assert isinstance(data, dict)
    return data


def with_changes(**changes: Any) -> RubricDefinition:
    """The shipped rubric with dotted paths set; a double underscore stands for the dot."""
    data = shipped_data()
    for path, value in changes.items():
        node = data
        *parents, last = path.split("__")
        for parent in parents:
            node = node[parent]
        node[last] = value
    return load_rubric(json.dumps(data), source="changed.json")


def case(*texts: str, context: Sequence[str] = ("Nightly report: 3 failed jobs.",)) -> Case:
    """A case with statements s1, s2 … and passages p1, p2 …"""
    return Case(
        case_id="c1",
        context=tuple(
            Passage(id=f"p{number}", text=text) for number, text in enumerate(context, 1)
        ),
        answer=" ".join(texts),
        statements=tuple(
            Statement(statement_id=f"s{number}", text=text) for number, text in enumerate(texts, 1)
        ),
    )


class ScriptedJudge:
    """Says what a test tells it to, and keeps what it was shown."""

    name = "scripted"
    implementation = 1

    def __init__(
        self,
        classify: Callable[[str], Classification] | PassResult[Classification] | Exception,
        verify: Callable[[Assignment], Verification] | PassResult[Verification] | Exception,
    ) -> None:
        self._classify = classify
        self._verify = verify
        self.seen: list[Any] = []
        self.assignments: tuple[Assignment, ...] = ()

    async def classify(
        self, case: CaseView, statements: Sequence[StatementView]
    ) -> PassResult[Classification]:
        self.seen += [case, *statements]
        if isinstance(self._classify, Exception):
            raise self._classify
        if isinstance(self._classify, PassResult):
            return self._classify
        return PassResult(tuple(self._classify(one.statement_id) for one in statements))

    async def verify(
        self, case: CaseView, assignments: Sequence[Assignment]
    ) -> PassResult[Verification]:
        self.assignments = tuple(assignments)
        if isinstance(self._verify, Exception):
            raise self._verify
        if isinstance(self._verify, PassResult):
            return self._verify
        return PassResult(tuple(self._verify(one) for one in assignments))
