"""DeepEval: ``FaithfulnessMetric``, its steps from texts to truths and from claims to verdicts.

Its step that takes claims out of the answer is left out: a claim is a statement of ours. Its
verdicts name no claim, and it matches them by nothing but their number; so each statement is asked
about alone, and what is not exactly one verdict is missing or invalid. *Borderline* (older: *idk*)
is its word for what the texts do not say, and counts as faithful in its own score; here the
rubric maps it, and may not map it to supported.

A text that holds a certain mark in brackets makes it read a file of this machine and send it along
as an image. Nothing is asked about such texts.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import os
from collections.abc import Sequence
from typing import Any, ClassVar

from grounding.interchange.models import Outcome
from grounding.judges.adapters import carrying
from grounding.judges.adapters.carrying import Log
from grounding.judges.adapters.hooks import Answers, HookGone, NotSaid, Said, Script
from grounding.judges.llm.calls import Carrier
from grounding.rubrics.specs import DeepEvalParameters

SETTINGS = {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    "DEEPEVAL_UPDATE_WARNING_OPT_IN": "0",
    "DEEPEVAL_DISABLE_DOTENV": "1",
    # The carrier has a deadline of its own, and it is the rubric's.
    "DEEPEVAL_DISABLE_TIMEOUTS": "1",
    "CONFIDENT_TRACE_FLUSH": "0",
}
MARK = "[DEEPEVAL:"
TRUTHS = json.dumps({"truths": ["The lamp burns."]})


def _script(*verdicts: str | None) -> Script:
    said = [{"verdict": one, "reason": "It burns."} for one in verdicts]
    return {"truths": TRUTHS, "verdicts": json.dumps({"verdicts": said})}


class DeepEvalHook:
    package: ClassVar[str] = "deepeval"
    words: ClassVar[tuple[str, ...]] = ("yes", "no", "borderline", "idk")
    yes: ClassVar[str] = "yes"
    scripts: ClassVar[tuple[Script, ...]] = (
        *map(_script, ("yes", "no", "borderline", "idk", "Yes", "maybe", None)),
        _script("yes", "no"),
        _script(),
        {"truths": TRUTHS, "verdicts": "yes"},
    )

    def __init__(
        self,
        model: str,
        parameters: DeepEvalParameters,
        carrier: Carrier,
        *,
        fresh: bool,
        instruction: str | None,
    ) -> None:
        self._made = _imported()
        self._settings: dict[str, Any] = {
            "include_reason": False,
            "truths_extraction_limit": parameters.truths_extraction_limit,
        }
        if "eval_mode" in inspect.signature(self._made.metric).parameters:
            self._settings["eval_mode"] = "llm"
        if instruction is not None:
            self._settings["evaluation_template"] = _instructed(self._made.template, instruction)
        self._model = self._made.model(
            model=model,
            api_key=carrying.NO_KEY,
            base_url=carrying.NOWHERE,
            temperature=parameters.temperature,
            async_http_client=carrying.client(carrier, parameters.deadline_seconds, fresh=fresh),
        )
        for name in ("_a_generate_truths", "_a_generate_verdicts"):
            if not callable(getattr(self._made.metric, name, None)):
                raise HookGone(f"FaithfulnessMetric has no {name}")

    async def ask(self, texts: Sequence[str], statements: Sequence[str], log: Log) -> Answers:
        safe = [one for one in statements if not self._reads_files(one)]
        marked = [_marked(one, "the statement") for one in statements if one not in safe]
        if any(map(self._reads_files, texts)):
            return [_marked(one, "a text") for one in statements]
        if not safe:
            return marked
        truths = await self._truths(texts, safe, log)
        if not isinstance(truths, list):
            return [*marked, *truths]
        said = await asyncio.gather(*(self._verdicts(truths, one, log) for one in safe))
        return [*marked, *(one for found in said for one in found)]

    async def _truths(
        self, texts: Sequence[str], statements: Sequence[str], log: Log
    ) -> list[str] | tuple[NotSaid, ...]:
        with log.step("truths", statements) as step:
            try:
                truths = list(await self._metric()._a_generate_truths(list(texts), False))
            except Exception as error:
                outcome, why = carrying.failure_of(step, error, self.package)
                return tuple(NotSaid(one, outcome, why, step.raw) for one in statements)
        if any(map(self._reads_files, truths)):
            return tuple(_marked(one, "a truth that it read") for one in statements)
        return truths

    async def _verdicts(self, truths: list[str], statement: str, log: Log) -> Answers:
        metric = self._metric()
        metric.truths, metric.claims = truths, [statement]
        with log.step("verdicts", [statement]) as step:
            try:
                found = await metric._a_generate_verdicts(False)
            except Exception as error:
                outcome, why = carrying.failure_of(step, error, self.package)
                return [NotSaid(statement, outcome, why, step.raw)]
        return [Said(statement, str(one.verdict), one.reason, step.model) for one in found]

    def _metric(self) -> Any:
        """A metric of its own for every question: it keeps what it is at work on in itself."""
        return self._made.metric(model=self._model, **self._settings)

    def _reads_files(self, text: str) -> bool:
        # The mark also where the package does not see it yet: a line end goes as it writes claims.
        return MARK in text or bool(self._made.multimodal(text))


def _instructed(template: Any, instruction: str) -> Any:
    """The package's templates, but for the one that asks for verdicts."""

    def generate_verdicts(claims: Any, retrieval_context: str) -> str:
        asked = f"Retrieval Contexts:\n{retrieval_context}\n\nClaims:\n{claims}\n\nJSON:\n"
        return f"{instruction}\n\n{asked}"

    return type(
        template.__name__, (template,), {"generate_verdicts": staticmethod(generate_verdicts)}
    )


def _marked(statement: str, where: str) -> NotSaid:
    return NotSaid(
        statement,
        Outcome.INVALID,
        f"deepeval would take an image or a file for what {where} says in brackets",
    )


class _Imported:
    """The package's names that are used."""

    def __init__(self) -> None:
        from deepeval.metrics import FaithfulnessMetric
        from deepeval.metrics.faithfulness import FaithfulnessTemplate
        from deepeval.models.llms.openai_model import OpenAIModel
        from deepeval.telemetry import telemetry_opt_out
        from deepeval.utils import check_if_multimodal

        self.metric, self.template = FaithfulnessMetric, FaithfulnessTemplate
        self.model, self.multimodal = OpenAIModel, check_if_multimodal
        if not telemetry_opt_out():
            raise HookGone("it reports its use: set DEEPEVAL_TELEMETRY_OPT_OUT=1")


def _imported() -> Any:
    os.environ.update(SETTINGS)
    return _Imported()
