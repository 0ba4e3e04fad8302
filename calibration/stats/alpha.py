"""Agreement among any number of raters, each of whom may have rated only some of the units.

A unit is what is rated (a statement), a rater is whoever rates it. All functions start from counts
of shape (n_units, k): how many raters put each unit into each category. Who they were does not
enter.
"""

from collections.abc import Hashable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.stats.bootstrap import cluster_interval
from calibration.stats.distances import DISTANCES, Floats, Metric
from calibration.stats.rates import counted_rate
from calibration.stats.results import Coefficient, Rate, defined_or

NO_PAIRS = "no unit has two ratings"
ONE_CATEGORY = "only one category occurs"


class RatingCounts(NamedTuple):
    """Counts of shape (n_units, k), the units' names and the categories' values, ascending."""

    counts: NDArray[np.int64]
    units: list[Any]
    values: list[Any]


def counts_from_ratings(ratings: Iterable[tuple[Hashable, Hashable, Any]]) -> RatingCounts:
    """Count ratings by unit and value.

    Parameters
    ----------
    ratings : iterable of (unit, rater, value)
        A missing rating is one that is not there. Values must be sortable.

    Returns
    -------
    RatingCounts
        Units in order of first appearance, values ascending.

    Raises
    ------
    ValueError
        If a rater rated a unit twice.
    """
    rows = list(ratings)
    if len({(unit, rater) for unit, rater, _ in rows}) != len(rows):
        raise ValueError("a rater rated a unit twice")
    units = {unit: place for place, unit in enumerate(dict.fromkeys(unit for unit, _, _ in rows))}
    values = {value: place for place, value in enumerate(sorted({value for _, _, value in rows}))}
    counts = np.zeros((len(units), len(values)), dtype=np.int64)
    for unit, _, value in rows:
        counts[units[unit], values[value]] += 1
    return RatingCounts(counts, list(units), list(values))


def alpha_from_ratings(
    ratings: Iterable[tuple[Hashable, Hashable, Any]], *, metric: Metric = "nominal"
) -> Coefficient:
    """Return Krippendorff's alpha of (unit, rater, value) triples; see `krippendorff_alpha`.

    Raises
    ------
    ValueError
        If a rater rated a unit twice, or the values do not fit the metric.
    """
    counted = counts_from_ratings(ratings)
    values = counted.values if metric in ("interval", "ratio") else None
    return krippendorff_alpha(counted.counts, metric=metric, values=values)


def krippendorff_alpha(
    counts: ArrayLike, *, metric: Metric = "nominal", values: ArrayLike | None = None
) -> Coefficient:
    """Return Krippendorff's alpha: 1 - observed over expected disagreement.

    With the coincidences o_ck of `coincidences`, their margins n_c and total n, and the squared
    distance δ² of the metric, ``α = 1 - (n - 1) Σ o_ck δ²_ck / Σ n_c n_k δ²_ck``.

    Parameters
    ----------
    counts : array, shape (n_units, k)
        How many raters put each unit into each category. A unit with fewer than two ratings pairs
        with nothing and is left out.
    metric : {"nominal", "ordinal", "interval", "ratio"}
        How disagreement is weighted. Ordinal takes the columns' order as rank.
    values : array, shape (k,), optional
        The categories' numeric values, for interval and ratio; 0..k-1 if not given.

    Returns
    -------
    Coefficient
        At most 1; 0 is agreement by chance. n is the number of pairable units; no interval.
        Undefined where no unit has two ratings, or all pairable ratings are of one category.

    Raises
    ------
    ValueError
        If counts is not a matrix of counts, or the values do not fit it or the metric.

    References
    ----------
    Krippendorff (2011), Computing Krippendorff's Alpha-Reliability.
    Hayes and Krippendorff (2007), Communication Methods and Measures 1:77.
    """
    pairable = _pairable(counts)
    places = np.arange(pairable.shape[1]) if values is None else values
    tables = coincidences(pairable).sum(axis=0)
    value = float(alpha_of_coincidences(tables, metric, places))
    return defined_or(value, len(pairable), ONE_CATEGORY if len(pairable) else NO_PAIRS)


def alpha(
    counts: ArrayLike,
    *,
    seed: int,
    clusters: ArrayLike | None = None,
    replicates: int = 2000,
    level: float = 0.95,
) -> Coefficient:
    """Return nominal Krippendorff's alpha with a percentile interval from resampling units.

    Parameters
    ----------
    counts : array, shape (n_units, k)
        How many raters put each unit into each category.
    seed : int
        Seed of the resampling.
    clusters : array, shape (n_units,), optional
        Which units are drawn together, such as the statements of one case. Each unit by itself if
        not given.
    replicates, level
        As in `calibration.stats.bootstrap.cluster_interval`, which also says when there is no
        interval.

    Returns
    -------
    Coefficient
        As `krippendorff_alpha`, with an interval, or the reason why there is none.

    Raises
    ------
    ValueError
        If counts is not a matrix of counts, or clusters has another length.
    """
    pairable, together = _pairable_by_cluster(counts, clusters)
    point = krippendorff_alpha(pairable)
    if point.value is None:
        return point
    tables = coincidences(pairable)
    sums = np.zeros((together.max() + 1, tables[0].size))
    np.add.at(sums, together, tables.reshape(len(tables), -1))
    return point.with_interval(
        cluster_interval(sums, alpha_of_coincidences, seed, replicates, level)
    )


