"""Rubric versions: what a judge is held to, as immutable data."""

from grounding.rubrics.definition import (
    AnswerPolicy,
    ClaimSplitting,
    ClaimTypeRules,
    CommonKnowledge,
    Example,
    Prompts,
    RubricDefinition,
    SentenceSplitting,
    Splitting,
)
from grounding.rubrics.gate import Ceiling, CellRule, GatePolicy, Regression
from grounding.rubrics.leaks import examples_leaking_into, fingerprint
from grounding.rubrics.loading import (
    Fault,
    check_storable,
    dump_rubric,
    examine,
    load_rubric,
    parse_rubric,
)
from grounding.rubrics.specs import (
    JudgeSpec,
    LexicalParameters,
    LexicalSpec,
    LlmParameters,
    LlmSpec,
    Prices,
    RecordedSpec,
)
from grounding.rubrics.versions import (
    Bump,
    BumpLevel,
    check_release,
    content_digest,
    highest_below,
    required_bump,
)

__all__ = [
    "AnswerPolicy",
    "Bump",
    "BumpLevel",
    "Ceiling",
    "CellRule",
    "ClaimSplitting",
    "ClaimTypeRules",
    "CommonKnowledge",
    "Example",
    "Fault",
    "GatePolicy",
    "JudgeSpec",
    "LexicalParameters",
    "LexicalSpec",
    "LlmParameters",
    "LlmSpec",
    "Prices",
    "Prompts",
    "RecordedSpec",
    "Regression",
    "RubricDefinition",
    "SentenceSplitting",
    "Splitting",
    "check_release",
    "check_storable",
    "content_digest",
    "dump_rubric",
    "examine",
    "examples_leaking_into",
    "fingerprint",
    "highest_below",
    "load_rubric",
    "parse_rubric",
    "required_bump",
]
