"""What production's verdicts mean: the share of supported statements behind a judge that errs.

`calibration.stats.corrected` has the two corrections as their authors state them, with normal
intervals. Those are too narrow where the judge makes hardly an error among the labelled statements,
leave [0, 1], and take all statements as independent. Here both corrections stand beside the raw
share with intervals that hold (`tests/calibration/stats/test_coverage.py`), in clusters too:

- **Rogan and Gladen** ask only that the judge errs on production as it does on the labelled
  statements, among the supported and among the others; their mix may be another, as in a
  calibration set.
- **Prediction-powered** inference asks that the labelled statements are a random sample of the
  traffic, and is much narrower. On a set of adversarial cases it is wrong.
"""

from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.stats.bootstrap import cluster_sums
from calibration.stats.clusters import HALF_EVENT, spread
from calibration.stats.corrected import NO_INFORMATION, rogan_gladen
from calibration.stats.rates import clustered_rate, normal_quantile, rate, wilson
from calibration.stats.results import Coefficient, Interval, Rate

Flags = NDArray[np.bool_]
Names = NDArray[np.generic]

NONE_JUDGED = "no statements were judged"
NONE_LABELLED = "no statements are labelled"
ONE_SIDE = "no labelled statement on one of the two sides"
UNBOUNDED = "no limits: sensitivity + specificity cannot be told from 1"
CONTRADICTED = (
    "production and the labelled statements contradict each other, and no share from 0% to 100% "
    "fits"
)
WORSE_THAN_CHANCE = (
    "the judge is right less often than by chance: sensitivity + specificity is below 1"
)


class Production(NamedTuple):
    """Unlabelled statements of the traffic.

    Attributes
    ----------
    supported, judged
        How many the judge passes as supported, of how many; failures are in neither.
    effective_n
        What they are worth, where statements of one answer stand together
        (`calibration.stats.clusters.effective_n`); as many as were judged if None.
    """

    supported: int
    judged: int
    effective_n: float | None = None


class Uncut(NamedTuple):
    """Both corrected shares as their formulas give them, which may be below 0 or above 1.

    Outside [0, 1] production and the labelled statements contradict each other: the assumption
    under which the two may be put together is in doubt, the more the further outside.

    Attributes
    ----------
    rogan_gladen, prediction_powered
        As in `CorrectedShare`; undefined only where the formula is. The interval of Rogan and
        Gladen's is missing where nothing bounds it, that of the prediction-powered share is normal.
    """

    rogan_gladen: Coefficient
    prediction_powered: Coefficient


@dataclass(frozen=True, slots=True)
class CorrectedShare:
    """The share of supported statements in production, raw and corrected, all in [0, 1].

    Attributes
    ----------
    raw
        What the judge says, as if it never erred.
    rogan_gladen, prediction_powered
        The corrected shares, cut to [0, 1]; n is the number of labelled statements.
    uncut
        The same before they are cut.
    tuning
        λ of the prediction-powered share: how much the judge is worth, from 0, the labels alone, to
        1, as much as labels. None where that share is undefined.
    sensitivity, specificity
        Of the labelled statements that are supported, and that are not, those judged so.
    """

    raw: Rate
    rogan_gladen: Coefficient
    prediction_powered: Coefficient
    uncut: Uncut
    tuning: float | None
    sensitivity: Rate
    specificity: Rate


class _Labelled(NamedTuple):
    """Labelled statements: whether supported by the human, by the judge, and in which cluster."""

    human: Flags
    judge: Flags
    names: Names


class _Errors(NamedTuple):
    """Sensitivity and specificity with half a hit and half a miss added, their variances, and how
    they vary together."""

    sensitivity: float
    specificity: float
    var_sensitivity: float
    var_specificity: float
    covariance: float


class _Powered(NamedTuple):
    """The prediction-powered share, cut and uncut, and its λ."""

    cut: Coefficient
    uncut: Coefficient
    tuning: float | None


