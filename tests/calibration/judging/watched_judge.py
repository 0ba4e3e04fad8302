"""Loaded by a worker under test: the lexical judge, which notes each case that it is asked about
and takes its time over it, computing or waiting."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Sequence

from grounding.judges import registry
from grounding.judges.lexical import LexicalJudge
from grounding.judges.protocol import (
    Assignment,
    CaseView,
    Classification,
    PassResult,
    StatementView,
    Verification,
)
from grounding.judges.registry import Services
from grounding.rubrics import RubricDefinition

SECONDS = float(os.environ.get("ASSIZE_TEST_JUDGE_SECONDS", "0"))
CALLS = os.environ.get("ASSIZE_TEST_CALLS")
WAITS = bool(os.environ.get("ASSIZE_TEST_JUDGE_WAITS"))
KILLS = os.environ.get("ASSIZE_TEST_KILLER")


class WatchedJudge:
    def __init__(self, definition: RubricDefinition, _: Services) -> None:
        self._judge = LexicalJudge.of(definition)
        self.name = self._judge.name
        self.implementation = self._judge.implementation

    async def classify(
        self, case: CaseView, statements: Sequence[StatementView]
    ) -> PassResult[Classification]:
        if CALLS:
            with open(CALLS, "a") as file:
                file.write(f"{case.case_id}\n")
        if case.case_id == KILLS:
            os.kill(os.getpid(), 9)
        if WAITS:
            await asyncio.sleep(SECONDS)
        else:
            time.sleep(SECONDS)
        return await self._judge.classify(case, statements)

    async def verify(
        self, case: CaseView, assignments: Sequence[Assignment]
    ) -> PassResult[Verification]:
        return await self._judge.verify(case, assignments)


registry.FACTORIES = {**registry.FACTORIES, "lexical": WatchedJudge}  # type: ignore[misc]
if WAITS:
    registry.COMPUTING = frozenset()  # type: ignore[misc]
