"""Rubric versions: what a judge is held to, as immutable data."""

from grounding.rubrics.definition import (
    AnswerPolicy,
    ClaimTypeRules,
    CommonKnowledge,
    Example,
    GatePolicy,
    Prompts,
    RubricDefinition,
    Splitting,
)
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
    NliParameters,
    NliSpec,
    NliWords,
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
    "ClaimTypeRules",
    "CommonKnowledge",
    "Example",
    "Fault",
    "GatePolicy",
    "JudgeSpec",
    "LexicalParameters",
    "LexicalSpec",
    "NliParameters",
    "NliSpec",
    "NliWords",
    "Prompts",
    "RecordedSpec",
    "RubricDefinition",
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