def corrected_share(
    production: Production,
    labels: ArrayLike,
    judged: ArrayLike,
    clusters: ArrayLike,
    level: float = 0.95,
) -> CorrectedShare:
    """Return the share of supported statements in production, corrected for the judge's errors.

    **Rogan–Gladen.** Its interval holds every share θ that production does not contradict:
    ``(p - θ se - (1-θ)(1-sp))² <= z² V(θ)``, with the variance of that difference from production
    and from both sides of the labels, whose errors may go together where clusters have both sides
    (a judge that says the same to both halves of a pair). Half a hit and half a miss are added to
    each share beforehand.

    **Prediction-powered.** ``θ = λ f̄ + mean(y - λ f)``, with λ tuned as in PPI++:
    ``cov(y, f) / ((1 + n/N) var f)``, cut to [0, 1]. Its interval is Wilson's on the n that has
    θ's variance.

    A share outside [0, 1] is cut to it only where some share inside is left, that is where its
    uncut interval reaches inside. Where it does not, the share is undefined: to cut both limits to
    the same end would call the strongest contradiction the surest result.

    Parameters
    ----------
    production : Production
        Counts of the unlabelled statements.
    labels, judged : array of bool, shape (n,)
        Of the labelled statements: supported by the human, and by the judge.
    clusters : array, shape (n,)
        What is right or wrong together: numbers or strings.
    level : float
        Confidence level, inside (0, 1).

    Returns
    -------
    CorrectedShare
        All undefined where nothing was judged in production, but for sensitivity and specificity.
        Rogan–Gladen is undefined where either side has no label, and where sensitivity and
        specificity add up to 1 or less: turned round, such a judge's word would be worth something,
        but nobody uses one so. Where they cannot be told from 1, its interval is [0, 1].
        Prediction-powered is undefined without labels. Either is undefined where its whole uncut
        interval lies outside [0, 1].

    Raises
    ------
    ValueError
        If lengths differ, counts are out of range, or the level is outside (0, 1).

    References
    ----------
    Rogan and Gladen (1978), American Journal of Epidemiology 107:71. Fieller (1954), JRSS B 16:175,
    for the interval of a ratio. Lang and Reiczigel (2014), Preventive Veterinary Medicine 113:13,
    on why normal intervals fail here, and on adding to hits and misses. Angelopoulos and others
    (2023), Science 382:669; Angelopoulos, Duchi and Zrnic (2023), PPI++, arXiv:2311.01453.
    """
    labelled = _checked(labels, judged, clusters)
    supported, total, worth = production
    if not 0 <= supported <= total:
        raise ValueError(f"{supported} of {total} supported")
    z = normal_quantile(level)
    uncut = _rogan_gladen(production, labelled, z)
    powered = _prediction_powered(production, labelled, level)
    return CorrectedShare(
        rate(supported, total, effective_n=worth, reason=NONE_JUDGED),
        _cut(uncut),
        powered.cut,
        Uncut(uncut, powered.uncut),
        powered.tuning,
        *_sides(labelled),
    )


def _checked(labels: ArrayLike, judged: ArrayLike, clusters: ArrayLike) -> _Labelled:
    human, judge = np.asarray(labels, dtype=np.bool_), np.asarray(judged, dtype=np.bool_)
    names: Names = np.asarray(clusters)
    if human.ndim != 1 or not human.shape == judge.shape == names.shape:
        raise ValueError(f"{human.size} labels, {judge.size} judgments, {names.size} clusters")
    return _Labelled(human, judge, names)


def _sides(labelled: _Labelled) -> tuple[Rate, Rate]:
    human, judge, names = labelled
    return (
        clustered_rate(judge[human], names[human], reason="no labelled statement is supported"),
        clustered_rate(~judge[~human], names[~human], reason="every labelled one is supported"),
    )


def _rogan_gladen(production: Production, labelled: _Labelled, z: float) -> Coefficient:
    n = labelled.human.size
    sensitivity, specificity = (side.rate for side in _sides(labelled))
    if production.judged == 0:
        return Coefficient(None, n, None, NONE_JUDGED)
    if sensitivity is None or specificity is None:
        return Coefficient(None, n, None, ONE_SIDE)
    point = rogan_gladen(production.supported, production.judged, sensitivity, specificity)
    if point.value is None:
        return Coefficient(None, n, None, NO_INFORMATION)
    if sensitivity + specificity < 1:
        return Coefficient(None, n, None, WORSE_THAN_CHANCE)
    share, variance = _smoothed(_share_of(production), _worth(production))
    limits = _uncontradicted(share, variance, _errors(labelled), z)
    if limits is None:
        return Coefficient(point.value, n, None, UNBOUNDED)
    low, high = limits
    return Coefficient(point.value, n, (min(low, point.value), max(high, point.value)), None)


