"""A judge that compares words: deterministic, offline, without a model.

**First pass**, in this order:

1. Speech act, by its wording: refusal, retrieval statement, clarification (any question, too),
   procedural text; anything else is an assertion. The contract says which class an act has.
2. Interpretation, where the wording recommends, advises, weighs up or gives an opinion. A
   reason given with *because*, *since* or *given that* is split off as a hidden premise.
3. External, where the statement is general and the context has too few of its words. General:
   it looks like English, opens with *a*, a plural or an *-ing* word, is in the present tense,
   names nobody, counts nothing and points at nothing (*the*, *this*, *your*, *they* …).
4. Subject-specific, for all the rest. In doubt a claim is held to the context.

A statement of several sentences has a speech act or is an interpretation only if each sentence
shows it, so that no assertion rides along.

The claim type is the first in the rubric's precedence whose marks the statement shows.

**Second pass**, over windows of neighbouring sentences of the texts that the policy admits:

1. No window holds any of the statement's content words: `not_stated`.
2. The best window, if it holds enough of them, can contradict, by what stands there and never by
   how little is alike (`mismatches`): another number, year, month or unit's figure where neither
   the claim's stands anywhere nor one rounds to the other; a word of a closed list that excludes
   the claim's (opposites, colours, nationalities …); one side negated and the other not; *all*
   where fewer are said to; another name between the same neighbours; cause and effect, or a
   comparison, turned round. `refuted`.
3. Further windows join the best one, up to the rubric's number, where each holds a good share and
   adds a missing word. A number or a name that none of them has; an opening word that may be a
   name, where another opens a sentence there; *all*, *only*, *always* … of the claim's own; a
   reservation (*may*, *reportedly* …) that the claim dropped: `not_stated`.
4. A logistic regression over the figures of `features` says how likely a person would call the
   claim supported. At or above the rubric's probability: `entailed`, citing the windows. Else
   `not_stated`. It never guesses.

The weights stand in `coefficients.json`, trained by `python -m benchmarks.train_lexical`; see
NOTICE.md. No weight may speak against its feature's plain sense. The rubric names their digest,
and the judge refuses to run with others.

Words meet over inflection, over what one is derived from (*dance*, *dancer*), over a common
beginning of six letters, or by closed lists of like words (*film*, *movie*) and of wider ones (a
text of a *girl* tells of a *person*). A first name may be missing before its surname. A negation
counts for words that are not said plainly beside it, and under one no word excludes its opposite.

A number is borne out by the same number, and by one that rounds to it (`rounding`):

- Units of one dimension are converted, and one length of time may be told in two of them: *1 h 24
  min* is 84 minutes, *one and a half hours* are 90.
- A claimed number is as exact as its last written digit. 47.6% bears out 48%, and 47.4% does not;
  12.4 million bears out *12 million*, and 12 never 12.4.
- The zeros at the end of a whole number are digits: 4,987 is not 5,000. After *about*, *around*,
  *roughly*, *some*, *~* and the like they are rounded, and *about 5,000* is anything from 4,546
  to 5,499; after *nearly* and *almost* only what is less. Where miles are converted into kilometres
  and the like, they are rounded as well.
- Rounding moves a number by a twentieth at most, after *about* by a tenth: 0.6% is not 1%.
- After *exactly*, *at least*, *over* and other bounds a number rounds nothing. Dates, years,
  times of day, ordinals, versions, and numbers behind a name or a word such as *rule* never round.

Digits of any script are numbers, in every usual grouping; Chinese, Japanese and other scripts
without spaces are compared by overlapping pairs of characters.

A refusal is `entailed` (warranted) where no window holds enough of the question's content
words, and `refuted` where one does. A retrieval statement is `entailed` or `refuted` where it
counts the passages, and is verified as an assertion where it does not.

What it cannot see stands in `LIMITS`, for its readers too. It states no confidence: what the
regression gives was fitted to one kind of text, and an explanation calls it a lexical score.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Self

from grounding.errors import Refused
from grounding.judges.lexical import acts
from grounding.judges.lexical.classifying import classify_all
from grounding.judges.lexical.model import Model, load_model
from grounding.judges.lexical.verifying import Finding, cited, find, texts_of
from grounding.judges.protocol import (
    Assignment,
    CaseView,
    Classification,
    PassResult,
    StatementView,
    Verification,
)
from grounding.language.tokens import span_of
from grounding.rubrics.definition import ClaimTypeRules, RubricDefinition
from grounding.rubrics.specs import LexicalParameters, LexicalSpec

NAME: Final = "lexical"
LIMITS: Final = (
    "It compares words. It cannot see what they mean beyond closed lists of like words and "
    "opposites, who “he” or “it” is, what a number counts, arithmetic over passages beyond units "
    "and rounding, or who did what to whom but for "
    "causes and comparisons. In a long document it finds little. It was trained on English "
    "dialogue alone: names need capitals, and in scripts without spaces any negation counts for "
    "the whole window. Where it cannot tell it says unsupported."
)
IMPLEMENTATION: Final = 4
"""Raise it whenever any rule or word list could give any statement another outcome."""


def require_classifier(wanted: int, reference: str) -> None:
    """Refused where ``reference``, whose judge has no first pass of its own, was calibrated with
    another implementation of this one's."""
    if wanted != IMPLEMENTATION:
        raise Refused(
            f"{reference} classes statements by lexical implementation {wanted}, "
            f"and this installation has {IMPLEMENTATION}"
        )


class LexicalJudge:
    """The judge; its thresholds are the rubric's, its rules are this package's."""

    name = NAME
    implementation = IMPLEMENTATION

    def __init__(
        self, parameters: LexicalParameters, claim_types: ClaimTypeRules, model: Model
    ) -> None:
        self._parameters = parameters
        self._model = model
        self._precedence = claim_types.precedence

    @classmethod
    def of(cls, definition: RubricDefinition) -> Self:
        """The judge as ``definition`` sets it.

        Refused where that names another kind, or coefficients that are not the ones here.
        """
        if not isinstance(definition.judge, LexicalSpec):
            raise Refused(f"{definition.reference} does not name a lexical judge")
        parameters = definition.judge.parameters
        model = load_model(parameters.coefficients, definition.reference)
        return cls(parameters, definition.claim_types, model)

    async def classify(
        self, case: CaseView, statements: Sequence[StatementView]
    ) -> PassResult[Classification]:
        return classify_all(case, statements, self._precedence, self._parameters)

    async def verify(
        self, case: CaseView, assignments: Sequence[Assignment]
    ) -> PassResult[Verification]:
        return PassResult(tuple(self._verify(case, one) for one in assignments))

    def _verify(self, case: CaseView, assignment: Assignment) -> Verification:
        finding = self._found(case, assignment)
        return Verification(
            statement_id=assignment.statement.statement_id,
            raw_verdict=finding.raw,
            evidence=cited(finding.places) if acts.quotable(assignment, finding.raw) else (),
            explanation=finding.why,
        )

    def _found(self, case: CaseView, assignment: Assignment) -> Finding:
        texts = texts_of(assignment)
        claim = span_of(assignment.statement.text)
        return acts.found(case, assignment, texts, self._parameters) or find(
            claim, texts, self._parameters, self._model
        )
