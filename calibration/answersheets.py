"""What a report says of answers: measured once with it, kept beside it, then only read."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

import numpy as np

from calibration import answering, stages, tracing
from calibration.answering import BEHAVIOURS, DECISIONS, Answers, Figures, Reading
from calibration.columns import CLAIM_TYPES, NOTHING, SPEECH_ACTS, VERDICTS, Codes, codebook
from calibration.loading import Beside, Loaded, coded
from calibration.models import RubricVersion, Run
from calibration.stages import BASES, STAGES, Stated
from calibration.tracing import CaseFacts
from grounding.answers import DEFAULT_POLICY
from grounding.rubrics import AnswerPolicy
from labeling.arrays import pack

WORDS: Final = {
    "human": DECISIONS,
    "judge": DECISIONS,
    "human_behaviour": BEHAVIOURS,
    "judge_behaviour": BEHAVIOURS,
    "stage": STAGES,
    "basis": BASES,
    "undecided": answering.UNDECIDED,
}
"""The columns of a sheet that hold words, each with the words of its codes."""


@dataclass(frozen=True)
class Measured:
    """Figures to go into a report, and the columns of its sheet, one entry an answer: ``case`` is
    the case's primary key, the rest are places in the words that are packed with them, or
    numbers; -1 for none."""

    figures: Figures
    columns: bytes


def measure(run: Run, loaded: Loaded, beside: Beside) -> Measured:
    """What becomes of each answer of a run by its references and by its judge."""
    policy, stated = policy_of(run.rubric_version)
    human, judge = _human(loaded), _judge(loaded, beside)
    found = answering.answers(loaded.columns, human, judge, policy)
    facts = tracing.facts_of(run, found)
    traced = tracing.traced(loaded, found, human, facts)
    told = {**answering.figures(found), "policy": _told(policy, stated)}
    return Measured(
        figures={
            "answers": told,
            "speech_acts": answering.speech_acts(loaded.columns, human, judge),
            "abstention": answering.abstention(found, facts.answerable),
            "failure_source": stages.figures(
                traced,
                Stated(facts.answerable, facts.from_retrieved),
                tracing.pools_of(run, found),
                found.cluster,
                tracing.searched_by(),
            ),
        },
        columns=_columns(found, facts, *traced),
    )


def policy_of(version: RubricVersion) -> tuple[AnswerPolicy, bool]:
    """The version's answer policy, and whether it states it: a recorded one has none, and its
    answers are held to the default."""
    if version.definition is None:
        return DEFAULT_POLICY, False
    return AnswerPolicy.model_validate_json(json.dumps(version.definition["answer_policy"])), True


def _told(policy: AnswerPolicy, stated: bool) -> Figures:
    return {**policy.model_dump(mode="json"), "stated_by_rubric": stated}


def _human(loaded: Loaded) -> Reading:
    """By the references; what their labels leave out, the statement itself says."""
    columns, references = loaded.columns, loaded.references
    types = coded([one.claim_type for one in references], codebook(CLAIM_TYPES))
    acts = coded([one.speech_act for one in references], codebook(SPEECH_ACTS))
    acts = np.where(acts == NOTHING, columns.speech_act, acts)
    return Reading(
        verdict=columns.reference_verdict,
        claim_type=np.where(types == NOTHING, columns.claim_type, types),
        speech_act=np.where(columns.reference_verdict == NOTHING, NOTHING, acts),
        premises={
            row: [_VERDICT[verdict] for verdict in one.premises]
            for row, one in enumerate(references)
            if one.premises
        },
    )


def _judge(loaded: Loaded, beside: Beside) -> Reading:
    types = loaded.judge_claim_type
    return Reading(
        verdict=loaded.columns.judge_verdict,
        claim_type=np.where(types == NOTHING, loaded.columns.claim_type, types),
        speech_act=loaded.judge_speech_act,
        premises=_premises(loaded, beside),
    )


def _premises(loaded: Loaded, beside: Beside) -> dict[int, list[int]]:
    """The verdicts of what the judge split off, for the few rows where it did."""
    graded = loaded.columns.graded
    return {
        row: [_VERDICT[one["verdict"]] for one in split if one["verdict"]]
        for row, split in beside.premises.items()
        if graded[row]
    }


_VERDICT: Final = codebook(VERDICTS)


def _columns(found: Answers, facts: CaseFacts, stages: Codes, bases: Codes) -> bytes:
    columns = {
        "case": found.case,
        "human": found.human.decision,
        "judge": found.judge.decision,
        "human_behaviour": found.human.behaviour,
        "judge_behaviour": found.judge.behaviour,
        "stage": stages,
        "basis": bases,
        "undecided": found.undecided,
        "answerable": facts.answerable,
        "from_retrieved": facts.from_retrieved,
        "captured": facts.captured,
        "human_supported": found.human.supported,
        "human_graded": found.human.graded,
        "judge_supported": found.judge.supported,
        "judge_graded": found.judge.graded,
    }
    return pack(columns, WORDS)
