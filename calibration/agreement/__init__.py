"""The figures of an agreement report: a functional core that only processes columns.

Every number is defined in words where it is made. Four things hold for all of them: a rate
stands with its numerator and denominator; its interval is as wide as what is right or wrong
together (pairs, else cases) makes it; nothing over nothing is null, with the reason; the counts
add up::

    planned = graded + unreadable + invalid + refused + timeout + unavailable + missing + too_long
    graded = compared + without_reference
    compared = n of class + class_not_labelled + class_not_judged
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from typing import Any, Final, NamedTuple

import numpy as np

from calibration.agreement import pairs, severities
from calibration.agreement.columns import (
    CLAIM_TYPES,
    CLASSES,
    NOTHING,
    OUTCOMES,
    SPEECH_ACTS,
    SUBJECT_SPECIFIC,
    SUPPORTED,
    VERDICTS,
    Codes,
    Columns,
    Flags,
    failing,
)
from calibration.stats.bootstrap import cluster_intervals
from calibration.stats.coefficients import ac1, cohen_kappa, gwet_ac1, kappa, matthews, mcc
from calibration.stats.confusion import (
    cluster_confusions,
    clustered_per_label,
    confusion,
    f1_scores,
)
from calibration.stats.rates import clustered_rate, clustered_rates
from calibration.stats.results import CoefficientJSON, RateJSON
from grounding.contract import VALID_VERDICTS
from grounding.errors import BadInput

Figures = dict[str, Any]

IMPLEMENTATION: Final = 5
"""Raised whenever the same judgments and references would give another figure."""

DEFAULT_SEED: Final = 1960
"""Of the resampling behind the coefficients' intervals; every report prints its own."""

DIRECTIONS: Final = ("lenient", "class_escape", "strict", "other")
"""Most harmful first. A row that errs in several ways is listed under the first that fits,
while each rate counts it by its own definition."""

_NOT_COMPARED: Final = "no statement was compared"
_NOT_CLASSED: Final = "no compared statement has a class on both sides"
_CLASS_WRONG: Final = "the judge gave no compared statement the class of its reference"
_COEFFICIENTS: Final = {
    "kappa": (kappa, cohen_kappa),
    "ac1": (gwet_ac1, ac1),
    "mcc": (mcc, matthews),
}


class Disagreements(NamedTuple):
    """Rows of the columns on which judge and reference differ, most harmful direction first
    and otherwise in the columns' order, each with its place in `DIRECTIONS`."""

    rows: Codes
    directions: Codes


def figures(columns: Columns, pair_kinds: tuple[str, ...], *, seed: int) -> Figures:
    """Everything in a report that is computed from judgments and references.

    ``columns`` are the planned judgments of repeat 0, which alone make headlines.
    """
    compared = columns.where(columns.compared)
    classed = compared.where(compared.classed)
    return {
        **rates(columns, pair_kinds),
        **_coefficients(compared, classed, seed),
        **_tables(compared, classed),
        "severity": severities.figures(compared),
        "pairs": pairs.outcomes(columns),
        "floor": _floors(compared, classed),
    }


def rates(columns: Columns, pair_kinds: tuple[str, ...]) -> Figures:
    """The counts and rates of `figures`, which take no resampling."""
    compared = columns.where(columns.compared)
    classed = compared.where(compared.classed)
    return {
        "outcomes": _outcomes(columns),
        **_counts(columns, compared),
        **_rates(compared, classed),
        **_breakdowns(compared, classed, pair_kinds),
        **_directions(compared),
    }


def failed(columns: Columns) -> RateJSON:
    """Of the planned judgments those that failed; a case that cannot be judged fails as a whole."""
    reason = "nothing was planned"
    return clustered_rate(~columns.graded, columns.cluster, reason=reason).as_json()


def require_seed(seed: int) -> None:
    """Raise BadInput for what is no seed, or none that a store could keep."""
    if not 0 <= seed < 2**63:
        raise BadInput("a seed is a whole number from 0 that fits 64 bits", field="seed")


def disagreements(columns: Columns) -> Disagreements:
    """The compared rows whose verdicts differ, or whose classes do where both state one."""
    rows = np.flatnonzero(columns.compared & ~columns.right)
    towards = directions(columns.where(rows))
    order = np.argsort(towards, kind="stable")
    return Disagreements(rows[order], towards[order])


def directions(wrong: Columns) -> Codes:
    """The place in `DIRECTIONS` of each row; every row must be in error."""
    fits = [lenient(wrong), _escaped(wrong), strict(wrong)]
    return np.select(fits, range(len(fits)), len(fits)).astype(np.int64)


