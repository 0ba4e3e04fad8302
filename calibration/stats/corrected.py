"""The share of supported statements in unlabelled traffic, corrected for a judge that errs.

A judge's raw share is biased by its errors. These functions take the errors from statements that
people have labelled, and say how much wider the interval gets for it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.stats.rates import normal_quantile
from calibration.stats.results import Coefficient

NO_INFORMATION = "the judge answers alike whatever the truth: sensitivity + specificity is 1"


class Validation(NamedTuple):
    """How a judge did on labelled statements: hits of the positive ones, hits of the negative."""

    true_positives: int
    positives: int
    true_negatives: int
    negatives: int


def rogan_gladen(
    positives: int, tested: int, sensitivity: float, specificity: float
) -> Coefficient:
    """Return the true share behind an apparent one: ``(p + sp - 1) / (se + sp - 1)``.

    Parameters
    ----------
    positives, tested : int
        How many of the unlabelled statements the judge calls positive, of how many.
    sensitivity, specificity : float
        Known shares of positive, and of negative, statements that the judge gets right.

    Returns
    -------
    Coefficient
        n is tested; no interval. The value is not cut to [0, 1]: outside it, the apparent share
        contradicts the stated errors. Undefined where nothing was tested, and where
        sensitivity + specificity is 1.

    Raises
    ------
    ValueError
        If a share is outside [0, 1] or positives outside 0..tested.

    References
    ----------
    Rogan and Gladen (1978), American Journal of Epidemiology 107:71.
    """
    if not 0 <= positives <= tested or not 0 <= sensitivity <= 1 or not 0 <= specificity <= 1:
        raise ValueError(f"{positives} of {tested} at {sensitivity} and {specificity}")
    if tested == 0:
        return Coefficient(None, 0, None, "no statements were judged")
    if np.isclose(sensitivity + specificity, 1, rtol=0, atol=1e-12):
        return Coefficient(None, tested, None, NO_INFORMATION)
    informed = sensitivity + specificity - 1
    return Coefficient((positives / tested + specificity - 1) / informed, tested, None, None)


def rogan_gladen_estimated(
    positives: int, tested: int, validation: Validation, level: float = 0.95
) -> Coefficient:
    """Return `rogan_gladen` where the judge's errors are themselves estimated from labels.

    The interval is the delta method's, ``θ ± z √V`` with
    ``V = (p(1-p)/n + θ² se(1-se)/n₁ + (1-θ)² sp(1-sp)/n₀) / (se + sp - 1)²``.

    Parameters
    ----------
    positives, tested : int
        How many of the unlabelled statements the judge calls positive, of how many.
    validation : Validation
        The judge's hits on labelled statements, a sample apart from the unlabelled ones.
    level : float
        Confidence level, inside (0, 1).

    Returns
    -------
    Coefficient
        n is tested; neither value nor interval is cut to [0, 1]. Undefined as `rogan_gladen`, and
        where no positive or no negative statement is labelled.

    Raises
    ------
    ValueError
        If a count is outside its range or the level outside (0, 1).

    References
    ----------
    Rogan and Gladen (1978), American Journal of Epidemiology 107:71. Cole and others (2023),
    American Journal of Epidemiology 192:467.
    """
    hits1, n1, hits0, n0 = validation
    if not 0 <= hits1 <= n1 or not 0 <= hits0 <= n0:
        raise ValueError(f"more hits than labelled statements: {validation}")
    if n1 == 0 or n0 == 0:
        return Coefficient(None, tested, None, "no labelled statement on one of the two sides")
    se, sp = hits1 / n1, hits0 / n0
    point = rogan_gladen(positives, tested, se, sp)
    if point.value is None:
        return point
    p, theta = positives / tested, point.value
    variance = p * (1 - p) / tested + theta**2 * se * (1 - se) / n1
    variance += (1 - theta) ** 2 * sp * (1 - sp) / n0
    half = normal_quantile(level) * float(np.sqrt(variance)) / abs(se + sp - 1)
    return point.with_interval((theta - half, theta + half))


def ppi_mean(
    labels: ArrayLike, judged: ArrayLike, judged_unlabelled: ArrayLike, level: float = 0.95
) -> Coefficient:
    """Return the prediction-powered mean: the judge's mean plus its mean error on labels.

    ``θ = mean(f(X̃)) + mean(Y - f(X))``, with variance ``var(f(X̃))/N + var(Y - f(X))/n``.

    Parameters
    ----------
    labels, judged : array, shape (n,)
        What people and the judge say of the labelled statements, 1 or 0, or any number.
    judged_unlabelled : array, shape (N,)
        What the judge says of the unlabelled ones.
    level : float
        Confidence level, inside (0, 1).

    Returns
    -------
    Coefficient
        n is the number of labelled statements; the interval is normal and not cut to [0, 1].
        Undefined where either sample is empty.

    Raises
    ------
    ValueError
        If labels and judged differ in length, or the level is outside (0, 1).

    References
    ----------
    Angelopoulos and others (2023), Science 382:669, algorithm 1.
    """
    y, f, rest = _vector(labels), _vector(judged), _vector(judged_unlabelled)
    if y.shape != f.shape:
        raise ValueError(f"{y.size} labels for {f.size} judgments")
    if y.size == 0 or rest.size == 0:
        return Coefficient(None, y.size, None, "one of the two samples is empty")
    theta = float(rest.mean() + (y - f).mean())
    variance = float(rest.var() / rest.size + (y - f).var() / y.size)
    half = normal_quantile(level) * float(np.sqrt(variance))
    return Coefficient(theta, y.size, (theta - half, theta + half), None)


def _vector(values: ArrayLike) -> NDArray[np.float64]:
    array: NDArray[np.float64] = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise ValueError(f"one value a statement, not an array of shape {array.shape}")
    return array
