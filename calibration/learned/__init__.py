"""Training the learned judge on a set's own references, up to a released rubric version.

What is trained on: statements whose reference is of the lowest tier asked for or better (a single
blind label, if nothing else is said: the author's expectation is a hypothesis, not an answer).
Pairs, else cases, are dealt out to folds; every statement of the revision has its fold, so that
one whose label comes later is held out as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from django.conf import settings

from calibration import rubrics
from calibration.agreement.columns import CLASSES, VERDICTS
from calibration.drafting import drafts
from calibration.judges import artifacts
from calibration.learned import fitting, seeing
from calibration.learned.fitting import Examples
from calibration.learned.seeing import Seen
from calibration.models import RubricVersion
from calibration.stats.coefficients import kappa
from calibration.stats.confusion import confusion
from calibration.stats.rates import clustered_rate
from calibration.wording.numbers import decimal, share_of
from grounding.errors import BadInput, Refused
from grounding.judges import learned, lexical
from grounding.judges.learned.features import FEATURES
from grounding.judges.learned.weights import Fitted, Head, Weights
from grounding.rubrics import (
    LearnedParameters,
    LearnedSpec,
    LexicalParameters,
    LexicalSpec,
    Prompts,
    RubricDefinition,
    examine,
    load_rubric,
)
from labeling import references
from labeling.models import CalibrationSet
from labeling.references import Resolved

SHIPPED: Final = Path(settings.BASE_DIR) / "calibration" / "rubrics" / "groundedness@1.0.0.yaml"
LEAST: Final = 30
"""References that a training needs."""
MOST_IN_A_REQUEST: Final = 5_000
"""Statements; with more it takes longer than whoever waits for a page should."""


@dataclass(frozen=True)
class Trained:
    """A training as it came out. ``figures`` holds what was trained on, and the agreement on
    verdicts and classes: cross-validated, and as fitted, which measures memory alone."""

    rubric_version: RubricVersion
    artifact: str
    figures: Mapping[str, Any]


def train(
    calibration_set: CalibrationSet,
    *,
    minimum: str = references.SINGLE,
    scope: RubricDefinition | None = None,
    most: int | None = None,
) -> Trained:
    """Train on the set as it is now, and release the version that comes of it.

    ``scope`` is a definition whose labelling scope the new version gets, so that the two can be
    compared; the shipped one's where none is given. Trained again on the same references by the
    same code, it is the version that is there. Raises Refused for too few references, answers of
    one kind only, a single group, and more than ``most`` statements.
    """
    base = scope or _shipped()
    found = references.resolve(
        calibration_set, calibration_set.revision, base.contract.major, minimum
    )
    _require_enough(calibration_set, found, minimum, most)
    evidence = _evidence(base)
    seen = list(seeing.see_all(calibration_set, base, evidence, found.references))
    weights, figures = _learned(calibration_set, seen, found.digest)
    artifact = artifacts.keep(learned.NAME, weights.payload())
    spec = LearnedSpec(
        kind="learned",
        implementation=learned.IMPLEMENTATION,
        parameters=LearnedParameters(
            artifact=artifact,
            references=found.digest,
            lexical=lexical.IMPLEMENTATION,
            evidence=evidence,
        ),
    )
    figures = {"reference": _taken(found, minimum), **figures}
    version = _released(_definition(calibration_set, base, spec, figures))
    return Trained(version, artifact, figures)


def _shipped() -> RubricDefinition:
    return load_rubric(SHIPPED.read_text(encoding="utf-8"), source=SHIPPED.name)


def _evidence(base: RubricDefinition) -> LexicalParameters:
    """How evidence is gathered: as the base does, where it is lexical, else as is shipped."""
    spec = base.judge if isinstance(base.judge, LexicalSpec) else _shipped().judge
    assert isinstance(spec, LexicalSpec)  # noqa: S101  # the shipped rubric is
    return spec.parameters


def _require_enough(
    calibration_set: CalibrationSet, found: Resolved, minimum: str, most: int | None
) -> None:
    statements = sum(found.tiers.values())
    if most is not None and statements > most:
        raise Refused(
            f"the set {calibration_set} has {statements:,} statements, and a page trains on at "
            f"most {most:,}; python manage.py train_judge {calibration_set.slug} has no limit"
        )
    if len(found.references) < LEAST:
        raise Refused(
            f"training needs {LEAST} references, and {len(found.references)} statements of "
            f"{calibration_set} have one of the tier {minimum} or better"
        )


def _learned(
    calibration_set: CalibrationSet, seen: Sequence[Seen], digest: str
) -> tuple[Weights, dict[str, Any]]:
    groups = fitting.grouped([one.group for one in seen], [one.fingerprint for one in seen])
    folds = fitting.dealt(groups)
    count = max(folds) + 1
    if count < 2:
        raise Refused(
            f"the set {calibration_set} is a single pair or case: nothing could be held out"
        )
    verdicts = seeing.verdict_examples(seen, folds)
    _require_learnable(calibration_set, verdicts)
    classes = seeing.class_examples(seen, folds)
    if len(classes) < LEAST or len(set(classes.answers)) < 2:
        classes = Examples((), (), ())
    weights = _weights(verdicts, classes, count, digest, _places(seen, folds))
    return weights, {
        "folds": count,
        "verdict": _agreement(
            verdicts, [one.verdict for one in weights.held_out], weights.whole.verdict, VERDICTS
        ),
        "class": _class_agreement(classes, weights),
    }


def _require_learnable(calibration_set: CalibrationSet, verdicts: Examples) -> None:
    """References for what is never graded (interpretation), or goes by rules (refusals), teach
    the second pass nothing."""
    answers = sorted(set(verdicts.answers))
    if len(verdicts) < LEAST:
        raise Refused(
            f"training needs {LEAST} references to learn from, and {len(verdicts)} assertions of "
            f"{calibration_set} have one that is supported, unsupported or contradictory"
        )
    if len(answers) < 2:
        raise Refused(
            f"every reference of {calibration_set} is {answers[0]}: there is nothing to tell apart"
        )


def _places(seen: Sequence[Seen], folds: Sequence[int]) -> dict[str, int]:
    """The fold of each statement, and of each answer for what is split from it otherwise."""
    answers = {one.answer: fold for one, fold in zip(seen, folds, strict=True)}
    return answers | {one.fingerprint: fold for one, fold in zip(seen, folds, strict=True)}


def _weights(
    verdicts: Examples, classes: Examples, folds: int, digest: str, places: Mapping[str, int]
) -> Weights:
    of_verdicts = fitting.held_out(verdicts, folds)
    of_classes: Sequence[Head | None] = (
        fitting.held_out(classes, folds) if classes else [None] * folds
    )
    return Weights(
        implementation=learned.IMPLEMENTATION,
        lexical=lexical.IMPLEMENTATION,
        features=FEATURES,
        references=digest,
        held_out=tuple(
            Fitted(verdict=verdict, claim_class=claim_class)
            for verdict, claim_class in zip(of_verdicts, of_classes, strict=True)
        ),
        whole=Fitted(
            verdict=fitting.fit(verdicts), claim_class=fitting.fit(classes) if classes else None
        ),
        folds=dict(places),
    )


def _class_agreement(classes: Examples, weights: Weights) -> dict[str, Any] | None:
    heads = [one.claim_class for one in weights.held_out if one.claim_class]
    if weights.whole.claim_class is None:
        return None
    return _agreement(classes, heads, weights.whole.claim_class, CLASSES)


def _agreement(
    examples: Examples, heads: Sequence[Head], whole: Head, names: Sequence[str]
) -> dict[str, Any]:
    """How often the references are met by fits that did not see them, and by one that did; and
    by always giving the commonest."""
    commonest = max(names, key=examples.answers.count)
    return {
        "cross_validated": _met(examples, fitting.predicted_unseen(examples, heads), names),
        "fitted": _met(examples, fitting.predicted(whole, examples.rows), names),
        "always_majority": _share(examples, [commonest] * len(examples)),
    }


def _met(examples: Examples, answers: Sequence[str], names: Sequence[str]) -> dict[str, Any]:
    codes = {str(name): code for code, name in enumerate(names)}
    table = confusion(
        [codes[one] for one in examples.answers], [codes[one] for one in answers], len(codes)
    )
    return {"agreement": _share(examples, answers), "kappa": kappa(table).as_json()}


def _share(examples: Examples, answers: Sequence[str]) -> Mapping[str, Any]:
    """How often ``answers`` are those of the references."""
    met = [one == other for one, other in zip(answers, examples.answers, strict=True)]
    return clustered_rate(met, examples.clusters).as_json()


def _taken(found: Resolved, minimum: str) -> dict[str, Any]:
    taken = references.TIERS[: references.TIERS.index(minimum) + 1]
    return {
        "minimum": minimum,
        "digest": found.digest,
        "tiers": {tier: found.tiers[tier] for tier in taken},
    }


def _definition(
    calibration_set: CalibrationSet,
    base: RubricDefinition,
    spec: LearnedSpec,
    figures: Mapping[str, Any],
) -> RubricDefinition:
    """The base's labelling scope, answer policy and gate, with the judge that was trained."""
    name = f"learned-{calibration_set.slug}"
    changed = {
        "name": name,
        "version": "1.0.0",
        "title": f"Learned from {calibration_set.slug}",
        "description": _described(calibration_set, figures),
        "notes": "",
        "judge": spec.model_dump(mode="json"),
        "prompts": Prompts().model_dump(mode="json"),
        "examples": [],
    }
    definition, faults = examine({**base.model_dump(mode="json"), **changed})
    if definition is None:
        raise BadInput(f"{name} cannot be a rubric: {faults[0].message}")
    return definition


