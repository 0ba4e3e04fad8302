"""Percentile intervals by resampling clusters.

Statements of one case, and the two cases of a pair, share their context and are right or wrong
together; resampling them one by one would claim a certainty that is not there. So whole clusters
are drawn, with replacement.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.stats.results import Interval

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Statistic = Callable[[Floats], Floats]

DEFINED_SHARE = 0.9
"""The share of replicates that must define the statistic for there to be an interval."""

_CHUNK = 1 << 22  # numbers held at once: 32 MB
_BINOMIAL_COST = 10  # one binomial of a multinomial takes as long as ten draws of a cluster


def cluster_interval(
    cluster_counts: ArrayLike,
    statistic: Statistic,
    seed: int,
    replicates: int = 2000,
    level: float = 0.95,
) -> Interval | None:
    """Return the percentile interval of a statistic of summed tables, resampling clusters.

    As many clusters as there are get drawn with replacement, their tables are added up, and the
    statistic is taken of the sum. Only how often each *distinct* table is drawn matters to the sum,
    and these numbers are multinomial: clusters that look alike are therefore drawn as one group,
    which is the same distribution and much faster.

    Parameters
    ----------
    cluster_counts : array, shape (n_clusters, k * k)
        One flattened table a cluster; see `calibration.stats.confusion.cluster_confusions`.
    statistic : callable
        From tables of shape (..., k, k) to values of shape (...), nan where undefined.
    seed : int
        Seed of the draw. The same seed and the same clusters in any order give the same interval.
    replicates : int
        How many times to resample.
    level : float
        Confidence level, inside (0, 1).

    Returns
    -------
    (low, high) or None
        Quantiles (1 - level) / 2 and (1 + level) / 2 of the replicates in which the statistic is
        defined. None where fewer than `DEFINED_SHARE` of them define it, since the others are then
        not a fair sample, and with fewer than two clusters, since drawing the one again shows no
        variation whatever the data. Where every cluster agrees perfectly so does every replicate,
        and the interval shrinks to a point: read the rate's Wilson interval there.

    Raises
    ------
    ValueError
        If cluster_counts is not a matrix with a square number of columns, or replicates or level is
        out of range.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapter 13.
    Field and Welsh (2007), JRSS B 69:369.
    """
    return cluster_intervals(cluster_counts, [statistic], seed, replicates, level)[0]


def cluster_intervals(
    cluster_counts: ArrayLike,
    statistics: Sequence[Statistic],
    seed: int,
    replicates: int = 2000,
    level: float = 0.95,
) -> list[Interval | None]:
    """Return `cluster_interval` of several statistics of the same tables, from one draw.

    Each is exactly what `cluster_interval` gives for it alone with that seed; drawing is what
    takes the time.
    """
    if replicates < 1 or not 0 < level < 1:
        raise ValueError(f"{replicates} replicates at level {level}")
    clusters, k = _tables(cluster_counts)
    if len(clusters) < 2:
        return [None for _ in statistics]
    chunks = [
        [statistic(sums.reshape(-1, k, k)) for statistic in statistics]
        for sums in _resampled_sums(clusters, seed, replicates)
    ]
    return [_percentiles(np.concatenate(values), level) for values in zip(*chunks, strict=True)]


def _resampled_sums(clusters: Floats, seed: int, replicates: int) -> Iterator[Floats]:
    """Yield the summed tables of the replicates, in chunks of shape (m, k * k)."""
    patterns, multiplicities = _distinct(clusters)
    rng = np.random.default_rng(seed)
    size = max(1, _CHUNK // len(patterns))
    for start in range(0, replicates, size):
        draws = _draw(multiplicities, rng, min(size, replicates - start))
        yield draws.astype(np.float64) @ patterns


def _draw(multiplicities: Integers, rng: np.random.Generator, size: int) -> Integers:
    """Return how often each pattern comes up in each of size resamples, shape (size, n_patterns).

    Both ways give the same multinomial distribution; which is faster depends on how much the
    patterns repeat.
    """
    n = int(multiplicities.sum())
    if _BINOMIAL_COST * len(multiplicities) < n:
        return rng.multinomial(n, multiplicities / n, size=size)
    pattern_of = np.repeat(np.arange(len(multiplicities)), multiplicities)
    drawn = (pattern_of[rng.integers(n, size=n)] for _ in range(size))
    return np.stack([np.bincount(patterns, minlength=len(multiplicities)) for patterns in drawn])


def _distinct(clusters: Floats) -> tuple[Floats, Integers]:
    """Return the distinct rows, sorted, and how often each occurs: a faster `numpy.unique`."""
    ordered = clusters[np.lexsort(clusters.T)]
    changes = (ordered[1:] != ordered[:-1]).any(axis=1)
    starts = np.concatenate([[0], np.flatnonzero(changes) + 1])
    return ordered[starts], np.diff(starts, append=len(ordered))


def _percentiles(values: Floats, level: float) -> Interval | None:
    defined = values[~np.isnan(values)]
    if defined.size < DEFINED_SHARE * values.size:
        return None
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return low, high


def _tables(cluster_counts: ArrayLike) -> tuple[Floats, int]:
    clusters: Floats = np.asarray(cluster_counts, dtype=np.float64)
    k = round(clusters.shape[-1] ** 0.5) if clusters.ndim == 2 else 0
    if clusters.ndim != 2 or k * k != clusters.shape[1] or k == 0:
        raise ValueError(
            f"one flattened square table a cluster, not an array of shape {clusters.shape}"
        )
    return clusters, k
