"""A judge that asks a local entailment model: does this text entail, or contradict, the claim?

**First pass.** An entailment model knows nothing of classes, so statements are classed by the
lexical judge's rules (`grounding.judges.lexical.classifying`), which the rubric names by their
implementation. Refusals and retrieval statements speak of what was found, not of the world, and
are verified by its rules too.

**Second pass**, for all else:

1. Windows: each passage or source whole; every run of as many neighbouring ones as the rubric
   says, joined, so that a claim which rests on several is seen beside all of them; every run of
   so many sentences. A window too long for the model is divided at sentences, with overlap, and
   a sentence too long is divided at words: no text goes unseen. A statement that leaves no room
   beside it is `too_long`.
2. The model gives each window its probabilities. The highest of entailment and the highest of
   contradiction, over all windows, are held against the rubric's thresholds: entailed where
   entailment reaches its own, unless contradiction reaches its own and is as likely; else
   contradicted where contradiction does; else neutral. A model that tells only entailment from
   its absence never contradicts.
3. Evidence is the window that decided, one quote for each passage or source in it; none for
   neutral. Confidence is the deciding probability; for neutral, what the others leave.

What the model is and that nothing of it is fetched, stands in `grounding.judges.nli.models`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

from grounding.errors import Refused
from grounding.interchange.models import Evidence, Outcome
from grounding.judges import lexical
from grounding.judges.lexical import acts
from grounding.judges.lexical.classifying import classify_all
from grounding.judges.lexical.verifying import Finding, Text, cited, quoted, texts_of
from grounding.judges.nli.labels import Meaning
from grounding.judges.nli.models import PLACES, Found, Network, find, load
from grounding.judges.nli.windows import Cut, Window, windows, words_of
from grounding.judges.protocol import (
    Assignment,
    CaseView,
    Classification,
    JudgeFailure,
    PassResult,
    StatementFailure,
    StatementView,
    Verification,
)
from grounding.rubrics.definition import ClaimTypeRules, RubricDefinition
from grounding.rubrics.specs import NliParameters, NliSpec

NAME: Final = "nli"
LIMITS: Final = (
    "It is as good as the model it asks. It reads a few passages at a time and no more than the "
    "model takes; arithmetic, and claims that rest on passages far apart, escape it. Classes, "
    "refusals and retrieval statements are judged by the lexical judge's rules, with their limits."
)
IMPLEMENTATION: Final = 1
"""Raise it whenever any rule here could give any statement another outcome."""

LEAST_ROOM: Final = 8
"""Tokens that a statement must leave for the text beside it; with fewer it is too long."""

Answer = Verification | StatementFailure


class NliJudge:
    """The judge; the thresholds and the model are the rubric's, the rules this package's."""

    name = NAME
    implementation = IMPLEMENTATION

    def __init__(
        self, found: Found, parameters: NliParameters, claim_types: ClaimTypeRules
    ) -> None:
        self._found = found
        self._parameters = parameters
        self._precedence = claim_types.precedence

    @classmethod
    def of(cls, definition: RubricDefinition) -> Self:
        """The judge as ``definition`` sets it; its weights are loaded when they are needed.

        Refused where that names another kind, a model that is not here as it was pinned, other
        rules for the first pass than are here, or a word that the rubric does not map.
        """
        spec = definition.judge
        if not isinstance(spec, NliSpec):
            raise Refused(f"{definition.reference} does not name an nli judge")
        lexical.require_classifier(spec.parameters.classifier, definition.reference)
        unmapped = set(spec.parameters.words.model_dump().values()) - {*definition.verdict_mapping}
        if unmapped:
            raise Refused(f"{definition.reference} maps no verdict from {min(unmapped)!r}")
        found = find(spec, definition.reference)
        return cls(found, spec.parameters, definition.claim_types)

    async def classify(
        self, case: CaseView, statements: Sequence[StatementView]
    ) -> PassResult[Classification]:
        return classify_all(case, statements, self._precedence, self._parameters)

    async def verify(
        self, case: CaseView, assignments: Sequence[Assignment]
    ) -> PassResult[Verification]:
        # In a thread: a model takes seconds, and other cases wait on the same loop.
        return await asyncio.to_thread(self._verify_all, case, assignments)

    def _verify_all(
        self, case: CaseView, assignments: Sequence[Assignment]
    ) -> PassResult[Verification]:
        try:
            network = load(self._found)
        except Refused as refusal:
            raise JudgeFailure(Outcome.UNAVAILABLE, str(refusal)) from None
        with network.lock:
            return PassResult(tuple(self._verify(case, one, network) for one in assignments))

    def _verify(self, case: CaseView, assignment: Assignment, network: Network) -> Answer:
        texts = texts_of(assignment)
        ruled = acts.found(case, assignment, texts, self._parameters)
        if ruled is not None:
            return self._by_rule(assignment, ruled)
        key, claim = assignment.statement.statement_id, assignment.statement.text
        most = min(self._parameters.max_tokens, network.longest)
        if network.tokens("", claim) > most - LEAST_ROOM:
            return StatementFailure(
                key, Outcome.TOO_LONG, f"it leaves no room within the model's {most} tokens"
            )
        read = self._read(claim, texts, network, most)
        decision = decide(read, self._found.meanings, self._parameters)
        return Verification(
            key,
            self._word(decision.meaning),
            evidence=_quotes(decision.window, texts),
            explanation=decision.why,
            confidence=decision.confidence,
        )

    def _read(
        self, claim: str, texts: Sequence[Text], network: Network, most: int
    ) -> list[tuple[Window, tuple[float, ...]]]:
        """Every window with the model's probabilities."""
        given = self._parameters
        plain = [one.text for one in texts]
        cut = Cut(given.join_passages, given.run_sentences, given.overlap_sentences)
        laid = windows(plain, cut, lambda words: network.tokens(words, claim) <= most)
        premises = [words_of(one, plain) for one in laid]
        return list(zip(laid, network.probabilities(premises, claim, given.batch), strict=True))

    def _by_rule(self, assignment: Assignment, finding: Finding) -> Verification:
        meaning: dict[str, Meaning] = {"entailed": "entailment", "refuted": "contradiction"}
        return Verification(
            assignment.statement.statement_id,
            self._word(meaning.get(finding.raw, _otherwise(self._found.meanings))),
            evidence=cited(finding.places) if acts.quotable(assignment, finding.raw) else (),
            explanation=finding.why,
        )

    def _word(self, meaning: Meaning) -> str:
        return str(getattr(self._parameters.words, meaning))


