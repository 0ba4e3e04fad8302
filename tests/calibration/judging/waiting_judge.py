"""A judge that waits: the lexical judge's verdicts after a while on the event loop."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

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


class WaitingJudge:
    """Counts what it is asked, and how many of its passes were under way at once."""

    calls: ClassVar[Counter[str]] = Counter()
    seconds: ClassVar[dict[str, float]] = {}
    under_way: ClassVar[int] = 0
    most: ClassVar[int] = 0
    threads: ClassVar[set[str]] = set()
    broken_off: ClassVar[int] = 0
    on_call: ClassVar[Callable[[str], None] | None] = None
    breaks_on: ClassVar[str | None] = None

    def __init__(self, definition: RubricDefinition, services: Services) -> None:
        self._judge = LexicalJudge.of(definition)
        self.name = self._judge.name
        self.implementation = self._judge.implementation

    @classmethod
    def reset(cls, **changes: Any) -> None:
        fresh = {"calls": Counter(), "seconds": {}, "under_way": 0, "most": 0, "threads": set()}
        for name, value in (fresh | {"broken_off": 0, "on_call": None} | changes).items():
            setattr(cls, name, value)
        cls.breaks_on = changes.get("breaks_on")

    async def classify(
        self, case: CaseView, statements: Sequence[StatementView]
    ) -> PassResult[Classification]:
        cls = type(self)
        cls.calls[case.case_id] += 1
        cls.threads.add(threading.current_thread().name)
        cls.under_way += 1
        cls.most = max(cls.most, cls.under_way)
        try:
            if cls.on_call is not None:
                cls.on_call(case.case_id)
            if case.case_id == cls.breaks_on:
                raise ZeroDivisionError("a fault of the judge's own")
            await asyncio.sleep(cls.seconds.get(case.case_id, cls.seconds.get("each", 0.01)))
        except asyncio.CancelledError:
            cls.broken_off += 1
            raise
        finally:
            cls.under_way -= 1
        return await self._judge.classify(case, statements)

    async def verify(
        self, case: CaseView, assignments: Sequence[Assignment]
    ) -> PassResult[Verification]:
        return await self._judge.verify(case, assignments)
