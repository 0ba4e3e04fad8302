"""Answers, not only statements: what becomes of each answer by its reference and by its judge.

A functional core on columns. Both sides are held to the same policy, by the rule of
`grounding.answers`, which engineers run elsewhere. These counts add up::

    planned = decided + judge_failed + without_reference + nothing_to_grade
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

import numpy as np

from calibration.agreement.columns import (
    NOTHING,
    SPEECH_ACTS,
    VERDICTS,
    Codes,
    Columns,
    Flags,
    codebook,
)
from calibration.stats.confusion import confusion
from calibration.stats.rates import clustered_rate, counted_rate
from calibration.stats.results import RateJSON
from grounding.answers import (
    Behaviour,
    Counts,
    Decision,
    behaviour_of,
    decision_of,
    states_a_fact,
)
from grounding.contract import ClaimType, SpeechAct, Verdict
from grounding.rubrics import AnswerPolicy
from labeling.columns.numbers import different

Figures = dict[str, Any]

DECISIONS: Final = tuple(Decision)
BEHAVIOURS: Final = tuple(Behaviour)
JUDGE_FAILED, WITHOUT_REFERENCE, NOTHING_TO_GRADE = (
    "judge_failed",
    "without_reference",
    "nothing_to_grade",
)
UNDECIDED: Final = (JUDGE_FAILED, WITHOUT_REFERENCE, NOTHING_TO_GRADE)
"""Why an answer is not decided on both sides; of several the first."""

_GROUNDED: Final = DECISIONS.index(Decision.GROUNDED)
_UNGROUNDED: Final = DECISIONS.index(Decision.UNGROUNDED)
_UNDECIDED: Final = DECISIONS.index(Decision.UNDECIDED)
_UNDEFINED: Final = DECISIONS.index(Decision.UNDEFINED)
_SUPPORTED, _UNSUPPORTED, _CONTRADICTORY, _, _STRICT, _FAILED = range(len(Counts._fields))
_REFUSAL: Final = SPEECH_ACTS.index(SpeechAct.REFUSAL)
_TYPES: Final = codebook(tuple(ClaimType))
# By code of speech act and verdict; the last of each stands for "not stated".
_FACT: Final = np.array(
    [[states_a_fact(act, verdict) for verdict in (*VERDICTS, None)] for act in (*SPEECH_ACTS, None)]
)
_BEHAVIOUR: Final = np.array(
    [
        [BEHAVIOURS.index(behaviour_of(refusals=some, facts=facts)) for facts in (0, 1)]
        for some in (0, 1)
    ]
)
_NONE_DECIDED: Final = "no answer is decided by both its references and its judge"


@dataclass(frozen=True, slots=True)
class Reading:
    """How one side reads each planned statement, arrays of one length.

    ``verdict`` and ``speech_act`` are `NOTHING` where it does not read it: no reference, a failed
    judgment, a judge that states no speech acts. ``premises`` has the verdicts of what was split
    off, by row.
    """

    verdict: Codes
    claim_type: Codes
    speech_act: Codes
    premises: Mapping[int, Sequence[int]]


@dataclass(frozen=True, slots=True)
class Side:
    """What one side makes of each answer: its claims as `grounding.answers.Counts`, shape
    (answers, 6); places in `DECISIONS`; places in `BEHAVIOURS`, `NOTHING` where it read only a
    part of the answer."""

    counts: Codes
    decision: Codes
    behaviour: Codes

    def where(self, chosen: Flags | Codes) -> Side:
        return replace(
            self, **{each.name: getattr(self, each.name)[chosen] for each in fields(self)}
        )

    @property
    def grounded(self) -> Flags:
        flags: Flags = self.decision == _GROUNDED
        return flags

    @property
    def ungrounded(self) -> Flags:
        flags: Flags = self.decision == _UNGROUNDED
        return flags

    @property
    def supported(self) -> Codes:
        supported: Codes = self.counts[:, _SUPPORTED]
        return supported

    @property
    def graded(self) -> Codes:
        """Claims that are supported, unsupported or contradictory."""
        graded: Codes = self.counts[:, : _CONTRADICTORY + 1].sum(axis=1)
        return graded


@dataclass(frozen=True, slots=True)
class Answers:
    """One entry an answer, in the order of the columns; ``case`` is that of the columns, and
    ``cluster`` what is right or wrong together: the pair, else the case."""

    case: Codes
    cluster: Codes
    human: Side
    judge: Side

    def __len__(self) -> int:
        return self.case.size

    @property
    def decided(self) -> Flags:
        """Grounded or not by both sides."""
        flags: Flags = self.undecided == NOTHING
        return flags

    @property
    def undecided(self) -> Codes:
        """The place in `UNDECIDED`, `NOTHING` where the answer is decided."""
        undefined = (self.human.decision == _UNDEFINED) | (self.judge.decision == _UNDEFINED)
        failed = [side.counts[:, _FAILED] > 0 for side in (self.judge, self.human)]
        return np.select([*failed, undefined], range(len(UNDECIDED)), NOTHING).astype(np.int64)


def answers(columns: Columns, human: Reading, judge: Reading, policy: AnswerPolicy) -> Answers:
    """Each answer of ``columns``, which hold the planned judgments of repeat 0.

    An answer of which a side could not read all is undecided on that side even where what it
    read already fails it: only ungrounded answers could be decided so, and the rates would
    lean that way.
    """
    _, first, by_code = np.unique(columns.case, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(order.size)
    answer_of, many = place[by_code], order.size
    return Answers(
        columns.case[first[order]],
        columns.cluster[first[order]],
        _side(human, answer_of, many, policy),
        _side(judge, answer_of, many, policy),
    )


def _side(reading: Reading, answer_of: Codes, many: int, policy: AnswerPolicy) -> Side:
    counts = _counts(reading, answer_of, many, policy)
    alike, which = different(counts)
    decisions = [_decision(Counts(*row), policy) for row in alike.tolist()]
    decided = np.array(decisions, dtype=np.int64)[which]
    return Side(counts, decided, _behaviours(reading, answer_of, many))


def _counts(reading: Reading, answer_of: Codes, many: int, policy: AnswerPolicy) -> Codes:
    def of(rows: Flags) -> Codes:
        return np.bincount(answer_of[rows], minlength=many)

    strict = [_TYPES[kind] for kind in policy.strict_claim_types]
    unsupported = reading.verdict == _UNSUPPORTED
    counts = np.column_stack(
        [
            *(of(reading.verdict == code) for code in range(len(VERDICTS))),
            of(unsupported & np.isin(reading.claim_type, strict)),
            of(reading.verdict == NOTHING),
        ]
    )
    for row, verdicts in reading.premises.items():
        for code in verdicts:
            counts[answer_of[row], code] += 1
    return counts


def _decision(counts: Counts, policy: AnswerPolicy) -> int:
    return _UNDECIDED if counts.failed else DECISIONS.index(decision_of(counts, policy))


def _behaviours(reading: Reading, answer_of: Codes, many: int) -> Codes:
    unread = (reading.verdict == NOTHING) | (reading.speech_act == NOTHING)

    def any_of(rows: Flags) -> Codes:
        return (np.bincount(answer_of[rows], minlength=many) > 0).astype(np.int64)

    facts = _FACT[reading.speech_act, reading.verdict]
    found = _BEHAVIOUR[any_of(reading.speech_act == _REFUSAL), any_of(facts)]
    return np.where(any_of(unread) == 1, NOTHING, found)


def figures(found: Answers) -> Figures:
    """``agreement``: of decided answers, grounded or not on both sides alike. ``lenient``: of
    those not grounded by their references, grounded by the judge. ``strict``: of those grounded by
    their references, not grounded by the judge. ``grounded``: of decided answers, grounded by each
    side. ``claims``: of the graded claims of decided answers, supported by each side."""
    reasons = np.bincount(found.undecided[~found.decided], minlength=len(UNDECIDED)).tolist()
    human, judge = found.human.where(found.decided), found.judge.where(found.decided)
    clusters = found.cluster[found.decided]
    return {
        "planned": len(found),
        "decided": int(found.decided.sum()),
        "undecided": dict(zip(UNDECIDED, reasons, strict=True)),
        "agreement": share(human.decision == judge.decision, clusters, reason=_NONE_DECIDED),
        "lenient": share(
            judge.grounded[human.ungrounded],
            clusters[human.ungrounded],
            reason="no decided answer is ungrounded by its references",
        ),
        "strict": share(
            judge.ungrounded[human.grounded],
            clusters[human.grounded],
            reason="no decided answer is grounded by its references",
        ),
        "grounded": {
            "human": share(human.grounded, clusters, reason=_NONE_DECIDED),
            "judge": share(judge.grounded, clusters, reason=_NONE_DECIDED),
        },
        "claims": {"human": _claims(human, clusters), "judge": _claims(judge, clusters)},
        "confusion": _confusion(human, judge),
    }


def _claims(side: Side, clusters: Codes) -> RateJSON:
    missed = side.graded - side.supported
    return counted_rate(side.supported, missed, clusters, reason=_NONE_DECIDED).as_json()


def _confusion(human: Side, judge: Side) -> Figures:
    table = confusion(
        human.ungrounded.astype(np.int64), judge.ungrounded.astype(np.int64), len(_SIDES)
    )
    return {"labels": list(_SIDES), "rows_human_columns_judge": table.tolist()}


_SIDES: Final = (Decision.GROUNDED.value, Decision.UNGROUNDED.value)


def speech_acts(columns: Columns, human: Reading, judge: Reading) -> Figures:
    """``agreement``: of compared statements to which the judge gives a speech act, the same on
    both sides. ``refusals``: of the compared statements that a side reads as refusals, found
    warranted by it (supported), and of those that both read so, the verdict alike."""
    acts = np.column_stack([human.speech_act, judge.speech_act])[columns.compared]
    compared = columns.where(columns.compared)
    said = acts[:, 1] != NOTHING
    stated = acts[said]
    return {
        "agreement": share(
            stated[:, 0] == stated[:, 1],
            compared.cluster[said],
            reason="the judge gives no compared statement a speech act",
        ),
        "not_judged": len(acts) - len(stated),
        "confusion": {
            "labels": [act.value for act in SPEECH_ACTS],
            "rows_human_columns_judge": confusion(
                stated[:, 0], stated[:, 1], len(SPEECH_ACTS)
            ).tolist(),
        },
        "refusals": _refusals(compared, acts == _REFUSAL),
    }


def _refusals(compared: Columns, refusals: Flags) -> dict[str, RateJSON]:
    by_human, by_judge = refusals[:, 0], refusals[:, 1]
    by_both, clusters = by_human & by_judge, compared.cluster
    supported = VERDICTS.index(Verdict.SUPPORTED)
    return {
        "human": share(
            compared.reference_verdict[by_human] == supported,
            clusters[by_human],
            reason="no compared statement is a refusal by its reference",
        ),
        "judge": share(
            compared.judge_verdict[by_judge] == supported,
            clusters[by_judge],
            reason="the judge reads no compared statement as a refusal",
        ),
        "agreement": share(
            compared.verdict_right[by_both],
            clusters[by_both],
            reason="no compared statement is a refusal by both",
        ),
    }


def abstention(found: Answers, answerable: Codes) -> Figures:
    """How often an answer abstains where it should (``should_abstain``: the author says that the
    admitted context does not hold the answer) and where it should not (``answerable``), by each
    side's reading. ``answerable`` is 1 or 0 for each answer, `NOTHING` where nobody said."""
    return {
        "should_abstain": _abstaining(found, answerable == 0),
        "answerable": _abstaining(found, answerable == 1),
        "not_stated": int((answerable == NOTHING).sum()),
    }


def _abstaining(found: Answers, among: Flags) -> Figures:
    sides = {"human": found.human, "judge": found.judge}
    return {
        "cases": int(among.sum()),
        **{
            name: _by_behaviour(side.behaviour[among], found.cluster[among])
            for name, side in sides.items()
        },
    }


def _by_behaviour(behaviours: Codes, clusters: Codes) -> Figures:
    """``abstained`` is a rate of the answers that the side read whole, the rest are counts."""
    whole = behaviours != NOTHING
    read = behaviours[whole]
    counts = np.bincount(read, minlength=len(BEHAVIOURS)).tolist()
    named = dict(zip((one.value for one in BEHAVIOURS), counts, strict=True))
    del named[Behaviour.ABSTAINED.value]
    return {
        "abstained": share(
            read == BEHAVIOURS.index(Behaviour.ABSTAINED),
            clusters[whole],
            reason="no such answer was read whole",
        ),
        **named,
        "unread": len(behaviours) - len(read),
    }


def share(hits: Flags, clusters: Codes, *, reason: str) -> RateJSON:
    return clustered_rate(hits, clusters, reason=reason).as_json()
