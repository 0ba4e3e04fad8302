"""Confusion tables of integer codes, as a whole and by cluster, and what they say of each label.

Rows are the reference, columns the judge. Codes are 0..k-1, in an order that the caller keeps.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.stats.rates import clustered_rate, clustered_rates, rate
from calibration.stats.results import Coefficient, Rate

Counts = NDArray[np.int64]

NEVER_JUDGED = "the judge never uses this label"
NEVER_REFERENCED = "the reference never uses this label"
UNUSED = "neither side uses this label"


class LabelScores(NamedTuple):
    """Precision, recall and F1 of one label; F1 is None where the label occurs on neither side."""

    precision: Rate
    recall: Rate
    f1: float | None


def confusion(rows: ArrayLike, cols: ArrayLike, k: int) -> Counts:
    """Count how often each row code meets each column code.

    Parameters
    ----------
    rows, cols : array of int, shape (n,)
        Codes 0..k-1 of the reference and of the judge. n may be 0.
    k : int
        Number of categories.

    Returns
    -------
    array of int, shape (k, k)
        Entry [i, j] counts the statements with reference i and judgment j; the sum is n.

    Raises
    ------
    ValueError
        If the two differ in length, are not whole numbers, or hold a code outside 0..k-1.
    """
    cells = _cells(rows, cols, k)
    return np.bincount(cells, minlength=k * k).astype(np.int64).reshape(k, k)


def cluster_confusions(rows: ArrayLike, cols: ArrayLike, clusters: ArrayLike, k: int) -> Counts:
    """Count as `confusion` does, separately in each cluster.

    Parameters
    ----------
    rows, cols : array of int, shape (n,)
        Codes 0..k-1.
    clusters : array, shape (n,)
        Which cluster each statement belongs to: numbers or strings.
    k : int
        Number of categories.

    Returns
    -------
    array of int, shape (n_clusters, k * k)
        One flattened table a cluster, in the sorted order of the cluster names. The column sums are
        `confusion`.

    Raises
    ------
    ValueError
        As `confusion`, and if clusters has another length.
    """
    cells = _cells(rows, cols, k)
    names, which = np.unique(_vector(clusters), return_inverse=True)
    if which.shape != cells.shape:
        raise ValueError(f"{which.size} clusters for {cells.size} statements")
    counts = np.bincount(which * (k * k) + cells, minlength=names.size * k * k)
    return counts.astype(np.int64).reshape(names.size, k * k)


def per_label(table: ArrayLike) -> list[LabelScores]:
    """Return precision, recall and F1 of each label.

    Precision is the share of the judge's uses of a label that the reference shares, recall the
    share of the reference's that the judge shares, and ``F1 = 2 tp / (2 tp + fp + fn)``: 0 where a
    label is missed altogether.

    Parameters
    ----------
    table : array of int, shape (k, k)
        Rows reference, columns judge.

    Returns
    -------
    list of LabelScores, length k
        A precision is undefined where the judge never uses the label, a recall where the reference
        never does, an F1 where neither does.
    """
    counts = np.asarray(table, dtype=np.int64)
    sums = zip(
        np.diagonal(counts).tolist(),
        counts.sum(axis=0).tolist(),
        counts.sum(axis=1).tolist(),
        strict=True,
    )
    return [_scores(hits, judged, reference) for hits, judged, reference in sums]


def clustered_per_label(
    rows: ArrayLike, cols: ArrayLike, clusters: ArrayLike, k: int
) -> list[LabelScores]:
    """Return `per_label` of codes, with Wilson's intervals on the effective n of their clusters.

    Parameters
    ----------
    rows, cols, clusters : array, shape (n,)
        As in `cluster_confusions`.
    k : int
        Number of categories.

    Returns
    -------
    list of LabelScores, length k
        As `per_label`; where no two statements share a cluster, exactly that.

    Raises
    ------
    ValueError
        As `cluster_confusions`.

    References
    ----------
    See `calibration.stats.clusters.effective_n`.
    """
    row, col = _codes(rows, k), _codes(cols, k)
    hits = _cells(row, col, k) // max(1, k) == col
    precisions = clustered_rates(hits, clusters, col, k, reason=NEVER_JUDGED)
    recalls = clustered_rates(hits, clusters, row, k, reason=NEVER_REFERENCED)
    return [_scored(*one) for one in zip(precisions, recalls, strict=True)]


def f1_scores(rows: ArrayLike, cols: ArrayLike, clusters: ArrayLike, k: int) -> list[Coefficient]:
    """Return F1 of each label with a 95% interval.

    Among the statements that either side gives the label, let J be the share that both do. Then
    ``F1 = 2J / (1 + J)``, which only rises with J, so that F1's limits are those of J, carried
    over. J is a plain share and has Wilson's interval on the effective n.

    Parameters
    ----------
    rows, cols, clusters : array, shape (n,)
        As in `cluster_confusions`.
    k : int
        Number of categories.

    Returns
    -------
    list of Coefficient, length k
        In [0, 1]; n is the number of statements that either side gives the label. Undefined where
        that is 0.

    Raises
    ------
    ValueError
        As `cluster_confusions`.

    References
    ----------
    Dice (1945), Ecology 26:297; Jaccard (1901). See `calibration.stats.clusters.effective_n`.
    """
    row, col, names = _codes(rows, k), _codes(cols, k), _vector(clusters)
    if not row.shape == col.shape == names.shape:
        raise ValueError(f"{names.size} clusters for {row.size} and {col.size} codes")
    scores = []
    for label in range(k):
        either = (row == label) | (col == label)
        both = (row == label) & (col == label)
        scores.append(_f1(clustered_rate(both[either], names[either], reason=UNUSED)))
    return scores


def _f1(both: Rate) -> Coefficient:
    if both.rate is None or both.interval is None:
        return Coefficient(None, 0, None, both.reason)
    value, low, high = (2 * share / (1 + share) for share in (both.rate, *both.interval))
    return Coefficient(value, both.n, (low, high), None)


def _scores(hits: int, judged: int, reference: int) -> LabelScores:
    return _scored(
        rate(hits, judged, reason=NEVER_JUDGED), rate(hits, reference, reason=NEVER_REFERENCED)
    )


def _scored(precision: Rate, recall: Rate) -> LabelScores:
    uses = precision.n + recall.n
    return LabelScores(precision, recall, 2 * recall.count / uses if uses else None)


def _cells(rows: ArrayLike, cols: ArrayLike, k: int) -> Counts:
    """Return ``row * k + col``, the place of each pair in the flattened table."""
    row, col = _codes(rows, k), _codes(cols, k)
    if row.shape != col.shape:
        raise ValueError(f"{row.size} row codes for {col.size} column codes")
    return row * k + col


def _codes(codes: ArrayLike, k: int) -> Counts:
    array = _vector(codes)
    if array.size and not np.issubdtype(array.dtype, np.integer):
        raise ValueError(f"codes are whole numbers, not {array.dtype}")
    if np.any((array < 0) | (array >= k)):
        raise ValueError(f"a code is outside 0..{k - 1}")
    return array.astype(np.int64)


def _vector(values: ArrayLike) -> NDArray[Any]:
    array: NDArray[Any] = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"one value a statement, not an array of shape {array.shape}")
    return array
