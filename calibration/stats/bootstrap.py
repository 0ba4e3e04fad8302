"""Intervals by resampling clusters.

Statements of one case, and the two cases of a pair, share their context and are right or wrong
together; resampling them one by one would claim a certainty that is not there. So whole clusters
are drawn, with replacement.

The quantiles are Efron's BCa: corrected for the bias of the replicates' median and for a spread
that changes with the value, both of which matter where a judge is nearly always right. Plain
percentiles hold 90% or less there with fifty clusters (`tests/calibration/stats/test_coverage.py`
measures it).
"""

from collections.abc import Callable, Iterator, Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.stats.clusters import kish_n
from calibration.stats.rates import wilson
from calibration.stats.results import Interval

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Statistic = Callable[[Floats], Floats]

DEFINED_SHARE = 0.9
"""The share of replicates that must define the statistic for there to be an interval."""

_CHUNK = 1 << 22  # numbers held at once: 32 MB
_BLOCK = 1 << 17  # of them drawn at once: 1 MB, which a processor keeps near
_BINOMIAL_COST = 10  # one binomial of a multinomial takes as long as ten draws of a cluster
_SAME = 1e-12  # replicates this near the estimate equal it, but for rounding


def cluster_interval(
    cluster_counts: ArrayLike,
    statistic: Statistic,
    seed: int,
    replicates: int = 2000,
    level: float = 0.95,
) -> Interval | None:
    """Return the interval of a statistic of summed square tables, resampling clusters.

    Parameters
    ----------
    cluster_counts : array, shape (n_clusters, k * k)
        One flattened table a cluster; see `calibration.stats.confusion.cluster_confusions`.
    statistic : callable
        From tables of shape (..., k, k) to values of shape (...), nan where undefined. It must not
        rise when agreement in the table gives way to chance.
    seed : int
        Seed of the draw. The same seed and the same clusters in any order give the same interval.
    replicates : int
        How many times to resample.
    level : float
        Confidence level, inside (0, 1).

    Returns
    -------
    (low, high) or None
        As `sum_interval`, but for a table in which nothing disagrees. Every replicate of that is
        perfect too, which says nothing; the lower limit there is the statistic of the same margins
        where agreement falls to Wilson's lower limit for as many statements as there are clusters
        of equal weight (`calibration.stats.clusters.kish_n`), the rest being chance.

    Raises
    ------
    ValueError
        If cluster_counts is not a matrix with a square number of columns, or replicates or level is
        out of range.

    References
    ----------
    See `sum_interval`.
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
    clusters, k = _tables(cluster_counts)
    total = clusters.sum(axis=0).reshape(k, k)
    if len(clusters) > 1 and total.any() and np.trace(total) == total.sum():
        _require(replicates, level)
        slipped = _slipped(total, _wilson_low(clusters.sum(axis=1), level))
        return [_between(statistic, slipped, total) for statistic in statistics]

    def of_tables(statistic: Statistic) -> Statistic:
        return lambda sums: statistic(sums.reshape(-1, k, k))

    wrapped = [of_tables(statistic) for statistic in statistics]
    return sum_intervals(clusters, wrapped, seed, replicates, level)


def sum_interval(
    cluster_sums: ArrayLike,
    statistic: Statistic,
    seed: int,
    replicates: int = 2000,
    level: float = 0.95,
) -> Interval | None:
    """Return the BCa interval of a statistic of sums over clusters, resampling clusters.

    As many clusters as there are get drawn with replacement, their rows are added up, and the
    statistic is taken of the sum. Only how often each *distinct* row is drawn matters to the sum,
    and these numbers are multinomial: clusters that look alike are therefore drawn as one group,
    which is the same distribution and much faster.

    Parameters
    ----------
    cluster_sums : array, shape (n_clusters, c)
        What each cluster adds to each of c sums: a numerator and a denominator, say.
    statistic : callable
        From sums of shape (m, c) to values of shape (m,), nan where undefined.
    seed, replicates, level
        As in `cluster_interval`.

    Returns
    -------
    (low, high) or None
        Quantiles of the replicates in which the statistic is defined, at the levels that BCa
        gives. None where fewer than `DEFINED_SHARE` of them define it, since the others are then
        not a fair sample; where the clusters together do not; and with fewer than two clusters,
        since drawing the one again shows no variation whatever the data. Where all clusters have
        the same value so has every replicate, and the interval is a point.

    Raises
    ------
    ValueError
        If cluster_sums is not a matrix, or replicates or level is out of range.

    References
    ----------
    Efron (1987), JASA 82:171; Efron and Tibshirani (1993), An Introduction to the Bootstrap,
    chapter 14. Field and Welsh (2007), JRSS B 69:369, on resampling clusters.
    """
    return sum_intervals(cluster_sums, [statistic], seed, replicates, level)[0]


def sum_intervals(
    cluster_sums: ArrayLike,
    statistics: Sequence[Statistic],
    seed: int,
    replicates: int = 2000,
    level: float = 0.95,
) -> list[Interval | None]:
    """Return `sum_interval` of several statistics of the same sums, from one draw."""
    _require(replicates, level)
    clusters: Floats = np.asarray(cluster_sums, dtype=np.float64)
    if clusters.ndim != 2:
        raise ValueError(f"one row of sums a cluster, not an array of shape {clusters.shape}")
    if len(clusters) < 2:
        return [None for _ in statistics]
    patterns, multiplicities = _distinct(clusters)
    chunks = [
        [statistic(sums) for statistic in statistics]
        for sums in _resampled_sums(patterns, multiplicities, seed, replicates)
    ]
    return [
        _bca(statistic, np.concatenate(values), patterns, multiplicities, level)
        for statistic, values in zip(statistics, zip(*chunks, strict=True), strict=True)
    ]


def cluster_sums(values: ArrayLike, clusters: ArrayLike) -> Floats:
    """Add up rows of values by cluster.

    Parameters
    ----------
    values : array, shape (n, c)
        What each observation adds to each sum.
    clusters : array, shape (n,)
        Which cluster each belongs to: numbers or strings.

    Returns
    -------
    array of float, shape (n_clusters, c)
        In the sorted order of the cluster names, and the same to the last digit in whatever order
        the observations of a cluster came.

    Raises
    ------
    ValueError
        If clusters has another length.
    """
    rows: Floats = np.asarray(values, dtype=np.float64)
    names, which = np.unique(np.asarray(clusters), return_inverse=True)
    if rows.ndim != 2 or which.shape != rows.shape[:1]:
        raise ValueError(f"clusters of shape {which.shape} for values of shape {rows.shape}")
    order = np.lexsort((*rows.T, which))
    sums = [np.bincount(which[order], column, names.size) for column in rows[order].T]
    return np.stack(sums, axis=1) if sums else np.zeros((names.size, 0))


def _resampled_sums(
    patterns: Floats, multiplicities: Integers, seed: int, replicates: int
) -> Iterator[Floats]:
    """Yield the sums of the replicates, in chunks of shape (m, c)."""
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
    block = max(1, _BLOCK // n)
    rows = [min(block, size - start) for start in range(0, size, block)]
    return np.vstack([_counted(pattern_of, len(multiplicities), rng, each) for each in rows])


def _counted(pattern_of: Integers, patterns: int, rng: np.random.Generator, rows: int) -> Integers:
    """Return how often each pattern comes up in each of rows resamples, drawn one by one."""
    drawn = pattern_of[rng.integers(pattern_of.size, size=(rows, pattern_of.size))]
    drawn += patterns * np.arange(rows)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=rows * patterns)
    return counts.reshape(rows, patterns)


def _distinct(clusters: Floats) -> tuple[Floats, Integers]:
    """Return the distinct rows, sorted, and how often each occurs: a faster `numpy.unique`."""
    ordered = clusters[np.lexsort(clusters.T)]
    changes = (ordered[1:] != ordered[:-1]).any(axis=1)
    starts = np.concatenate([[0], np.flatnonzero(changes) + 1])
    return ordered[starts], np.diff(starts, append=len(ordered))


def _bca(
    statistic: Statistic,
    values: Floats,
    patterns: Floats,
    multiplicities: Integers,
    level: float,
) -> Interval | None:
    """Return the replicates' quantiles at Φ(z₀ + (z₀ + z) / (1 - a (z₀ + z))) for both z."""
    total = multiplicities @ patterns
    estimate = float(statistic(total[None, :])[0])
    defined = values[~np.isnan(values)]
    if np.isnan(estimate) or defined.size < DEFINED_SHARE * values.size:
        return None
    bias = _bias(defined, estimate)
    left_out = statistic(total - patterns)
    acceleration = _acceleration(left_out, multiplicities)
    tails = [(1 - level) / 2, (1 + level) / 2]
    low, high = np.quantile(defined, [_shifted(tail, bias, acceleration) for tail in tails])
    return float(low), float(high)


