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
from typing import Any, Final

from grounding.contract import ClaimClass, SpeechAct
from grounding.interchange.models import Case, Source
from grounding.judges.llm import LlmJudge
from grounding.judges.llm.asking import Question, cost_of
from grounding.judges.llm.prompting import request
from grounding.judges.protocol import (
    Assignment,
    CaseView,
    Classification,
    StatementView,
    Verification,
)
from grounding.rubrics import LlmSpec

AROUND_ANSWERS: Final = 10
CLASSIFICATION: Final = 80
VERIFICATION: Final = 120
"""Tokens of an answer: around all, and for each statement in either pass."""

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


def estimate(judge: LlmJudge, case: Case, sources: Iterable[Source] = ()) -> Estimate:
    """What one grading of ``case`` by ``judge`` will come to.

    ``sources`` are left aside: which statements will need them is not known yet.
    """
    view = CaseView.of(case)
    statements = [StatementView.of(one) for one in case.statements]
    policy = judge.definition.contract.evidence[ClaimClass.SUBJECT_SPECIFIC]
    first = [one for one in judge.classifications(view, statements) if judge.fits(one)]
    second: list[Question[Verification]] = []
    for batch in judge.batches(
        [
            Assignment(
                one,
                ClaimClass.SUBJECT_SPECIFIC,
                None,
                SpeechAct.ASSERTION,
                policy,
                passages=case.context,
            )
            for one in statements
        ]
    ):
        second += judge.verifications(view, batch)
    return total(judge.spec, [*(_one(judge.spec, q, CLASSIFICATION) for q in first)])
