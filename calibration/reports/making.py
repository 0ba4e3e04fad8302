"""How a report was made, beside its figures: by which standard, with what the judge was told.

All of it is fixed with the report: its run, round and implementation are columns of its own, and a
released rubric version never changes. What a language model is sent is put together from the
version by the same functions that send it, and only while they are of the implementation that the
version names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from calibration.models import Report
from calibration.rubrics import definitions
from grounding.judges import llm
from grounding.judges.llm import classifying, verifying
from grounding.judges.llm.prompting import Prompt
from grounding.rubrics import LlmSpec, RubricDefinition

STANDARD: Final = (
    "The standard is faithfulness to the admitted context, which is what the answer was given, and "
    "not truth in the world: a claim about the subject that is true and that the context does not "
    "bear out is unsupported. An external claim is held against approved sources alone."
)

_NO_PROMPT: Final = "This judge reads no prompt: "
_ASKED: Final[Mapping[str, str]] = {
    "lexical": f"{_NO_PROMPT}it compares words by fixed rules and trained weights. What it is set "
    "to stands in the rubric.",
    "learned": f"{_NO_PROMPT}it is a classifier that was trained on labels. Which weights it has "
    "stands in the rubric.",
    "nli": f"{_NO_PROMPT}a local entailment model is shown a part of the context and the "
    "statement, and nothing else. How they are cut stands in the rubric.",
    "llm": "This judge is asked in two passes. Each request carries the text of its pass below as "
    "the system's message, whatever the case, and then the case's own texts as one JSON document. "
    "What was sent about a statement is kept with its judgment, where it ran here.",
    "ragas": "The prompts are those of the package Ragas, not of the rubric, which pins them by "
    "the fingerprints of its judge. What was sent about a statement is kept with its judgment, "
    "where it ran here.",
    "deepeval": "The prompts are those of the package DeepEval, not of the rubric, which pins them "
    "by the fingerprints of its judge. What was sent about a statement is kept with its judgment, "
    "where it ran here.",
    "recorded": "This judge ran elsewhere and its results were imported: how it was asked is not "
    "known here.",
}
_OTHER_CODE: Final = (
    "This judge is asked in two passes, by code of implementation {named}; installed is {here}, so "
    "what was sent around the rubric's own prompts cannot be shown from here. It is kept with each "
    "judgment."
)
_PASSES: Final[Mapping[str, Callable[[RubricDefinition, LlmSpec], Prompt]]] = {
    "classify": classifying.prompt_of,
    "verify": verifying.prompt_of,
}


def of(report: Report) -> dict[str, Any]:
    """What a report says of its own making, as ``made`` of the published report.

    ``prompts`` are the instructions of each pass as they were sent, empty where none are known;
    ``definition`` is the rubric version whole, None where it was recorded elsewhere.
    """
    version = report.run.rubric_version
    definition = None if version.recorded else definitions.read(version)
    how, prompts = _asked(definition)
    return {
        "standard": STANDARD,
        "round": report.round,
        "implementation": report.implementation,
        "created_at": report.created_at.isoformat(timespec="seconds"),
        "mixed_models": len(report.figures["run"]["judge_models"]) > 1,
        "asked": how,
        "prompts": prompts,
        "definition": None if definition is None else definition.model_dump(mode="json"),
    }


def _asked(definition: RubricDefinition | None) -> tuple[str, dict[str, str]]:
    """How the judge is asked, in words, and the text of each pass."""
    if definition is None:
        return _ASKED["recorded"], {}
    spec = definition.judge
    if not isinstance(spec, LlmSpec):
        return _ASKED[spec.kind], {}
    if spec.implementation != llm.IMPLEMENTATION:
        return _OTHER_CODE.format(named=spec.implementation, here=llm.IMPLEMENTATION), {}
    return _ASKED["llm"], {
        name: prompt_of(definition, spec).system for name, prompt_of in _PASSES.items()
    }
