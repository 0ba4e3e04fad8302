"""What a report says of answers: measured once with it, kept beside it, then only read."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

import numpy as np

from calibration.agreement import answering, stages
from calibration.agreement.answering import BEHAVIOURS, DECISIONS, Answers, Figures, Reading
from calibration.agreement.columns import (
    CLAIM_TYPES,
    NOTHING,
    SPEECH_ACTS,
    VERDICTS,
    Codes,
    codebook,
)
from calibration.agreement.stages import BASES, STAGES, Stated
from calibration.loading import Loaded, coded
from calibration.models import RubricVersion, Run
from calibration.reports import tracing
from calibration.reports.tracing import CaseFacts
from grounding.answers import DEFAULT_POLICY
from grounding.rubrics import AnswerPolicy
from labeling.columns.arrays import pack

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


def measure(run: Run, loaded: Loaded) -> Measured:
    """What becomes of each answer of a run by its references and by its judge."""
    policy, stated = policy_of(run.rubric_version)
    human, judge = _human(loaded), _judge(loaded)
    found = answering.answers(loaded.columns, human, judge, policy)
    facts = tracing.facts_of(loaded, found)
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
                tracing.pools_of(loaded, found),
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
    columns, answers = loaded.columns, loaded.answers
    types = coded([one.claim_type for one in answers], codebook(CLAIM_TYPES))[loaded.which]
    acts = coded([one.speech_act for one in answers], codebook(SPEECH_ACTS))[loaded.which]
    acts = np.where(acts == NOTHING, columns.speech_act, acts)
    split = np.array([bool(one.premises) for one in answers])[loaded.which]
    return Reading(
        verdict=columns.reference_verdict,
        claim_type=np.where(types == NOTHING, columns.claim_type, types),
        speech_act=np.where(columns.reference_verdict == NOTHING, NOTHING, acts),
        premises={
            row: [_VERDICT[verdict] for verdict in answers[loaded.which[row]].premises]
            for row in np.flatnonzero(split).tolist()
        },
    )


def _judge(loaded: Loaded) -> Reading:
    rows = loaded.judged.rows
    return Reading(
        verdict=loaded.columns.judge_verdict,
        claim_type=np.where(rows.claim_type == NOTHING, loaded.columns.claim_type, rows.claim_type),
        speech_act=rows.speech_act,
        premises=loaded.judged.premises,
    )


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