def _bias(values: Floats, estimate: float) -> float:
    """Return z₀, the normal quantile of the share of replicates below the estimate; those that
    equal it count half."""
    same = np.abs(values - estimate) <= _SAME * max(1.0, abs(estimate))
    below = np.count_nonzero((values < estimate) & ~same) + np.count_nonzero(same) / 2
    share = below / values.size
    return NormalDist().inv_cdf(min(max(share, 1 / values.size), 1 - 1 / values.size))


def _acceleration(left_out: Floats, multiplicities: Integers) -> float:
    """Return ``a = Σ u³ / 6 (Σ u²)^1.5`` of the jackknife's deviations, mean minus value.

    The value with a cluster left out is the same for all that look alike, so one stands for all.
    """
    defined = ~np.isnan(left_out)
    weights = multiplicities[defined].astype(np.float64)
    if not weights.size:
        return 0.0
    deviations = np.average(left_out[defined], weights=weights) - left_out[defined]
    squares = float(weights @ deviations**2)
    return float(weights @ deviations**3) / (6 * squares**1.5) if squares > _SAME**2 else 0.0


def _shifted(tail: float, bias: float, acceleration: float) -> float:
    normal = NormalDist()
    reach = bias + normal.inv_cdf(tail)
    return normal.cdf(bias + reach / max(1 - acceleration * reach, _SAME))