@dataclass(frozen=True, slots=True)
class Decision:
    """What all windows together come to, and the window it rests on."""

    meaning: Meaning
    window: Window
    confidence: float
    why: str


def decide(
    read: Sequence[tuple[Window, tuple[float, ...]]],
    meanings: Sequence[Meaning],
    parameters: NliParameters,
) -> Decision:
    """The decision over windows with their probabilities, in the order of ``meanings``; of
    windows with equal ones the first counts. No window at all is neutral."""
    entailing, entail = _likeliest(read, meanings, "entailment")
    refuting, refute = _likeliest(read, meanings, "contradiction")
    contradicted = "contradiction" in meanings and refute >= parameters.contradict
    why = f"entailment at most {entail:.2f}, contradiction at most {refute:.2f}"
    if "contradiction" not in meanings:
        why = f"entailment at most {entail:.2f}"
    if read and entail >= parameters.entail and not (contradicted and refute >= entail):
        return Decision("entailment", entailing, entail, why)
    if read and contradicted:
        return Decision("contradiction", refuting, refute, why)
    if not read:
        return Decision(_otherwise(meanings), (), 1.0, "there is no text to hold it against")
    return Decision(_otherwise(meanings), (), round(1 - max(entail, refute), PLACES), why)


def _likeliest(
    read: Sequence[tuple[Window, tuple[float, ...]]], meanings: Sequence[Meaning], meaning: Meaning
) -> tuple[Window, float]:
    if not read or meaning not in meanings:
        return (), 0.0
    at = meanings.index(meaning)
    window, shares = max(read, key=lambda one: one[1][at])
    return window, shares[at]


def _otherwise(meanings: Sequence[Meaning]) -> Meaning:
    return "neutral" if "neutral" in meanings else "not_entailment"


def _quotes(window: Window, texts: Sequence[Text]) -> tuple[Evidence, ...]:
    return tuple(quoted(texts[one.text], one.start, one.end) for one in window)
