"""The first pass: speech act, class, claim type and hidden premises of one statement."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final, Protocol

from grounding.contract import ClaimClass, ClaimType, SpeechAct
from grounding.judges.lexical.verifying import Text, best_window
from grounding.judges.protocol import (
    CaseView,
    Classification,
    HiddenPremise,
    PassResult,
    StatementView,
)
from grounding.language.markers import REASON
from grounding.language.sentences import sentences
from grounding.language.tokens import Span, span_of
from grounding.language.words import ANCHORS, PRONOUNS

_MATERIAL = (
    r"(?:context|passages?|excerpts?|sources?"
    r"|(?:provided|given|available|supplied|retrieved) (?:\w+ )?"
    r"(?:documents?|text|information|material|records?|report)|documents? (?:provided|supplied))"
)


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_REFUSAL: Final = _any(
    r"\b(?:i|we) (?:cannot|can't|can not|could not|couldn't|(?:am|are|was|were) (?:not able|unable)"
    r" to) (?:answer|determine|say|tell|confirm|provide|help|establish)\b",
    r"\b(?:i|we) (?:do not|don't) (?:know|have (?:enough|sufficient|any) information)\b",
    rf"\b{_MATERIAL} (?:do|does|did)(?: not|n't) "
    r"(?:say|mention|state|address|contain|specify|include|provide|answer|give|cover|describe)",
    rf"\bnot (?:mentioned|stated|specified|given|provided|covered|addressed) in the {_MATERIAL}",
    r"\b(?:no|not enough|insufficient) information "
    r"(?:is |was )?(?:available|given|provided|on|about)",
)
_RETRIEVAL: Final = _any(
    r"\b(?:i|we) (?:found|retrieved|searched|looked (?:up|through|at)|reviewed)\b",
    r"\b(?:search|query|lookup) (?:returned|found|gave|produced)\b",
    r"\b(?:results?|documents?|passages?|records?) (?:was|were) (?:found|returned|retrieved)\b",
)
_CLARIFICATION: Final = _any(
    r"\?[\"'”’)\]]*\s*$",
    r"^please (?:clarify|specify|tell me|let me know|provide)\b",
)
_PROCEDURAL: Final = _any(
    r"^(?:sure|certainly|of course|okay|ok)\b[^.]{0,20}[.!,:]?$",
    r"^(?:let me|i will now|i'll now|i am going to|i'm going to)\b",
    r"^(?:here (?:is|are)|below (?:is|are)|the following (?:is|are))\b[^.]*"
    r"(?:summary|answer|steps?|list|overview|breakdown)\b",
)
_INTERPRETATION: Final = _any(
    r"\b(?:i|we|i'd|we'd)(?: would)?(?: strongly)? (?:recommend|suggest|advise)\b",
    r"\b(?:you|we|they|one) (?:should|ought to|may want to|might want to|could consider)\b",
    r"^(?:consider|try|avoid|make sure|be sure)\b",
    r"\bit (?:is|would be|might be|may be|could be) "
    r"(?:best|better|wise|worth|advisable|sensible|reasonable|a good idea)\b",
    r"\bin (?:my|our) (?:opinion|view)\b",
    r"\b(?:look|looks|seem|seems|appear|appears|feels?) "
    r"(?:very |quite |rather )?(?:good|bad|great|fine|healthy|unhealthy|promising|reasonable|solid"
    r"|strong|weak|normal|odd|strange|worrying|encouraging|concerning|nice)\b",
)
_PAST: Final = re.compile(
    r"\b(?:was|were|had|did|went|made|took|said|got|gave|became|began|won|lost|rose|fell|grew"
    # A participle after an article or a form of be is no past tense: "a failed operation".
    r"|has been|have been|(?<!\ba )(?<!\ban )(?<!\bthe )(?<!\bis )(?<!\bare )(?<!\bbe )\w{3,}ed)\b",
    re.IGNORECASE,
)
_PROGRESSIVE: Final = re.compile(r"\b(?:is|are|am|'s|'re) (?:\w+ )?\w{2,}ing\b", re.IGNORECASE)
_SPEECH_ACTS: Final = (
    (SpeechAct.REFUSAL, _REFUSAL),
    (SpeechAct.RETRIEVAL_STATEMENT, _RETRIEVAL),
    (SpeechAct.CLARIFICATION, _CLARIFICATION),
    (SpeechAct.PROCEDURAL, _PROCEDURAL),
)
_CLASS_OF_ACT: Final = {
    SpeechAct.REFUSAL: ClaimClass.SUBJECT_SPECIFIC,
    SpeechAct.RETRIEVAL_STATEMENT: ClaimClass.SUBJECT_SPECIFIC,
    SpeechAct.CLARIFICATION: ClaimClass.INTERPRETATION,
    SpeechAct.PROCEDURAL: ClaimClass.INTERPRETATION,
}
_QUANTIFIER: Final = re.compile(
    r"\b(?:all|every|each|none|most|many|few|several|some|any|only|both|always|never|majority"
    r"|half|entire|whole)\b",
    re.IGNORECASE,
)
_CAUSAL: Final = re.compile(
    r"\b(?:because|caus(?:e|es|ed|ing)|due to|led to|leads to|results? in|resulted in|therefore"
    r"|thanks to|owing to|as a result|so that|prevents?|prevented)\b",
    re.IGNORECASE,
)


class Rules(Protocol):
    """What a rubric sets of the first pass, whichever judge uses it."""

    @property
    def window_sentences(self) -> int: ...

    @property
    def anchor_overlap(self) -> float: ...


def classify_all(
    case: CaseView,
    statements: Sequence[StatementView],
    precedence: Sequence[ClaimType],
    rules: Rules,
) -> PassResult[Classification]:
    """The whole first pass, for every judge that has none of its own."""
    texts = [Text(passage.id, False, passage.text) for passage in case.context]
    return PassResult(
        tuple(classify(one, case.answer, texts, precedence, rules) for one in statements)
    )


def classify(
    statement: StatementView,
    answer: str,
    texts: Sequence[Text],
    precedence: Sequence[ClaimType],
    parameters: Rules,
) -> Classification:
    """The statement's classification, by the rules that the package's docstring numbers."""
    span = span_of(statement.text)
    act = _speech_act(statement.text)
    claim_class = _CLASS_OF_ACT.get(act) or _class(span, texts, parameters)
    premises: tuple[HiddenPremise, ...] = ()
    if claim_class is ClaimClass.INTERPRETATION and act is SpeechAct.ASSERTION:
        premises = _premises(statement, answer)
    return Classification(
        statement_id=statement.statement_id,
        claim_class=claim_class,
        claim_type=_claim_type(span, precedence),
        speech_act=act,
        premises=premises,
    )


def _speech_act(text: str) -> SpeechAct:
    """The act of every sentence of ``text``, or assertion where they differ.

    One assertion among them must not slip past the support test with the others.
    """
    acts = {_act_of_sentence(sentence) for sentence in sentences(text)}
    return acts.pop() if len(acts) == 1 else SpeechAct.ASSERTION


def _act_of_sentence(sentence: str) -> SpeechAct:
    plain = sentence.replace("’", "'")
    return next((act for act, marks in _SPEECH_ACTS if marks.search(plain)), SpeechAct.ASSERTION)


def _class(span: Span, texts: Sequence[Text], parameters: Rules) -> ClaimClass:
    parts = sentences(span.text.replace("’", "'"))
    if parts and all(_INTERPRETATION.search(part) for part in parts):
        return ClaimClass.INTERPRETATION
    if _is_general(span) and not _anchored(span, texts, parameters):
        return ClaimClass.EXTERNAL
    return ClaimClass.SUBJECT_SPECIFIC


def _is_general(span: Span) -> bool:
    """Present tense about a kind of thing: nobody named, nothing counted, nothing pointed at.

    Only in what looks like English: plain letters, with a function word among them.
    """
    if not span.text.isascii() or all(token.is_content for token in span.tokens):
        return False
    if not span.content or span.numbers or any(token.is_name for token in span.tokens):
        return False
    words = [span.text[token.start : token.end].casefold() for token in span.tokens]
    if (
        not _opens_with_a_kind(words[0])
        or not PRONOUNS.isdisjoint(words)
        or "your" in words
        or "our" in words
    ):
        return False
    return not _PAST.search(span.text) and not _PROGRESSIVE.search(span.text)


def _opens_with_a_kind(word: str) -> bool:
    """An article, a plural or an -ing word; a bare singular may well be somebody's name."""
    if word in ANCHORS:
        return False
    return word in ("a", "an") or (word.endswith(("s", "ing")) and not word.endswith("ss"))


