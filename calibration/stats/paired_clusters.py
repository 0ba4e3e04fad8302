"""Two judges on the same statements, where statements come in clusters.

`calibration.stats.paired` takes each statement by itself. Here the sides of a pair, or the
statements of a case, may stand and fall together. Where no two share a cluster, both functions give
exactly what its exact McNemar test and Newcombe's interval give.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binom

from calibration.stats.bootstrap import cluster_sums
from calibration.stats.clusters import effective_n
from calibration.stats.paired import Alternative, newcombe_paired
from calibration.stats.results import Coefficient, PValue

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

ALIKE = "no statement tells the two apart on balance"


def sign_flip(
    first: ArrayLike, second: ArrayLike, clusters: ArrayLike, *, alternative: Alternative
) -> PValue:
    """Return the exact p-value of a difference between two judges, whole clusters being exchanged.

    If it makes no difference which judge is which, then in each cluster the excess of the first
    over the second, ``d_g = b_g - c_g``, could as well have been its opposite. Their sum over all
    2^G ways to flip them is worked out exactly, so there is no seed: clusters of equal |d| flip
    like a binomial, and the sums of these are convolved.

    Parameters
    ----------
    first, second : array of bool, shape (n,)
        Whether each judge has the property: is right, say, or is lenient. For a test of leniency,
        the later version first and ``alternative="greater"``, over the statements that fail by
        their reference.
    clusters : array, shape (n,)
        What may stand and fall together: numbers or strings.
    alternative : {"two-sided", "greater", "less"}
        Whether a difference in either direction counts, or only the first in excess, or only the
        second.

    Returns
    -------
    PValue
        n is the number of statements that only one of the two has, in clusters with an excess.
        Two-sided is twice the smaller tail, at most 1. Undefined where no cluster has an excess.
        Where no two statements share a cluster, exactly `calibration.stats.paired.mcnemar_exact`.

    Raises
    ------
    ValueError
        If the lengths differ.

    References
    ----------
    Fisher (1935), The Design of Experiments, section 21. For two binary answers in clusters:
    Obuchowski (1998), Statistics in Medicine 17:1495.
    """
    differences, names = _differences(first, second, clusters)
    told_apart = cluster_sums(np.stack([differences, np.abs(differences)], axis=1), names).astype(
        np.int64
    )
    told_apart = told_apart[told_apart[:, 0] != 0]
    if not len(told_apart):
        return PValue(None, 0, ALIKE)
    excess, n = int(told_apart[:, 0].sum()), int(told_apart[:, 1].sum())
    return PValue(_tail(np.abs(told_apart[:, 0]), excess, alternative), n, None)


def clustered_difference(first: ArrayLike, second: ArrayLike, clusters: ArrayLike) -> Coefficient:
    """Return the first share minus the second, with Newcombe's 95% interval on the effective n.

    The fourfold table is shrunk to as many statements as would be as sure of the mean difference
    if each stood alone, and Newcombe's interval taken of that.

    Parameters
    ----------
    first, second : array of bool, shape (n,)
        Whether each judge has the property.
    clusters : array, shape (n,)
        What may stand and fall together: numbers or strings.

    Returns
    -------
    Coefficient
        In [-1, 1]; n is the number of statements. Undefined where that is 0. Where no two
        statements share a cluster, exactly `calibration.stats.paired.paired_difference`.

    Raises
    ------
    ValueError
        If the lengths differ.

    References
    ----------
    Newcombe (1998), Statistics in Medicine 17:2635, method 10; for the effective n
    `calibration.stats.clusters.effective_n`.
    """
    differences, names = _differences(first, second, clusters)
    n = differences.size
    if n == 0:
        return Coefficient(None, 0, None, "no statements in common")
    a, b = np.asarray(first, dtype=np.bool_), np.asarray(second, dtype=np.bool_)
    shrunk = effective_n(differences, names) / n
    table = [float(np.count_nonzero(cell)) for cell in (a & b, a & ~b, b & ~a, ~a & ~b)]
    interval = newcombe_paired(*(cell * shrunk for cell in table))
    return Coefficient((table[1] - table[2]) / n, n, interval, None)


def _differences(
    first: ArrayLike, second: ArrayLike, clusters: ArrayLike
) -> tuple[Integers, NDArray[np.generic]]:
    a, b = np.asarray(first, dtype=np.bool_), np.asarray(second, dtype=np.bool_)
    names: NDArray[np.generic] = np.asarray(clusters)
    if a.ndim != 1 or not a.shape == b.shape == names.shape:
        raise ValueError(f"{a.size} and {b.size} answers in {names.size} places of clusters")
    return a.astype(np.int64) - b.astype(np.int64), names


def _tail(sizes: Integers, excess: int, alternative: Alternative) -> float:
    """Return how likely flipping gives an excess at least as far out."""
    up = (excess + int(sizes.sum())) // 2
    chances = _positive_sums(sizes)
    greater, less = float(chances[up:].sum()), float(chances[: up + 1].sum())
    tails = {"greater": greater, "less": less, "two-sided": 2 * min(greater, less)}
    return min(1.0, tails[alternative])


def _positive_sums(sizes: Integers) -> Floats:
    """Return how likely the sizes that come up positive, each with chance 1/2, add up to 0, 1, ….

    That sum and the excess say the same: excess = 2 · sum - Σ sizes.
    """
    chances: Floats = np.ones(1)
    for size, count in zip(*np.unique(sizes, return_counts=True), strict=True):
        step = np.zeros(int(size * count) + 1)
        step[::size] = binom.pmf(np.arange(count + 1), count, 0.5)
        chances = np.convolve(chances, step)
    return chances
