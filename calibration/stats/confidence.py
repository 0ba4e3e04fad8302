"""Does a judge's stated confidence mean anything? Calibration of confidence.

Of the statements on which a judge says it is 80% sure it should be right on 80%. A judge can be
accurate and badly calibrated, or well calibrated and useless; Brier's score holds both, and its
parts tell them apart.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.stats.bootstrap import cluster_sums, sum_interval
from calibration.stats.clusters import random_groups
from calibration.stats.rates import clustered_rates
from calibration.stats.results import Coefficient, Rate

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

BINS = 10
NO_CONFIDENCE = "no compared statement has a confidence"


class Bin(NamedTuple):
    """Statements of like confidence.

    Attributes
    ----------
    low, high
        Least and greatest confidence in it.
    confidence
        Their mean confidence.
    right
        On how many of them the judge is right, with Wilson's interval on the effective n.
    """

    low: float
    high: float
    confidence: float
    right: Rate


@dataclass(frozen=True, slots=True)
class Reliability:
    """How confidence and being right go together; all undefined where no statement has one.

    Attributes
    ----------
    bins
        The reliability curve, confidence ascending.
    brier
        Mean of ``(confidence - right)²``, 0 best, 1 worst, with an interval.
    reliability
        How far the bins' rates lie from their confidences, squared, 0 best.
    resolution
        How far the bins' rates lie from the overall rate, squared; the more the better.
    uncertainty
        ``p (1 - p)`` of the overall rate p: what always saying p would score.
    within
        What confidences and rates vary within bins. The score is exactly
        ``reliability - resolution + uncertainty + within``; it is 0 where each bin holds one
        confidence.
    expected_error
        Expected calibration error: mean distance of the bins' rates from their confidences. It is
        above 0 by chance alone, the more so the smaller the bins: read it beside `chance_error`.
    chance_error
        What a judge that means what it says would show with these confidences and bins, on average.
    without
        How many statements have no confidence and stand in none of these.
    """

    bins: list[Bin]
    brier: Coefficient
    reliability: Coefficient
    resolution: Coefficient
    uncertainty: Coefficient
    within: Coefficient
    expected_error: Coefficient
    chance_error: Coefficient
    without: int


def reliability(
    confidences: ArrayLike,
    right: ArrayLike,
    clusters: ArrayLike,
    *,
    seed: int,
    bins: int = BINS,
    replicates: int = 2000,
    level: float = 0.95,
) -> Reliability:
    """Return the calibration of a judge's confidence in its own answer.

    Parameters
    ----------
    confidences : array of float, shape (n,)
        In [0, 1], nan where the judge stated none.
    right : array of bool, shape (n,)
        Whether the judge was right.
    clusters : array, shape (n,)
        What is right or wrong together: numbers or strings.
    seed : int
        Seed of the resampling behind the interval and the chance error.
    bins : int
        How many bins to aim at, of equal count. Equal confidences are never torn apart, so a judge
        that only ever says 0.9 has one bin.
    replicates, level
        As in `calibration.stats.bootstrap.sum_interval`.

    Returns
    -------
    Reliability
        n of each coefficient is the number of statements with a confidence; undefined where it
        is 0.

    Raises
    ------
    ValueError
        If a confidence is outside [0, 1], the lengths differ, or bins is not positive.

    References
    ----------
    Brier (1950), Monthly Weather Review 78:1. Murphy (1973), Journal of Applied Meteorology
    12:595, for the parts; Stephenson, Coelho and Jolliffe (2008), Weather and Forecasting 23:752,
    for the part within bins. Naeini, Cooper and Hauskrecht (2015), AAAI, for the expected error.
    Bröcker and Smith (2007), Weather and Forecasting 22:651, for what chance alone shows.
    """
    stated, hits, names, without = _checked(confidences, right, clusters)
    if bins < 1:
        raise ValueError(f"{bins} bins")
    if not stated.size:
        return _undefined(without)
    which = _bins(stated, bins)
    curve = _curve(stated, hits, names, which)
    brier = _brier(stated, hits, names, seed, replicates, level)
    calibrated, resolved, uncertain = _parts(curve, float(hits.mean()), stated.size)

    def number(value: float) -> Coefficient:
        return Coefficient(float(value), stated.size, None, None)

    return Reliability(
        bins=curve,
        brier=brier,
        reliability=number(calibrated),
        resolution=number(resolved),
        uncertainty=number(uncertain),
        within=number(np.square(stated - hits).mean() - calibrated + resolved - uncertain),
        expected_error=number(_expected_error(stated, hits, which)),
        chance_error=number(_chance_error(stated, which, seed, replicates)),
        without=without,
    )


def _checked(
    confidences: ArrayLike, right: ArrayLike, clusters: ArrayLike
) -> tuple[Floats, Floats, NDArray[np.generic], int]:
    """Return the statements that have a confidence, and how many have none."""
    said: Floats = np.asarray(confidences, dtype=np.float64)
    hits: Floats = np.asarray(right, dtype=np.float64)
    names: NDArray[np.generic] = np.asarray(clusters)
    if said.ndim != 1 or not said.shape == hits.shape == names.shape:
        raise ValueError(f"{said.size} confidences, {hits.size} answers, {names.size} clusters")
    stated = ~np.isnan(said)
    if np.any((said[stated] < 0) | (said[stated] > 1)):
        raise ValueError("a confidence lies between 0 and 1")
    return said[stated], hits[stated], names[stated], int((~stated).sum())


def _bins(stated: Floats, bins: int) -> Integers:
    """Return each statement's bin, 0.., ascending. Equal confidences share the bin of the middle
    one of them, so that neither end of the scale draws them."""
    _, which, counts = np.unique(stated, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - counts / 2
    bin_of = np.minimum((middle * bins / stated.size).astype(np.int64), bins - 1)
    _, dense = np.unique(bin_of, return_inverse=True)
    places: Integers = dense[which].astype(np.int64)
    return places


def _curve(stated: Floats, hits: Floats, names: NDArray[np.generic], which: Integers) -> list[Bin]:
    rates = clustered_rates(hits, names, which, int(which.max()) + 1)
    inside = [stated[which == at] for at in range(len(rates))]
    return [
        Bin(float(said.min()), float(said.max()), float(said.mean()), right)
        for said, right in zip(inside, rates, strict=True)
    ]


def _brier(
    stated: Floats,
    hits: Floats,
    names: NDArray[np.generic],
    seed: int,
    replicates: int,
    level: float,
) -> Coefficient:
    losses = np.square(stated - hits)
    sums = cluster_sums(np.stack([losses, np.ones_like(losses)], axis=1), names)
    sums = random_groups(sums, seed)
    interval = sum_interval(sums, lambda total: total[:, 0] / total[:, 1], seed, replicates, level)
    return Coefficient(float(losses.mean()), losses.size, None, None).with_interval(interval)


def _parts(curve: list[Bin], overall: float, n: int) -> tuple[float, float, float]:
    """Return reliability, resolution and uncertainty."""
    weights = np.array([each.right.n for each in curve]) / n
    rates = np.array([each.right.count / each.right.n for each in curve])
    said = np.array([each.confidence for each in curve])
    return (
        float(weights @ np.square(rates - said)),
        float(weights @ np.square(rates - overall)),
        overall * (1 - overall),
    )


def _expected_error(stated: Floats, hits: Floats, which: Integers) -> float:
    """Return ``Σ n_b / n · |rate_b - confidence_b|``."""
    return float(np.abs(np.bincount(which, hits - stated)).sum() / stated.size)


def _chance_error(stated: Floats, which: Integers, seed: int, replicates: int) -> float:
    """Return the mean expected error where each statement is right with its own confidence."""
    rng = np.random.default_rng(seed)
    order = np.argsort(which, kind="stable")
    starts = np.searchsorted(which[order], np.arange(which.max() + 1))
    said = stated[order]
    rounds = max(1, min(replicates, 2_000_000 // stated.size))
    errors = [
        np.abs(np.add.reduceat((rng.random(said.size) < said) - said, starts)).sum()
        for _ in range(rounds)
    ]
    return float(np.mean(errors) / said.size)


def _undefined(without: int) -> Reliability:
    nothing = Coefficient(None, 0, None, NO_CONFIDENCE)
    return Reliability(
        bins=[],
        brier=nothing,
        reliability=nothing,
        resolution=nothing,
        uncertainty=nothing,
        within=nothing,
        expected_error=nothing,
        chance_error=nothing,
        without=without,
    )