def _anchored(span: Span, texts: Sequence[Text], parameters: Rules) -> bool:
    best = best_window(span.content, texts, parameters.window_sentences)
    return best is not None and best[0] >= parameters.anchor_overlap


def _premises(statement: StatementView, answer: str) -> tuple[HiddenPremise, ...]:
    found = REASON.search(statement.text)
    if found is None or not found["premise"].strip():
        return ()
    text = found["premise"].strip()
    return (HiddenPremise(text, _place(statement, answer, found.start("premise"), text)),)


def _place(statement: StatementView, answer: str, offset: int, text: str) -> tuple[int, int] | None:
    # Only where the statement stands in the answer word for word does the place carry over.
    if statement.span is None or answer[slice(*statement.span)] != statement.text:
        return None
    start = answer.find(text, statement.span[0] + offset)
    return (start, start + len(text)) if start >= 0 else None


def _claim_type(span: Span, precedence: Sequence[ClaimType]) -> ClaimType:
    shown = {
        ClaimType.DATE: any(token.is_month or _is_year(token.number) for token in span.tokens),
        ClaimType.QUANTITY: any(
            token.number is not None and not token.is_month for token in span.tokens
        ),
        ClaimType.NEGATION: any(token.is_negation for token in span.tokens),
        ClaimType.QUANTIFIER: bool(_QUANTIFIER.search(span.text)),
        ClaimType.CAUSAL: bool(_CAUSAL.search(span.text)),
        ClaimType.ENTITY: any(token.is_name for token in span.tokens),
    }
    return _first_shown(shown, precedence)


def _first_shown(shown: Mapping[ClaimType, bool], precedence: Sequence[ClaimType]) -> ClaimType:
    return next((kind for kind in precedence if shown.get(kind)), precedence[-1])


def _is_year(number: Decimal | None) -> bool:
    return number is not None and number == int(number) and 1000 <= number <= 2100
