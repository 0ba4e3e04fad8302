"""Shares of a count, with Wilson's interval."""

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from calibration.stats.clusters import spread
from calibration.stats.results import Interval, Rate

NO_STATEMENTS = "no statements"


def normal_quantile(level: float) -> float:
    """Return the two-sided normal quantile of a confidence level: 1.96 for 0.95.

    Raises
    ------
    ValueError
        If the level is not inside (0, 1).
    """
    if not 0 < level < 1:
        raise ValueError(f"a confidence level lies between 0 and 1, not {level}")
    return NormalDist().inv_cdf((1 + level) / 2)


def wilson(count: float, n: float, level: float = 0.95) -> Interval:
    """Return Wilson's score interval for a share, without continuity correction.

    ``(p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n)`` with p = count / n and z the normal
    quantile. It stays inside [0, 1], always holds p, and keeps a width at 0 of n and n of n, where
    the usual ± interval has none.

    Parameters
    ----------
    count : float
        Successes, 0 to n.
    n : float
        Trials, above 0; no whole number where it is an effective n.
    level : float
        Confidence level, inside (0, 1).

    Returns
    -------
    (low, high)
        Both in [0, 1]; low is exactly 0 where count is 0, high exactly 1 where count is n.

    Raises
    ------
    ValueError
        If n is not positive, count is outside 0..n, or the level is outside (0, 1).

    References
    ----------
    Wilson (1927), JASA 22:209. Newcombe (1998), Statistics in Medicine 17:857, method 3.
    """
    if n <= 0 or not 0 <= count <= n:
        raise ValueError(f"a share needs 0 <= count <= n and n > 0, not {count} of {n}")
    z = normal_quantile(level)
    centre = (count + z * z / 2) / (n + z * z)
    half = z * math.sqrt(count * (n - count) / n + z * z / 4) / (n + z * z)
    low = 0.0 if count == 0 else centre - half
    high = 1.0 if count == n else centre + half
    return low, high


def rate(
    count: int, n: int, *, effective_n: float | None = None, reason: str = NO_STATEMENTS
) -> Rate:
    """Return count of n as a rate with Wilson's 95% interval.

    Parameters
    ----------
    count, n : int
        Numerator and denominator.
    effective_n : float, optional
        How many independent statements would be as sure, above 0 and at most n; n if not given.
        It moves the interval only.
    reason : str
        What to say where n is 0 and the rate is therefore undefined.

    Raises
    ------
    ValueError
        If count is outside 0..n, or effective_n out of range.
    """
    if n == 0 and count == 0:
        return Rate(0, 0, None, None, reason)
    interval = wilson(count, n)
    share = float(count / n)
    if effective_n is not None:
        if not 0 < effective_n <= n:
            raise ValueError(f"{n} statements are never worth {effective_n}")
        interval = wilson(share * effective_n, effective_n)
    return Rate(int(count), int(n), share, interval, None)


def clustered_rate(hits: ArrayLike, clusters: ArrayLike, *, reason: str = NO_STATEMENTS) -> Rate:
    """Return the share of hits with Wilson's 95% interval on the effective n.

    Parameters
    ----------
    hits : array of bool, shape (n,)
        One entry a statement.
    clusters : array, shape (n,)
        What is right or wrong together: numbers or strings.
    reason : str
        What to say where n is 0 and the rate is therefore undefined.

    Returns
    -------
    Rate
        Where no two statements share a cluster, exactly `rate`.

    Raises
    ------
    ValueError
        If clusters has another length.

    References
    ----------
    See `calibration.stats.clusters.effective_n`.
    """
    return _rates(hits, clusters, None, 1, reason)[0]


def clustered_rates(
    hits: ArrayLike,
    clusters: ArrayLike,
    groups: ArrayLike,
    k: int,
    *,
    reason: str = NO_STATEMENTS,
) -> list[Rate]:
    """Return `clustered_rate` of each of k groups.

    Parameters
    ----------
    hits, clusters : array, shape (n,)
        As in `clustered_rate`.
    groups : array of int, shape (n,)
        Codes 0..k-1.
    k : int
        Number of groups.
    reason : str
        What to say of a group without statements.

    Raises
    ------
    ValueError
        If the lengths differ.
    """
    return _rates(hits, clusters, groups, k, reason)


def counted_rate(
    hits: ArrayLike, misses: ArrayLike, clusters: ArrayLike, *, reason: str = NO_STATEMENTS
) -> Rate:
    """Return `clustered_rate` of units that hold several observations each, given as counts.

    Parameters
    ----------
    hits, misses : array of int, shape (n_units,)
        How many observations of each unit are hits, and how many are not. All observations of a
        unit are of its cluster.
    clusters : array, shape (n_units,)
        What is right or wrong together: numbers or strings.
    reason : str
        What to say where there is no observation and the rate is therefore undefined.

    Raises
    ------
    ValueError
        If the lengths differ, or a count is negative.
    """
    counts = np.stack([np.asarray(hits, dtype=np.int64), np.asarray(misses, dtype=np.int64)])
    names = np.asarray(clusters)
    if counts.shape[1:] != names.shape:
        raise ValueError(f"clusters of shape {names.shape} for counts of {counts.shape[1:]}")
    observed = np.repeat([True, False], counts.sum(axis=1))
    places = np.tile(np.arange(names.size), 2)
    return clustered_rate(observed, names[np.repeat(places, counts.ravel())], reason=reason)


def _rates(
    hits: ArrayLike, clusters: ArrayLike, groups: ArrayLike | None, k: int, reason: str
) -> list[Rate]:
    found = spread(hits, clusters, groups, k)
    return [
        rate(round(mean * n), n, effective_n=effective, reason=reason)
        if n
        else Rate(0, 0, None, None, reason)
        for n, mean, effective in zip(
            found.sizes.tolist(), found.means.tolist(), found.effective.tolist(), strict=True
        )
    ]
