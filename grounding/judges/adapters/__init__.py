"""Judges that are someone else's faithfulness metric, asked through its own code.

For a team that scores with Ragas or DeepEval today and wants to know whether that score agrees
with people. Before anything is asked, `guarding` makes sure that the package is the one, with
the prompts and the reading of answers, that the rubric was calibrated with.

**First pass.** These metrics know no classes, so statements are classed by the lexical judge's
rules (`grounding.judges.lexical.classifying`), which the rubric names by their implementation.
Agreement on class is theirs, not the package's.

**Second pass.** The package is given statements of ours, with the texts that the policy of their
class admits, and answers in its own words, which the rubric maps. Only its word for *yes* may
be mapped to supported. Where no text is admitted it is not asked, since with nothing to read
these metrics have been seen to find everything faithful: the word is then ``no_text``. What it
leaves out is missing, what it says twice or of something else is not guessed at, what its code
cannot read is unreadable. It cites nothing, so what it calls supported counts as without evidence.

A rubric's own prompt for the second pass takes the place of the package's instruction; then what
runs is the rubric's words in the package's form, and the fingerprint is of both.

Its score, threshold and strict mode are left aside: verdicts are compared with people's, and
what an answer amounts to is the rubric's answer policy.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, Self

from grounding.contract import Verdict
from grounding.errors import Refused
from grounding.judges import lexical
from grounding.judges.adapters import carrying
from grounding.judges.adapters.carrying import Log
from grounding.judges.adapters.deepeval import DeepEvalHook
from grounding.judges.adapters.guarding import adapter_of, made, require_calibrated
from grounding.judges.adapters.hooks import Hook, HookKind, NotSaid, Said
from grounding.judges.adapters.matching import Matching
from grounding.judges.adapters.ragas import RagasHook
from grounding.judges.lexical.classifying import classify_all
from grounding.judges.llm.calls import Carrier
from grounding.judges.protocol import (
    Assignment,
    CaseView,
    Classification,
    PassResult,
    StatementFailure,
    StatementView,
    Verification,
)
from grounding.rubrics.definition import ClaimTypeRules, RubricDefinition
from grounding.rubrics.specs import AdapterParameters

IMPLEMENTATION: Final = 1
"""Raise it whenever any rule here could give any statement another outcome."""
NO_TEXT: Final = "no_text"
"""The word for a statement whose class admits no text at all."""

_COMMON = (
    " It cites nothing, so what it calls supported is kept and counted without evidence. Classes, "
    "and any agreement on them, are the lexical judge's, with its limits. Refusals are put to it "
    "like any other statement, as it would put them to itself."
)
LIMITS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "ragas": "Ragas' faithfulness has two words, 1 and 0, and so never says that a statement "
        "is contradicted." + _COMMON,
        "deepeval": "DeepEval's faithfulness reads no passages but a list of truths that its model "
        "drew from them, and what is not in the list it cannot find. Its verdicts name no claim, "
        "so it is asked about one statement at a time." + _COMMON,
    }
)


HOOKS: Final[Mapping[str, HookKind]] = MappingProxyType(
    {"ragas": RagasHook, "deepeval": DeepEvalHook}
)


class AdapterJudge:
    """The judge; the prompts are the package's, what its words mean is the rubric's."""

    implementation = IMPLEMENTATION

    def __init__(
        self, name: str, hook: Hook, parameters: AdapterParameters, claim_types: ClaimTypeRules
    ) -> None:
        self.name = name
        self._hook = hook
        self._parameters = parameters
        self._precedence = claim_types.precedence

    @classmethod
    def of(cls, definition: RubricDefinition, carrier: Carrier | None, *, fresh: bool) -> Self:
        """The judge as ``definition`` sets it.

        Refused where that names another kind, or a package, a version, a hook or a fingerprint
        that is not here; other rules for the first pass; words that may not be mapped so; and
        where nothing carries requests.
        """
        spec, reference = adapter_of(definition), definition.reference
        lexical.require_classifier(spec.parameters.classifier, reference)
        if definition.prompts.classify is not None:
            raise Refused(
                f"{reference} has a prompt for the first pass, and no model is asked there"
            )
        kind = HOOKS[spec.kind]
        _require_words(definition, kind)
        require_calibrated(kind, definition)
        if carrier is None:
            raise Refused(f"{reference} asks a model, and nothing here carries its requests")
        hook = made(kind, definition, carrier, fresh=fresh)
        return cls(spec.kind, hook, spec.parameters, definition.claim_types)

    async def classify(
        self, case: CaseView, statements: Sequence[StatementView]
    ) -> PassResult[Classification]:
        return classify_all(case, statements, self._precedence, self._parameters)

    async def verify(
        self, case: CaseView, assignments: Sequence[Assignment]
    ) -> PassResult[Verification]:
        results = [await self._ask(*group) for group in _by_texts(assignments).items()]
        answers = tuple(one for result in results for one in result.answers)
        return PassResult(answers, tuple(one for result in results for one in result.attempts))

    async def _ask(
        self, texts: tuple[str, ...], assignments: Sequence[Assignment]
    ) -> PassResult[Verification]:
        """One question for all statements that rest on the same texts."""
        ids = _ids_by_text(assignments)
        if not any(text.strip() for text in texts):
            why = "no text is admitted for its class, and so the package is not asked"
            silent = (
                Verification(key, NO_TEXT, explanation=why) for keys in ids.values() for key in keys
            )
            return PassResult(tuple(silent))
        log, matching = Log(), Matching(ids)
        found = await self._hook.ask(texts, tuple(ids), log)
        answers = (answer for one in found for answer in _answers(one, ids, matching))
        return PassResult(tuple(answers), carrying.attempts(log, ids))


def _require_words(definition: RubricDefinition, kind: HookKind) -> None:
    mapping = definition.verdict_mapping
    unmapped = sorted({*kind.words, NO_TEXT} - {*mapping})
    if unmapped:
        raise Refused(f"{definition.reference} maps no verdict from {unmapped[0]!r}")
    passed = sorted(
        word
        for word, verdict in mapping.items()
        if verdict is Verdict.SUPPORTED and word != kind.yes
    )
    if passed:
        raise Refused(
            f"{definition.reference} maps {passed[0]!r} to supported; of {kind.package}'s words "
            f"only {kind.yes!r} says so"
        )


def _by_texts(assignments: Iterable[Assignment]) -> Mapping[tuple[str, ...], list[Assignment]]:
    groups: dict[tuple[str, ...], list[Assignment]] = {}
    for one in assignments:
        texts = (*(text.text for text in one.passages), *(text.text for text in one.sources))
        groups.setdefault(texts, []).append(one)
    return groups


def _ids_by_text(assignments: Iterable[Assignment]) -> Mapping[str, tuple[str, ...]]:
    """The ids of each text: statements of the same words are asked about once."""
    found: dict[str, tuple[str, ...]] = {}
    for one in assignments:
        text = one.statement.text
        found[text] = (*found.get(text, ()), one.statement.statement_id)
    return found


def _answers(
    one: Said | NotSaid, ids: Mapping[str, tuple[str, ...]], matching: Matching
) -> Iterable[Verification | StatementFailure]:
    if isinstance(one, NotSaid):
        return [
            StatementFailure(key, one.outcome, one.error, one.raw) for key in ids[one.statement]
        ]
    text = matching.text_of(one.statement)
    # A space stands in no id, so that words that were made up never take a statement's place.
    keys = ids[text] if text is not None else (f"statement {one.statement!r}",)
    return [
        Verification(key, one.raw, explanation=one.reason, judge_model=one.model) for key in keys
    ]
