"""How far annotators agree among themselves: the ceiling that a judge is read against.

Ratings are the live labels that count (`labeling.references.countable`), of the set as it is now.
Adjudicators are not raters. Labels made under another major version of the contract answered
another question, so only those under the current major count; what is left out is counted by
its reason.

- A unit is a statement with at least two ratings; ``units`` and ``ratings`` count those.
- ``alpha``: nominal Krippendorff's alpha of the verdict, its interval from resampling pairs,
  else cases.
- ``pairwise``: of all pairs of ratings of the same unit, those with equal verdicts.
- ``per_verdict`` and ``per_class``, for each word of the vocabulary: ``alpha`` of that word
  against all others, and ``pairwise``: of the pairs in which at least one rating is the word,
  those in which both are. Classes are compared among ratings that state one, over the units that
  have two such ratings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from django.db.models import Exists, OuterRef, Q, QuerySet

from calibration.agreement import DEFAULT_SEED, require_seed
from calibration.agreement.columns import CLASSES, VERDICTS, Codes
from calibration.stats.alpha import alpha, pairwise_agreement
from calibration.stats.rates import counted_rate
from grounding.contract import CONTRACT
from grounding.errors import Refused
from grounding.interchange.models import LabelRole
from labeling.models import CalibrationSet, Label, Queue
from labeling.references import countable

EXCLUDED: Final = ("revealed", "model", "selected", "other_contract", "single")


class Rating(NamedTuple):
    """``parts`` are what the rater split off, as `labeling.models.Label.premises` holds them."""

    unit: int
    cluster: tuple[str, int | str]
    claim_class: str | None
    verdict: str
    rater: int = 0
    parts: Sequence[Mapping[str, Any]] = ()


class Excluded(NamedTuple):
    """A label that is no rating, and why not."""

    reason: str


@dataclass(frozen=True)
class Given:
    """The ratings of a set or a queue under one major version of the contract; ``excluded``
    counts the other labels by reason."""

    ratings: Sequence[Rating]
    excluded: Mapping[str, int]
    contract_major: int = CONTRACT.major


def measure(calibration_set: CalibrationSet, *, seed: int = DEFAULT_SEED) -> dict[str, Any]:
    """Agreement between humans on the set. Refused where no label counts, and where no statement
    has two that do."""
    require_seed(seed)
    given = read(calibration_set)
    if not given.ratings:
        raise Refused(
            f"no label on {calibration_set} counts as a blind rating: {_why(given.excluded)}"
        )
    if given.excluded["single"] == len(given.ratings):
        why = _why(given.excluded)
        raise Refused(f"no statement of {calibration_set} has two blind ratings: {why}")
    return figures(given, seed=seed)


def read(calibration_set: CalibrationSet, queue: Queue | None = None) -> Given:
    """What annotators said on the set as it is now; of ``queue`` alone the labels made in it,
    under its own contract."""
    major = queue.contract_major if queue else CONTRACT.major
    sorted_labels = [_sorted(*row) for row in _labels(calibration_set, queue, major)]
    ratings = [one for one in sorted_labels if isinstance(one, Rating)]
    excluded = Counter(one.reason for one in sorted_labels if isinstance(one, Excluded))
    return Given(ratings, _with_singles(excluded, ratings), major)


def figures(given: Given, *, seed: int = DEFAULT_SEED) -> dict[str, Any]:
    """The figures of ratings, a pure function of them and the seed."""
    ratings = given.ratings
    verdicts = _counted(ratings, "verdict", VERDICTS)
    classes = _counted(ratings, "claim_class", CLASSES)
    sizes = verdicts.counts.sum(axis=1)
    return {
        "contract_major": given.contract_major,
        "seed": seed,
        "alpha": alpha(verdicts.counts, seed=seed, clusters=verdicts.clusters).as_json(),
        "pairwise": pairwise_agreement(verdicts.counts, clusters=verdicts.clusters).as_json(),
        "units": int((sizes >= 2).sum()),
        "ratings": int(sizes[sizes >= 2].sum()),
        "per_class": _each(classes, CLASSES, seed),
        "per_verdict": _each(verdicts, VERDICTS, seed),
        "excluded": given.excluded,
    }


class _Counts(NamedTuple):
    """How many ratings put each unit into each category, and each unit's cluster."""

    counts: Codes
    clusters: Codes


