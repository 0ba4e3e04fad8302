"""Ragas: ``Faithfulness`` of ``ragas.metrics.collections``, its second step.

Its first step splits an answer into statements; that one is left out, and the second step,
``_create_verdicts``, gets statements of ours, all of a case at once, as it would get its own.
Each verdict names its statement, "word-by-word" as its prompt asks, and that is what it is
matched by. The verdict is a whole number: 1, 0, or whatever a model made up, which Ragas counts
as faithful unless it is 0.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any, ClassVar

from grounding.judges.adapters import carrying
from grounding.judges.adapters.carrying import Log
from grounding.judges.adapters.hooks import Answers, HookGone, NotSaid, Said, Script
from grounding.judges.llm.calls import Carrier
from grounding.rubrics.specs import RagasParameters


def _script(*verdicts: object) -> Script:
    said = [
        {"statement": "The lamp is lit.", "reason": "It burns.", "verdict": one} for one in verdicts
    ]
    return {"verdicts": json.dumps({"statements": said})}


class RagasHook:
    package: ClassVar[str] = "ragas"
    words: ClassVar[tuple[str, ...]] = ("1", "0")
    yes: ClassVar[str] = "1"
    scripts: ClassVar[tuple[Script, ...]] = (
        *map(_script, (1, 0, 2, -1, True, "1", "yes", 0.5, None)),
        _script(1, 0),
        _script(),
        {"verdicts": "The lamp is lit."},
    )

    def __init__(
        self,
        model: str,
        parameters: RagasParameters,
        carrier: Carrier,
        *,
        fresh: bool,
        instruction: str | None,
    ) -> None:
        made = _imported()
        http = carrying.client(carrier, parameters.deadline_seconds, fresh=fresh)
        asked = made.client(
            api_key=carrying.NO_KEY, base_url=carrying.NOWHERE, http_client=http, max_retries=0
        )
        settings = parameters.model_dump(include={"temperature", "top_p", "max_tokens"})
        self._metric = made.metric(llm=made.llm(model, client=asked, **settings))
        if not callable(getattr(self._metric, "_create_verdicts", None)):
            raise HookGone("Faithfulness has no _create_verdicts")
        if instruction is not None:
            self._instruct(instruction)

    def _instruct(self, instruction: str) -> None:
        prompt: Any = getattr(self._metric, "nli_statement_prompt", None)
        if not isinstance(getattr(prompt, "instruction", None), str):
            raise HookGone("Faithfulness has no nli_statement_prompt with an instruction")
        prompt.instruction = instruction

    async def ask(self, texts: Sequence[str], statements: Sequence[str], log: Log) -> Answers:
        with log.step("verdicts", statements) as step:
            try:
                found = await self._metric._create_verdicts(list(statements), "\n".join(texts))
            except Exception as error:
                outcome, why = carrying.failure_of(step, error, self.package)
                return [NotSaid(one, outcome, why, step.raw) for one in statements]
        return [
            Said(one.statement, str(one.verdict), one.reason, step.model)
            for one in found.statements
        ]


class _Imported:
    """The package's names that are used."""

    def __init__(self) -> None:
        from openai import AsyncOpenAI
        from ragas._analytics import do_not_track
        from ragas.llms import llm_factory
        from ragas.metrics.collections import Faithfulness

        self.client, self.llm, self.metric = AsyncOpenAI, llm_factory, Faithfulness
        if not do_not_track():
            # Whoever imported it first had it decide so, and it decides only once.
            raise HookGone("it reports its use: set RAGAS_DO_NOT_TRACK=true before it is imported")


def _imported() -> Any:
    # It makes up an id of this machine's and keeps it in the home directory all the same.
    os.environ["RAGAS_DO_NOT_TRACK"] = "true"
    return _Imported()