def _uncontradicted(p: float, var_p: float, errors: _Errors, z: float) -> Interval | None:
    """Return the least and greatest share with ``(a - θ b)² <= z² V(θ)``, where ``a = p + sp - 1``
    and ``b = se + sp - 1``: the roots of a quadratic in θ. None where they are no limits."""
    se, sp, var_se, var_sp, together = errors
    a, b = p + sp - 1, se + sp - 1
    square = b * b - z * z * (var_se + var_sp + 2 * together)
    linear = z * z * (var_sp + together) - a * b
    constant = a * a - z * z * (var_p + var_sp)
    if square <= 0:
        return None  # sensitivity + specificity cannot be told from 1
    root = sqrt(max(0.0, linear * linear - square * constant))
    return (-linear - root) / square, (-linear + root) / square


def _cut(uncut: Coefficient) -> Coefficient:
    """Return the share in [0, 1] with what of its interval lies there."""
    if uncut.value is None:
        return uncut
    if _contradicts(uncut.interval):
        return Coefficient(None, uncut.n, None, CONTRADICTED)
    low, high = uncut.interval or (0.0, 1.0)
    inside = max(0.0, low), min(1.0, high)
    return Coefficient(_nearest(uncut.value), uncut.n, inside, None)


def _contradicts(interval: Interval | None) -> bool:
    return interval is not None and (interval[1] < 0 or interval[0] > 1)


def _nearest(share: float) -> float:
    return min(1.0, max(0.0, share))


def _errors(labelled: _Labelled) -> _Errors:
    human, judge, names = labelled
    groups = human.astype(np.int64)
    found = spread(judge == human, names, groups, 2)
    (specificity, sensitivity), worth = found.means.tolist(), found.effective.tolist()
    smooth_sp, var_sp = _smoothed(specificity, worth[0])
    smooth_se, var_se = _smoothed(sensitivity, worth[1])
    deviations = (judge == human) - found.means[groups]
    sums = cluster_sums(np.stack([deviations * human, deviations * ~human], axis=1), names)
    scale = sqrt(float(np.square(sums).sum(axis=0).prod()))
    correlation = float(sums.prod(axis=1).sum()) / scale if scale else 0.0
    return _Errors(smooth_se, smooth_sp, var_se, var_sp, correlation * sqrt(var_se * var_sp))


def _smoothed(share: float, worth: float) -> tuple[float, float]:
    """Return the share with half a hit and half a miss added, and its variance."""
    smooth = (share * worth + HALF_EVENT) / (worth + 2 * HALF_EVENT)
    return smooth, smooth * (1 - smooth) / (worth + 2 * HALF_EVENT)


def _prediction_powered(production: Production, labelled: _Labelled, level: float) -> _Powered:
    n = labelled.human.size
    if production.judged == 0 or n == 0:
        undefined = Coefficient(None, n, None, NONE_JUDGED if n else NONE_LABELLED)
        return _Powered(undefined, undefined, None)
    tuning = _tuning(production, labelled)
    share, worth = _share_of(production), _worth(production)
    errors = spread(labelled.human - tuning * labelled.judge, labelled.names, None, 1)
    value = tuning * share + float(errors.means[0])
    variance = tuning**2 * share * (1 - share) / worth + float(errors.variances[0])
    half = normal_quantile(level) * sqrt(variance)
    uncut = Coefficient(value, n, (value - half, value + half), None)
    if _contradicts(uncut.interval):
        return _Powered(Coefficient(None, n, None, CONTRADICTED), uncut, tuning)
    return _Powered(_as_sure(_nearest(value), n, variance, level), uncut, tuning)


def _as_sure(value: float, n: int, variance: float, level: float) -> Coefficient:
    """Return the share with Wilson's interval on the n that has that variance."""
    inside = min(1 - HALF_EVENT / n, max(HALF_EVENT / n, value))
    as_sure = inside * (1 - inside) / variance
    return Coefficient(value, n, wilson(value * as_sure, as_sure, level), None)


def _tuning(production: Production, labelled: _Labelled) -> float:
    """Return λ; the judge's variance is that of its answers on both samples."""
    y, f = labelled.human.astype(np.float64), labelled.judge.astype(np.float64)
    n, total = y.size, production.judged
    pooled = (production.supported + float(f.sum())) / (total + n)
    variance = pooled * (1 - pooled)
    if variance == 0:
        return 0.0
    covariance = float((y * f).mean() - y.mean() * f.mean())
    return _nearest(covariance / ((1 + n / total) * variance))


def _share_of(production: Production) -> float:
    return production.supported / production.judged


def _worth(production: Production) -> float:
    return float(production.judged if production.effective_n is None else production.effective_n)