def _outcomes(columns: Columns) -> dict[str, int]:
    counts = np.bincount(columns.outcome, minlength=len(OUTCOMES)).tolist()
    return {"planned": len(columns), **dict(zip(map(str, OUTCOMES), counts, strict=True))}


def _counts(columns: Columns, compared: Columns) -> dict[str, int]:
    """A row with a class on neither side is counted once, as not labelled."""
    labelled = compared.reference_class != NOTHING
    judged = compared.judge_class != NOTHING
    return {
        "compared": len(compared),
        "without_reference": int(columns.graded.sum()) - len(compared),
        "class_not_labelled": int((~labelled).sum()),
        "class_not_judged": int((labelled & ~judged).sum()),
        "without_evidence": int((columns.graded & columns.without_evidence).sum()),
    }


def _rates(compared: Columns, classed: Columns) -> dict[str, RateJSON]:
    """``verdict``: of compared rows, verdicts equal. ``class``: of those where both sides state
    a class, classes equal. ``overall``: of those same rows, both equal. ``verdict_given_class``:
    of those whose classes are equal, verdicts equal."""
    return {
        "overall": _share(classed, classed.right, reason=_NOT_CLASSED),
        "class": _share(classed, classed.class_right, reason=_NOT_CLASSED),
        "verdict": _share(compared, compared.verdict_right, reason=_NOT_COMPARED),
        "verdict_given_class": _share(
            classed,
            classed.verdict_right,
            among=classed.class_right,
            reason=_CLASS_WRONG if len(classed) else _NOT_CLASSED,
        ),
    }


def _breakdowns(compared: Columns, classed: Columns, pair_kinds: tuple[str, ...]) -> Figures:
    """By the reference's class, and class and verdict: of rows with a class on both sides, both
    equal. All others: of compared rows, verdicts equal. A statement without a claim type, or in
    no pair, is in none of their cells."""
    hits = compared.verdict_right
    return {
        "by_class": _by(classed, classed.reference_class, classed.right, CLASSES),
        "by_verdict": _by(compared, compared.reference_verdict, hits, VERDICTS),
        "by_class_and_verdict": _by_cell(classed),
        "by_claim_type": _by(compared, compared.claim_type, hits, CLAIM_TYPES),
        "by_pair_kind": _by(compared, compared.pair_kind, hits, pair_kinds),
        "by_speech_act": _by(compared, compared.speech_act, hits, SPEECH_ACTS),
    }


def _by(rows: Columns, codes: Codes, hits: Flags, names: tuple[str, ...]) -> dict[str, RateJSON]:
    stated = (codes != NOTHING) & (codes < len(names))
    rates = clustered_rates(
        hits[stated], rows.cluster[stated], codes[stated], len(names), reason=_NOT_COMPARED
    )
    return {str(name): one.as_json() for name, one in zip(names, rates, strict=True)}


def _by_cell(classed: Columns) -> list[dict[str, Any]]:
    """Every cell that the contract allows, and any other that occurs, so that their n add up to
    that of overall."""
    rates = clustered_rates(
        classed.right,
        classed.cluster,
        _cells(classed),
        len(CLASSES) * len(VERDICTS),
        reason=_NOT_COMPARED,
    )
    cells = product(CLASSES, VERDICTS)
    return [
        {"claim_class": claim_class.value, "verdict": verdict.value, **one.as_json()}
        for (claim_class, verdict), one in zip(cells, rates, strict=True)
        if one.n or verdict in VALID_VERDICTS[claim_class]
    ]


def _cells(rows: Columns) -> Codes:
    """The code of each row's class and verdict by the reference."""
    codes: Codes = rows.reference_class * len(VERDICTS) + rows.reference_verdict
    return codes


def _coefficients(compared: Columns, classed: Columns, seed: int) -> Figures:
    """Kappa, AC1 and Matthews' correlation, of the verdict over the compared rows and of the
    class over those with a class on both sides; intervals from resampling pairs, else cases."""
    by_pass = {
        "verdict": _beyond_chance(
            cluster_confusions(
                compared.reference_verdict, compared.judge_verdict, compared.cluster, len(VERDICTS)
            ),
            seed,
        ),
        "class": _beyond_chance(
            cluster_confusions(
                classed.reference_class, classed.judge_class, classed.cluster, len(CLASSES)
            ),
            seed,
        ),
    }
    return {
        name: {which: values[name] for which, values in by_pass.items()} for name in _COEFFICIENTS
    }


