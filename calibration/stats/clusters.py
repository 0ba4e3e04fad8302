"""What statements that come in clusters are worth.

The sides of a pair, and the statements of a case, are right or wrong together: a hundred statements
in fifty pairs can hold as little as fifty of them would. The design effect says by how much the
variance of a mean grows for it, and n over the design effect is the effective n: how many
independent statements would be as sure. The interval of a rate is Wilson's on that n.

The design effect is a ratio of two sums over few clusters, and is 0/0 where all statements are
alike. Both sums therefore get half an event that befell a whole cluster. Then it is exactly 1
where no two statements share a cluster, exactly Kish's where all statements are alike (nothing
says that clusters do *not* stand and fall together, so they are taken to), and moves without a
jump in between.

References
----------
Kish (1965), Survey Sampling, sections 5.4 and 8.2. Korn and Graubard (1998), Survey Methodology
24:193. Rao and Scott (1992), Biometrics 48:577. Dean and Pagano (2015), Journal of Survey
Statistics and Methodology 3:484, on Wilson's interval over the effective n.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.stats.results import Coefficient

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

HALF_EVENT = 0.5
GROUPS = 2048

_DENSE = 8  # cells a statement up to which counting in place is faster than sorting


class Spread(NamedTuple):
    """How sure the mean of each group is, arrays of shape (k,).

    Attributes
    ----------
    sizes
        Observations, n.
    means
        Their mean; nan where n is 0.
    effective
        Effective n, 0 to n; 0 where n is 0.
    variances
        Of the mean, with half an event added, so that it is never 0; nan where n is 0.
    """

    sizes: Integers
    means: Floats
    effective: Floats
    variances: Floats


def effective_n(values: ArrayLike, clusters: ArrayLike) -> float:
    """Return how many independent observations would be as sure of the mean.

    ``n / max(1, (R + m²/2) / (nσ² + m/2))`` with ``R = G/(G-1) · (n-1)/n · Σ_g (Σ_{i in g} (y_i -
    ȳ))²`` over G clusters, ``nσ² = Σ (y_i - ȳ)²`` and the mean cluster size that an observation
    sees, ``m = Σ m_g² / n``.

    Parameters
    ----------
    values : array, shape (n,)
        Observations on a scale of unit steps: 1 for right and 0 for wrong, or the difference of
        two such, in [-1, 1].
    clusters : array, shape (n,)
        Which cluster each belongs to: numbers or strings.

    Returns
    -------
    float
        0 where n is 0. Exactly n where no two observations share a cluster, n / m where all are
        alike or stand in one cluster (1 for one cluster), and never more than n: that clusters
        differ less than chance, as pairs with opposite sides may, buys no certainty here.

    Raises
    ------
    ValueError
        If clusters has another length.
    """
    return float(spread(values, clusters, None, 1).effective[0])


def design_effect(values: ArrayLike, clusters: ArrayLike) -> Coefficient:
    """Return by how much clustering widens the variance of a mean: n over `effective_n`.

    Parameters
    ----------
    values, clusters : array, shape (n,)
        As in `effective_n`.

    Returns
    -------
    Coefficient
        At least 1; no interval. Undefined where n is 0.

    Raises
    ------
    ValueError
        If clusters has another length.
    """
    found = spread(values, clusters, None, 1)
    n = int(found.sizes[0])
    if n == 0:
        return Coefficient(None, 0, None, "no statements")
    return Coefficient(n / float(found.effective[0]), n, None, None)


def kish_n(sizes: ArrayLike) -> float:
    """Return the effective n of clusters that stand and fall as one: ``(Σ m_g)² / Σ m_g²``.

    Parameters
    ----------
    sizes : array, shape (G,)
        How many observations, or how much weight, each cluster has.

    Returns
    -------
    float
        Between 1 and G; 0 where there is nothing.

    References
    ----------
    Kish (1965), Survey Sampling, section 11.7.
    """
    m: Floats = np.asarray(sizes, dtype=np.float64)
    squares = float(np.square(m).sum())
    return float(m.sum()) ** 2 / squares if squares else 0.0


def random_groups(sums: ArrayLike, seed: int, groups: int = GROUPS) -> Floats:
    """Add the sums of many clusters up into fewer, by random groups of as many clusters each.

    Groups of independent clusters are independent too, so resampling groups gives the variance that
    resampling clusters does, in as much less time as there are fewer of them. What is lost is how
    sure that variance is itself: its relative error is about ``√(2 / groups)``, 3% at most.

    Parameters
    ----------
    sums : array, shape (n_clusters, c)
        What each cluster adds to each of c sums (`calibration.stats.bootstrap.cluster_sums`).
    seed : int
        Seed of the grouping. The same clusters in any order give the same groups.
    groups : int
        The most there may be, above 0.

    Returns
    -------
    array of float, shape (at most groups, c)
        The sums as they are where there are no more of them than that.

    Raises
    ------
    ValueError
        If sums is not a matrix, or groups is not positive.

    References
    ----------
    Wolter (2007), Introduction to Variance Estimation, chapter 2.
    """
    rows: Floats = np.asarray(sums, dtype=np.float64)
    if rows.ndim != 2 or groups < 1:
        raise ValueError(f"{groups} groups of an array of shape {rows.shape}")
    if len(rows) <= groups:
        return rows
    ordered = rows[np.lexsort(rows.T)]
    which = np.random.default_rng(seed).permutation(len(rows)) % groups
    return np.stack([np.bincount(which, column, groups) for column in ordered.T], axis=1)


def spread(values: ArrayLike, clusters: ArrayLike, groups: ArrayLike | None, k: int) -> Spread:
    """Return the `Spread` of each group's mean; clusters may reach over several groups.

    Parameters
    ----------
    values, clusters : array, shape (n,)
        As in `effective_n`.
    groups : array of int, shape (n,), or None
        Codes 0..k-1; all observations are one group if None.
    k : int
        Number of groups.

    Raises
    ------
    ValueError
        If the lengths differ, or a group is outside 0..k-1.
    """
    y: Floats = np.asarray(values, dtype=np.float64)
    group: Integers = (
        np.zeros(y.size, dtype=np.int64) if groups is None else np.asarray(groups, dtype=np.int64)
    )
    names: NDArray[Any] = np.asarray(clusters)
    if y.ndim != 1 or not y.shape == group.shape == names.shape:
        raise ValueError(f"clusters of shape {names.shape} for values of shape {y.shape}")
    if np.any((group < 0) | (group >= k)):
        raise ValueError(f"a group is outside 0..{k - 1}")
    return _spread(y, group, *_parts(y, group, names, k), k)


def _parts(
    y: Floats, group: Integers, names: NDArray[Any], k: int
) -> tuple[Integers, Floats, Floats]:
    """Return group, sum and size of each part: what a cluster has in one group."""
    which, clusters = _numbered(names)
    key = group * clusters + which
    if k * clusters <= _DENSE * (y.size + 1):
        held = np.bincount(key, minlength=k * clusters)
        place = np.flatnonzero(held)
        return (
            place // clusters,
            _added(key, y, k * clusters)[place],
            held[place].astype(np.float64),
        )
    place, part = np.unique(key, return_inverse=True)
    sizes = _added(part, np.ones_like(y), place.size)
    return place // clusters, _added(part, y, place.size), sizes


def _numbered(names: NDArray[Any]) -> tuple[Integers, int]:
    """Return numbers from 0 for the names, and a bound that they stay below. Whole numbers that
    lie close together are taken as they are, with gaps, which saves sorting them."""
    if names.size and names.dtype.kind in "iu":
        low, high = int(names.min()), int(names.max())
        if high - low < _DENSE * names.size:
            return names.astype(np.int64, copy=False) - low, high - low + 1
    found, which = np.unique(names, return_inverse=True)
    return which.astype(np.int64), max(1, found.size)


def _spread(
    y: Floats, group: Integers, part: Integers, sums: Floats, sizes: Floats, k: int
) -> Spread:
    """Return the spread from plain sums, which for counts are whole numbers and therefore the same
    in whatever order the observations came."""
    n, total, squares = (_added(group, power, k) for power in (np.ones_like(y), y, y * y))
    means = _over(total, n)
    g, size_squares, sum_squares, products = (
        _added(part, each, k)
        for each in (np.ones_like(sums), sizes * sizes, sums * sums, sums * sizes)
    )
    scatter = np.maximum(squares - total * means, 0)
    between = np.maximum(sum_squares - 2 * means * products + means * means * size_squares, 0)
    seen = _over(size_squares, n)
    # One cluster says nothing of how clusters differ: taken to stand and fall as one.
    clustered = np.where(g > 1, between * _over(g, g - 1) * _over(n - 1, n), scatter * seen)
    alone = scatter + HALF_EVENT * seen
    together = np.where(g == n, alone, np.maximum(alone, clustered + HALF_EVENT * seen**2))
    effective = np.where(n > 0, n * _over(alone, together), 0.0)
    return Spread(n.astype(np.int64), means, effective, _over(together, n * n))


def _added(group: Integers, values: Floats, k: int) -> Floats:
    if k == 1:
        return np.array([values.sum()])
    return np.bincount(group, weights=values, minlength=k).astype(np.float64)


def _over(above: Floats, below: Floats) -> Floats:
    """Return above / below, nan where below is 0."""
    quotient: Floats = np.divide(above, below, out=np.full(below.shape, np.nan), where=below > 0)
    return quotient
