"""What grading a case will cost, before anything is sent.

Nobody here has the provider's tokeniser, so tokens are guessed from characters by script: of
plain ASCII four characters to a token, of other letters written with spaces two, of scripts
without spaces (Chinese, Japanese, Korean, Thai and their neighbours) one. For English prose this
comes out within some 20% of what the common tokenisers count, on the high side for markup.

What is guessed beside: that every statement is verified against the passages (an interpretation
is not, and an external claim is against the sources), and how long answers are. Nothing is added
for what must be asked again.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from grounding.contract import ClaimClass, SpeechAct
from grounding.interchange.models import Case
from grounding.judges.llm.asking import Question, cost_of
from grounding.judges.llm.planning import Planner
from grounding.judges.llm.prompting import request
from grounding.judges.protocol import Assignment, CaseView, PassName, StatementView
from grounding.rubrics import LlmSpec, RubricDefinition

AROUND_ANSWERS: Final = 10
EACH_ANSWER: Final[Mapping[PassName, int]] = MappingProxyType({"classify": 80, "verify": 120})
"""Tokens of an answer: around all of a request, and about each statement in either pass."""

_WIDE: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u9fff\ua960-\ua97f"
    "\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)
_ASCII: Final = re.compile("[\x00-\x7f]")


@dataclass(frozen=True, slots=True)
class Estimate:
    """Calls and tokens, and what they cost in ``currency``; both None where the rubric has no
    prices."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    currency: str | None = None


def tokens_of(text: str) -> int:
    """About how many tokens a text is; 0 for none."""
    wide, plain = len(_WIDE.findall(text)), len(_ASCII.findall(text))
    return math.ceil(wide + plain / 4 + (len(text) - wide - plain) / 2)


def estimate(definition: RubricDefinition, case: Case) -> Estimate:
    """What grading ``case`` once will come to. Refused where no language model is asked."""
    planner = Planner.of(definition)
    view = CaseView.of(case)
    statements = [StatementView.of(one) for one in case.statements]
    questions: list[Question[Any]] = list(planner.classifications(view, statements))
    for batch in planner.batches(_assumed(statements, case, definition)):
        questions += planner.verifications(view, batch)
    asked = [one for one in questions if planner.fits(one)]
    given = sum(_given(planner.spec, one) for one in asked)
    taken = sum(_taken(planner.spec, one) for one in asked)
    prices = planner.spec.prices
    return Estimate(len(asked), given, taken, cost_of(given, taken, prices), prices.currency)


def total(estimates: Iterable[Estimate]) -> Estimate:
    """Of a whole run: each figure summed. All are of one rubric, so of one currency."""
    found = list(estimates)
    costs = [one.cost for one in found if one.cost is not None]
    return Estimate(
        calls=sum(one.calls for one in found),
        input_tokens=sum(one.input_tokens for one in found),
        output_tokens=sum(one.output_tokens for one in found),
        cost=sum(costs) if costs else None,
        currency=next((one.currency for one in found), None),
    )


def _assumed(
    statements: Iterable[StatementView], case: Case, definition: RubricDefinition
) -> list[Assignment]:
    own = ClaimClass.SUBJECT_SPECIFIC
    policy = definition.contract.evidence[own]
    return [
        Assignment(one, own, None, SpeechAct.ASSERTION, policy, passages=case.context)
        for one in statements
    ]


def _given(spec: LlmSpec, question: Question[Any]) -> int:
    return tokens_of(request(spec, question.prompt, question.document).sent)


def _taken(spec: LlmSpec, question: Question[Any]) -> int:
    expected = AROUND_ANSWERS + EACH_ANSWER[question.judge_pass] * len(question.ids)
    return min(expected, spec.parameters.max_output_tokens)