def _slipped(total: Floats, agreement: float) -> Floats:
    """Return the table of the same margins with that agreement, or that of chance if it is less."""
    sizes = np.diagonal(total)
    n = sizes.sum()
    chance = np.outer(sizes, sizes) / n
    expected = np.trace(chance) / n
    kept = max(0.0, (agreement - expected) / (1 - expected)) if expected < 1 else 1.0
    mixed: Floats = kept * total + (1 - kept) * chance
    return mixed


def _wilson_low(sizes: Floats, level: float) -> float:
    worth = kish_n(sizes)
    return wilson(worth, worth, level)[0]


def _between(statistic: Statistic, low: Floats, high: Floats) -> Interval | None:
    values = statistic(np.stack([low, high]))
    return None if np.isnan(values).any() else (float(values[0]), float(values[1]))


def _require(replicates: int, level: float) -> None:
    if replicates < 1 or not 0 < level < 1:
        raise ValueError(f"{replicates} replicates at level {level}")


def _tables(cluster_counts: ArrayLike) -> tuple[Floats, int]:
    clusters: Floats = np.asarray(cluster_counts, dtype=np.float64)
    k = round(clusters.shape[-1] ** 0.5) if clusters.ndim == 2 else 0
    if clusters.ndim != 2 or k * k != clusters.shape[1] or k == 0:
        raise ValueError(
            f"one flattened square table a cluster, not an array of shape {clusters.shape}"
        )
    return clusters, k