def coincidences(counts: ArrayLike) -> Floats:
    """Return the coincidences within each unit: ``n_c (n_k - [c = k]) / (m - 1)`` for m ratings.

    Parameters
    ----------
    counts : array, shape (n_units, k)
        Counts with at least two ratings in each unit.

    Returns
    -------
    array of float, shape (n_units, k, k)
        Symmetric; each sums to its unit's m. Sums over units are coincidences too, which is why
        alpha can be resampled as a table.
    """
    table: Floats = np.asarray(counts, dtype=np.float64)
    pairs = table[:, :, None] * table[:, None, :]
    pairs -= table[:, :, None] * np.eye(table.shape[1])
    others: Floats = table.sum(axis=1) - 1
    return pairs / others[:, None, None]


def alpha_of_coincidences(
    tables: Floats, metric: Metric = "nominal", values: ArrayLike | None = None
) -> Floats:
    """Return alpha of each coincidence table, shape (..., k, k) to (...); nan where nothing could
    disagree."""
    sizes = tables.sum(axis=-1)
    places: Floats = np.asarray(
        range(sizes.shape[-1]) if values is None else values, dtype=np.float64
    )
    if places.shape != sizes.shape[-1:]:
        raise ValueError(f"{places.size} values for {sizes.shape[-1]} categories")
    distance = DISTANCES[metric](places, sizes)
    observed = (tables * distance).sum(axis=(-2, -1))
    expected = (sizes[..., :, None] * sizes[..., None, :] * distance).sum(axis=(-2, -1))
    excess = (sizes.sum(axis=-1) - 1) * observed
    share: Floats = np.divide(
        excess, expected, out=np.full(np.shape(expected), np.nan), where=expected > 0
    )
    return 1 - share


def pairwise_agreement(counts: ArrayLike, *, clusters: ArrayLike | None = None) -> Rate:
    """Return the share of agreeing pairs among all pairs of ratings of the same unit.

    Parameters
    ----------
    counts : array of int, shape (n_units, k)
        How many raters put each unit into each category.
    clusters : array, shape (n_units,), optional
        Which units are right or wrong together. Each unit by itself if not given.

    Returns
    -------
    Rate
        count and n are pairs of ratings. A unit with many raters weighs more than one with two. The
        interval is Wilson's on the effective n, pairs of one unit, hence of one cluster, standing
        and falling together. Undefined where no unit has two ratings.

    Raises
    ------
    ValueError
        If counts is not a matrix of counts, or clusters has another length.
    """
    table = _matrix(counts).astype(np.int64)
    ratings = table.sum(axis=1)
    agreeing = (table * (table - 1)).sum(axis=1) // 2
    pairs = ratings * (ratings - 1) // 2
    names = np.arange(len(table)) if clusters is None else clusters
    return counted_rate(agreeing, pairs - agreeing, names, reason=NO_PAIRS)


def fleiss_kappa(counts: ArrayLike) -> Coefficient:
    """Return Fleiss' kappa: ``(pa - pe) / (1 - pe)``.

    pa is the mean over units of the share of agreeing pairs, ``pe = Σ π_c²`` with π_c the mean over
    units of the share of category c. With equally many ratings in each unit this is Fleiss' own;
    with missing ratings it is Gwet's extension, where a unit with one rating counts towards π but
    not towards pa.

    Parameters
    ----------
    counts : array, shape (n_units, k)
        How many raters put each unit into each category.

    Returns
    -------
    Coefficient
        n is the number of units with two ratings or more; no interval. Undefined where there is
        none, or where only one category occurs.

    Raises
    ------
    ValueError
        If counts is not a matrix of counts.

    References
    ----------
    Fleiss (1971), Psychological Bulletin 76:378. Gwet (2014), Handbook of
    Inter-Rater Reliability, 4th edition, chapter 2.
    """
    rated, pairable = _at_least(counts, 1), _pairable(counts)
    if not len(pairable) or np.count_nonzero(rated.sum(axis=0)) < 2:
        return Coefficient(None, len(pairable), None, ONE_CATEGORY if len(pairable) else NO_PAIRS)
    ratings = pairable.sum(axis=1)
    agreed = float(((pairable * (pairable - 1)).sum(axis=1) / (ratings * (ratings - 1))).mean())
    chance = float(np.square((rated / rated.sum(axis=1, keepdims=True)).mean(axis=0)).sum())
    return Coefficient((agreed - chance) / (1 - chance), len(pairable), None, None)


def _pairable(counts: ArrayLike) -> Floats:
    return _at_least(counts, 2)


def _at_least(counts: ArrayLike, ratings: int) -> Floats:
    """Return the units that have that many ratings."""
    table = _matrix(counts)
    units: Floats = table[table.sum(axis=1) >= ratings]
    return units


def _pairable_by_cluster(
    counts: ArrayLike, clusters: ArrayLike | None
) -> tuple[Floats, NDArray[np.int64]]:
    """Return the pairable units, sorted, and the number 0..g-1 of each one's cluster.

    They are sorted so that sums over a cluster do not depend, by rounding, on the order in which
    its units came.
    """
    table = _matrix(counts)
    names: NDArray[Any] = np.arange(len(table)) if clusters is None else np.asarray(clusters)
    if names.shape != table.shape[:1]:
        raise ValueError(f"clusters of shape {names.shape} for {len(table)} units")
    ratings = table.sum(axis=1)
    order = np.lexsort((*table.T, ratings))
    kept = order[ratings[order] >= 2]
    _, which = np.unique(names[kept], return_inverse=True)
    return table[kept], which


def _matrix(counts: ArrayLike) -> Floats:
    table: Floats = np.asarray(counts, dtype=np.float64)
    if table.ndim != 2 or np.any(table < 0):
        raise ValueError(
            f"counts of units by categories are needed, not an array of shape {table.shape}"
        )
    return table
