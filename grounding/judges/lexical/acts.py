"""What holds for speech acts that assert nothing about the world, but about what was found."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Protocol

from grounding.contract import SpeechAct
from grounding.judges.lexical.verifying import Finding, Place, Text, best_window
from grounding.judges.protocol import Assignment, CaseView
from grounding.language.tokens import span_of


class Rules(Protocol):
    """What a rubric sets of it, whichever judge asks."""

    @property
    def window_sentences(self) -> int: ...

    @property
    def answerable_overlap(self) -> float: ...


def found(
    case: CaseView, assignment: Assignment, texts: Sequence[Text], rules: Rules
) -> Finding | None:
    """Of a refusal whether it is warranted, of a retrieval statement whether it counts right;
    None for whatever is to be verified as an assertion is."""
    match assignment.speech_act:
        case SpeechAct.REFUSAL:
            return _warranted(case.question, texts, rules)
        case SpeechAct.RETRIEVAL_STATEMENT:
            return _counted(assignment.statement.text, len(texts))
        case _:
            return None


def quotable(assignment: Assignment, raw: str) -> bool:
    """Whether a finding has words to cite: the absence that warrants a refusal has none."""
    return assignment.speech_act is SpeechAct.ASSERTION or raw == "refuted"


def _warranted(question: str | None, texts: Sequence[Text], rules: Rules) -> Finding:
    content = span_of(question or "").content
    if not content:
        return Finding("not_stated", (), "there is no question to hold the refusal against")
    best = best_window(content, texts, rules.window_sentences)
    if best is None or best[0] < rules.answerable_overlap:
        return Finding("entailed", (), "no passage speaks of what was asked")
    return Finding("refuted", (Place(best[1], best[2]),), "a passage speaks of what was asked")


def _counted(statement: str, passages: int) -> Finding | None:
    span = span_of(statement)
    numbers = span.numbers or (
        frozenset({Decimal(0)}) if any(one.is_negation for one in span.tokens) else frozenset()
    )
    if len(numbers) != 1:
        return None
    said = next(iter(numbers))
    why = f"{passages} passages were admitted"
    return Finding("entailed" if said == passages else "refuted", (), why)