def _counted(ratings: Sequence[Rating], said: str, words: tuple[str, ...]) -> _Counts:
    stated = [one for one in ratings if getattr(one, said) is not None]
    units = {unit: place for place, unit in enumerate(dict.fromkeys(one.unit for one in stated))}
    clusters = {name: place for place, name in enumerate(sorted({one.cluster for one in ratings}))}
    counts = np.zeros((len(units), len(words)), dtype=np.int64)
    cluster_of = np.zeros(len(units), dtype=np.int64)
    for one in stated:
        counts[units[one.unit], words.index(getattr(one, said))] += 1
        cluster_of[units[one.unit]] = clusters[one.cluster]
    return _Counts(counts, cluster_of)


def _each(counted: _Counts, words: Iterable[str], seed: int) -> dict[str, Any]:
    return {str(word): _one_word(counted, at, seed) for at, word in enumerate(words)}


def _one_word(counted: _Counts, at: int, seed: int) -> dict[str, Any]:
    ratings = counted.counts.sum(axis=1)
    says = counted.counts[:, at]
    others = ratings - says
    binary = np.stack([says, others], axis=1)
    both, one_of_two = says * (says - 1) // 2, says * others
    pairwise = counted_rate(both, one_of_two, counted.clusters, reason="no pair of ratings uses it")
    return {
        "alpha": alpha(binary, seed=seed, clusters=counted.clusters).as_json(),
        "pairwise": pairwise.as_json(),
    }


def left_out(
    calibration_set: CalibrationSet, queue: Queue | None, reason: str
) -> QuerySet[Any, Any]:
    """The labels that are counted under ``reason``, one of `EXCLUDED`, in the set's order."""
    labels = _live(calibration_set, queue, queue.contract_major if queue else CONTRACT.major)
    if reason != "single":
        return labels.filter(excluded=reason)
    counted = labels.filter(excluded__isnull=True)
    others = counted.filter(statement=OuterRef("statement")).exclude(pk=OuterRef("pk"))
    return counted.filter(~Exists(others.order_by()))


def _live(
    calibration_set: CalibrationSet, queue: Queue | None, contract_major: int
) -> QuerySet[Any, Any]:
    """Every live label by an annotator, each with the reason that it does not count, or null."""
    return (
        Label.objects.live()
        .filter(
            *(() if queue is None else (Q(queue=queue),)),
            statement__case__set=calibration_set,
            statement__case__superseded_in__isnull=True,
            role=LabelRole.LABEL.value,
        )
        .annotate(excluded=countable.reason(contract_major))
        .order_by("statement__case__position", "statement__position", "pk")
    )


def _labels(
    calibration_set: CalibrationSet, queue: Queue | None, contract_major: int
) -> Iterable[tuple[Any, ...]]:
    return (
        _live(calibration_set, queue, contract_major)
        .values_list(
            "statement_id",
            "statement__case_id",
            "statement__case__pair_id",
            "claim_class",
            "verdict",
            "annotator_id",
            "premises",
            "excluded",
        )
        .iterator(chunk_size=10_000)
    )


def _sorted(
    statement: int,
    case: int,
    pair: str | None,
    claim_class: str | None,
    verdict: str,
    annotator: int,
    parts: Sequence[Mapping[str, Any]],
    excluded: str | None,
) -> Rating | Excluded:
    if excluded is not None:
        return Excluded(excluded)
    cluster = ("case", str(case)) if pair is None else ("pair", pair)
    return Rating(statement, cluster, claim_class, verdict, annotator, parts)


def _with_singles(excluded: Counter[str], ratings: Sequence[Rating]) -> dict[str, int]:
    """``single``: ratings that stand alone on their statement."""
    sizes = Counter(one.unit for one in ratings)
    counts = {**excluded, "single": sum(size == 1 for size in sizes.values())}
    return {reason: counts.get(reason, 0) for reason in EXCLUDED}


def _why(excluded: Mapping[str, int]) -> str:
    said = [f"{n} {reason}" for reason, n in sorted(excluded.items()) if n]
    return ", ".join(said) or "there is none"
