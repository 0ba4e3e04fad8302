"""Two judges on the same statements: is one better, by how much, and is it more than chance?"""

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binomtest

from calibration.stats.rates import wilson
from calibration.stats.results import Coefficient, Interval, PValue

Alternative = Literal["two-sided", "greater", "less"]


def mcnemar_exact(b: int, c: int, *, alternative: Alternative = "two-sided") -> PValue:
    """Return the exact McNemar p-value: how surprising is b against c, if either were as likely?

    Parameters
    ----------
    b, c : int
        Statements on which only the first, only the second, has the property (being right, say).
        Those on which both or neither has it say nothing.
    alternative : {"two-sided", "greater", "less"}
        Whether a difference in either direction counts, or only b in excess, or only c.

    Returns
    -------
    PValue
        From Binomial(b + c, 1/2); n is b + c. Two-sided is twice the smaller tail, at most 1.
        Undefined where b + c is 0: no statement tells the two apart.

    Raises
    ------
    ValueError
        If b or c is negative.

    References
    ----------
    McNemar (1947), Psychometrika 12:153.
    Fagerland, Lydersen and Laake (2013), BMC Medical Research Methodology 13:91.
    """
    if b < 0 or c < 0:
        raise ValueError(f"counts cannot be negative: {b}, {c}")
    if b + c == 0:
        return PValue(None, 0, "no statement tells the two apart")
    n = int(b + c)
    return PValue(float(binomtest(int(b), n, 0.5, alternative=alternative).pvalue), n, None)


def paired_difference(both: int, first_only: int, second_only: int, neither: int) -> Coefficient:
    """Return the first share minus the second, paired, with Newcombe's 95% interval.

    Parameters
    ----------
    both, first_only, second_only, neither : int
        How many statements have the property under both, one or neither.

    Returns
    -------
    Coefficient
        ``(first_only - second_only) / n`` in [-1, 1]; n is the sum of the four. Undefined where
        that is 0.

    Raises
    ------
    ValueError
        If a count is negative.
    """
    counts = both, first_only, second_only, neither
    if not any(counts):
        return Coefficient(None, 0, None, "no statements in common")
    interval, n = newcombe_paired(*counts), int(sum(counts))
    return Coefficient((first_only - second_only) / n, n, interval, None)


def newcombe_paired(
    both: float, first_only: float, second_only: float, neither: float, level: float = 0.95
) -> Interval:
    """Return Newcombe's interval for a difference of paired shares, method 10.

    The two shares' Wilson limits are combined by squaring and adding: ``θ - √(d₁² - 2φd₁d₂ + d₂²)``
    and likewise above, where d₁, d₂ are the distances from each share to its limit and φ is how the
    two correlate, corrected for continuity.

    Parameters
    ----------
    both, first_only, second_only, neither : float
        How many statements have the property under both, one or neither, above 0 together; no
        whole numbers where they are worth less than they number.
    level : float
        Confidence level, inside (0, 1).

    Returns
    -------
    (low, high)
        Limits for first minus second, in [-1, 1].

    Raises
    ------
    ValueError
        If a count is negative, all are 0, or the level is outside (0, 1).

    References
    ----------
    Newcombe (1998), Statistics in Medicine 17:2635, method 10.
    """
    if min(both, first_only, second_only, neither) < 0:
        raise ValueError("counts cannot be negative")
    n = both + first_only + second_only + neither
    first, second = both + first_only, both + second_only
    low1, high1 = wilson(first, n, level)
    low2, high2 = wilson(second, n, level)
    p1, p2, phi = first / n, second / n, _corrected_phi(both, first_only, second_only, neither)
    below = _combined(p1 - low1, high2 - p2, phi)
    above = _combined(high1 - p1, p2 - low2, phi)
    difference = (first_only - second_only) / n
    return max(-1.0, difference - below), min(1.0, difference + above)


def clustered_standard_error(values: ArrayLike, clusters: ArrayLike) -> Coefficient:
    """Return the standard error of a mean whose observations come in clusters.

    ``√(G/(G-1) Σ_g (Σ_{i in g} (y_i - ȳ))²) / n`` for G clusters; with one observation a cluster it
    is s/√n.

    Parameters
    ----------
    values : array, shape (n,)
        Observations, such as 1 for right and 0 for wrong.
    clusters : array, shape (n,)
        Which cluster each belongs to: numbers or strings.

    Returns
    -------
    Coefficient
        n is the number of observations. Undefined with fewer than two clusters.

    Raises
    ------
    ValueError
        If the two differ in length.

    References
    ----------
    Liang and Zeger (1986), Biometrika 73:13.
    Miller (2024), Adding Error Bars to Evals, section 2.2.
    """
    y: NDArray[np.float64] = np.asarray(values, dtype=np.float64)
    names: NDArray[Any] = np.asarray(clusters)
    if y.ndim != 1 or names.shape != y.shape:
        raise ValueError(f"clusters of shape {names.shape} for values of shape {y.shape}")
    unique, which = np.unique(names, return_inverse=True)
    if unique.size < 2:
        return Coefficient(None, y.size, None, "fewer than two clusters")
    sums = np.bincount(which, weights=y - y.mean())
    variance = unique.size / (unique.size - 1) * float(np.square(sums).sum())
    return Coefficient(math.sqrt(variance) / y.size, y.size, None, None)


def _combined(first: float, second: float, phi: float) -> float:
    """Return ``√(d₁² - 2φ d₁ d₂ + d₂²)``."""
    return math.sqrt(max(0.0, first * first - 2 * phi * first * second + second * second))


def _corrected_phi(a: float, b: float, c: float, d: float) -> float:
    """Return φ of a 2×2 table, ad - bc pulled towards 0 by n/2 if positive; 0 if a margin is 0."""
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    if margins == 0:
        return 0.0
    numerator: float = a * d - b * c
    if numerator > 0:
        numerator = max(numerator - (a + b + c + d) / 2, 0.0)
    return numerator / math.sqrt(margins)