def _beyond_chance(by_cluster: Codes, seed: int) -> dict[str, CoefficientJSON]:
    table = by_cluster.sum(axis=0)
    side = math.isqrt(table.size)
    points = [point(table.reshape(side, side)) for point, _ in _COEFFICIENTS.values()]
    intervals = cluster_intervals(by_cluster, [of for _, of in _COEFFICIENTS.values()], seed)
    return {
        name: point.with_interval(interval).as_json()
        for name, point, interval in zip(_COEFFICIENTS, points, intervals, strict=True)
    }


def _tables(compared: Columns, classed: Columns) -> Figures:
    """Of the verdict over the compared rows, of the class over those with one on both sides."""
    verdicts = compared.reference_verdict, compared.judge_verdict
    classes = classed.reference_class, classed.judge_class
    return {
        "per_verdict": _scores(VERDICTS, *verdicts, compared.cluster),
        "per_class": _scores(CLASSES, *classes, classed.cluster),
        "confusion": {
            "verdict": _matrix(VERDICTS, confusion(*verdicts, len(VERDICTS))),
            "class": _matrix(CLASSES, confusion(*classes, len(CLASSES))),
        },
    }


def _scores(words: tuple[str, ...], human: Codes, judge: Codes, clusters: Codes) -> Figures:
    """``f1`` is the number alone, ``f1_score`` the same with n, those that either side gives the
    word, and interval."""
    of = human, judge, clusters, len(words)
    return {
        str(word): {
            "precision": scores.precision.as_json(),
            "recall": scores.recall.as_json(),
            "f1": scores.f1,
            "f1_score": f1.as_json(),
        }
        for word, scores, f1 in zip(words, clustered_per_label(*of), f1_scores(*of), strict=True)
    }


def _matrix(labels: tuple[str, ...], table: Codes) -> Figures:
    return {"labels": [str(label) for label in labels], "rows_human_columns_judge": table.tolist()}


def _directions(compared: Columns) -> dict[str, RateJSON]:
    """``lenient``: of rows whose reference is unsupported or contradictory, judged supported.
    ``strict``: of rows whose reference is supported, judged unsupported or contradictory.
    ``class_escape``: of rows whose reference is subject-specific and where the judge states a
    class, judged another class, whatever the verdict."""
    return {
        "lenient": _share(
            compared,
            lenient(compared),
            among=failing(compared.reference_verdict),
            reason="no compared statement is unsupported or contradictory by its reference",
        ),
        "strict": _share(
            compared,
            strict(compared),
            among=compared.reference_verdict == SUPPORTED,
            reason="no compared statement is supported by its reference",
        ),
        "class_escape": _share(
            compared,
            _escaped(compared),
            among=compared.classed & (compared.reference_class == SUBJECT_SPECIFIC),
            reason="no compared statement is subject-specific by its reference and classed by "
            "the judge",
        ),
    }


def lenient(rows: Columns) -> Flags:
    """Unsupported or contradictory by the reference, judged supported."""
    flags: Flags = failing(rows.reference_verdict) & (rows.judge_verdict == SUPPORTED)
    return flags


def strict(rows: Columns) -> Flags:
    """Supported by the reference, judged unsupported or contradictory."""
    flags: Flags = (rows.reference_verdict == SUPPORTED) & failing(rows.judge_verdict)
    return flags


def _escaped(rows: Columns) -> Flags:
    flags: Flags = rows.classed & (rows.reference_class == SUBJECT_SPECIFIC) & ~rows.class_right
    return flags


def _floors(compared: Columns, classed: Columns) -> dict[str, RateJSON]:
    """What a judge would get that always gives the commonest answer, and in which direction it
    would err."""
    verdicts = compared.reference_verdict
    always = np.full_like(verdicts, np.bincount(verdicts, minlength=1).argmax())
    erring = _directions(replace(compared, judge_verdict=always))
    return {
        "always_majority": _majority(compared, verdicts, reason=_NOT_COMPARED),
        "always_majority_cell": _majority(classed, _cells(classed), reason=_NOT_CLASSED),
        "always_majority_lenient": erring["lenient"],
        "always_majority_strict": erring["strict"],
    }


def _majority(rows: Columns, codes: Codes, *, reason: str) -> RateJSON:
    commonest = np.bincount(codes, minlength=1).argmax()
    return _share(rows, codes == commonest, reason=reason)


def _share(
    rows: Columns, hits: Flags, *, reason: str, among: Flags | slice = slice(None)
) -> RateJSON:
    return clustered_rate(hits[among], rows.cluster[among], reason=reason).as_json()
