"""A set's statements as the learned judge sees them, each with its reference and what it goes
together with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from calibration.judges import grading
from calibration.learned.fitting import Examples
from grounding.contract import ClaimClass, EvidenceOrigin, SpeechAct, Verdict
from grounding.interchange import models as interchange
from grounding.judges.learned.features import Row, see
from grounding.judges.lexical.classifying import classify
from grounding.judges.lexical.model import load_model
from grounding.judges.lexical.verifying import Text
from grounding.judges.protocol import StatementView
from grounding.rubrics import LexicalParameters, RubricDefinition, fingerprint
from labeling.models import CalibrationSet, Case, Source, Statement
from labeling.references import Reference

_GRADED: Final = frozenset({Verdict.SUPPORTED, Verdict.UNSUPPORTED, Verdict.CONTRADICTORY})
_AT_ONCE: Final = 500


@dataclass(frozen=True)
class Told:
    """A statement with a reference that the judge can learn from, as it sees it: for its class
    beside the admitted context, for its verdict beside what the reference's class admits."""

    reference: Reference
    for_class: Row
    for_verdict: Row


@dataclass(frozen=True)
class Seen:
    """A statement: its pair, else its case; its fingerprint and that of its answer. ``told`` is
    None without a reference, and for refusals and the like, which go by rules."""

    group: str
    fingerprint: str
    answer: str
    told: Told | None


@dataclass(frozen=True)
class _Eyes:
    """What all statements are seen with."""

    definition: RubricDefinition
    parameters: LexicalParameters
    sources: Sequence[Text]


def see_all(
    calibration_set: CalibrationSet,
    definition: RubricDefinition,
    parameters: LexicalParameters,
    references: Mapping[int, Reference],
) -> Iterator[Seen]:
    """Every statement of the set's revision, in its order; ``references`` by primary key."""
    held = Source.objects.filter(set=calibration_set).order_by("pk")
    sources = [Text(one.source_id, True, one.text) for one in held]
    eyes = _Eyes(definition, parameters, sources)
    cases = Case.objects.at(calibration_set.revision).filter(set=calibration_set)
    pks = list(cases.order_by("position", "pk").values_list("pk", flat=True))
    for start in range(0, len(pks), _AT_ONCE):
        yield from _seen(pks[start : start + _AT_ONCE], references, eyes)


def verdict_examples(seen: Sequence[Seen], folds: Sequence[int]) -> Examples:
    """Those whose reference states one of the verdicts that are graded."""
    rows = [
        (one.told.for_verdict, one.told.reference.verdict, fold, one.group)
        for one, fold in zip(seen, folds, strict=True)
        if one.told and one.told.reference.verdict in _GRADED
    ]
    return Examples(*map(list, zip(*rows, strict=True))) if rows else Examples((), (), ())


def class_examples(seen: Sequence[Seen], folds: Sequence[int]) -> Examples:
    """Those whose reference states a class."""
    rows = [
        (one.told.for_class, one.told.reference.claim_class, fold, one.group)
        for one, fold in zip(seen, folds, strict=True)
        if one.told and one.told.reference.claim_class
    ]
    return Examples(*map(list, zip(*rows, strict=True))) if rows else Examples((), (), ())


def _seen(
    case_pks: Sequence[int], references: Mapping[int, Reference], eyes: _Eyes
) -> Iterator[Seen]:
    records = grading.records_of(case_pks)
    rows = Statement.objects.filter(case__in=case_pks).only("case_id", "statement_id")
    found = {(one.case_id, one.statement_id): one.pk for one in rows}
    for case_pk in case_pks:
        case = records[case_pk]
        for one in case.statements:
            reference = references.get(found[case_pk, one.statement_id])
            yield Seen(
                group=f"pair {case.pair_id}" if case.pair_id else f"case {case.case_id}",
                fingerprint=fingerprint(one.text, case.context),
                answer=fingerprint(case.answer, case.context),
                told=_told(case, one, reference, eyes) if reference else None,
            )


def _told(
    case: interchange.Case, statement: interchange.Statement, reference: Reference, eyes: _Eyes
) -> Told | None:
    context = [Text(passage.id, False, passage.text) for passage in case.context]
    ruled = classify(
        StatementView.of(statement),
        case.answer,
        context,
        eyes.definition.claim_types.precedence,
        eyes.parameters,
    )
    if ruled.speech_act != SpeechAct.ASSERTION:
        return None
    model = load_model(eyes.parameters.coefficients, eyes.definition.reference)

    def row(texts: Sequence[Text]) -> Row:
        return see(statement.text, ruled.claim_class, texts, eyes.parameters, model).row

    for_class = row(context)
    admitted = _admitted(reference.claim_class or ruled.claim_class, eyes.definition)
    on_context = admitted is not EvidenceOrigin.APPROVED_SOURCES
    return Told(reference, for_class, for_class if on_context else row(eyes.sources))


def _admitted(claim_class: str, definition: RubricDefinition) -> EvidenceOrigin:
    return definition.contract.evidence[ClaimClass(claim_class)].origin