def _described(calibration_set: CalibrationSet, figures: Mapping[str, Any]) -> str:
    tiers = figures["reference"]["tiers"]
    counted = ", ".join(f"{count} {tier}" for tier, count in tiers.items() if count)
    verdict = figures["verdict"]
    unseen = verdict["cross_validated"]
    return (
        f"Trained on references of {calibration_set.slug}, revision {calibration_set.revision}: "
        f"{counted}. Cross-validated by pair in {figures['folds']} folds, the verdicts of "
        f"{share_of(unseen['agreement'], 'assertions')} are right, kappa "
        f"{decimal(unseen['kappa']['value'])}; always the commonest gets "
        f"{share_of(verdict['always_majority'])}."
    )


def _released(definition: RubricDefinition) -> RubricVersion:
    """The version that is there with the same content, or a new one under the next number."""
    family = RubricVersion.objects.filter(name=definition.name, recorded=False)
    same = family.filter(digest=definition.digest).first()
    if same is not None:
        return same
    return rubrics.release(_numbered(definition)).rubric_version


def _numbered(definition: RubricDefinition) -> RubricDefinition:
    """Under the number after the newest of its scope, else after the newest of all."""
    family = rubrics.released(definition.name)
    line = [one for one in family if one.scope_digest == definition.scope_digest] or family
    if not line:
        return definition
    newest = max(line, key=lambda one: one.version_parts)
    typed = {**definition.model_dump(mode="json"), "version": newest.version}
    numbered, _ = examine(drafts.renumbered(typed))
    assert numbered is not None  # noqa: S101  # only its number is another
    return numbered
