"""Errors by what they cost: a contradiction passed as supported is worse than a quibble.

A plain rate of lenient errors counts each alike. Here each cell of the confusion table has a weight
that the caller states, and the mean weight of the errors is taken over the statements on which such
an error could be made.
"""

from collections.abc import Sequence
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.stats.bootstrap import cluster_sums
from calibration.stats.rates import clustered_rate
from calibration.stats.results import Coefficient, Rate

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Names = NDArray[np.generic]

NOT_EXPOSED = "no compared statement on which this error could be made"


def severity(
    rows: ArrayLike,
    cols: ArrayLike,
    clusters: ArrayLike,
    weights: ArrayLike,
    *,
    reference: Sequence[int] | None = None,
    judged: Sequence[int] | None = None,
) -> Coefficient:
    """Return the mean weight of errors in one direction, with a 95% interval.

    ``Σ w p_w`` over the different weights w, with p_w the share of the exposed statements whose
    error has that weight. Each share has Wilson's limits on the effective n, and they are combined
    by squaring and adding, with the correlation that the shares have over clusters: ``θ -
    √(Σ Σ r_vw v (p_v - l_v) w (p_w - l_w))``, and likewise above. So a costly error that was not
    seen is not taken to be impossible, which resampling would.

    Parameters
    ----------
    rows, cols : array of int, shape (n,)
        Codes 0..k-1 of the reference and of the judge.
    clusters : array, shape (n,)
        What is right or wrong together: numbers or strings.
    weights : array of float, shape (k, k)
        What it costs that reference i is judged j: 0 or more, and 0 where it is right.
    reference, judged : sequence of int, optional
        Codes that make the direction; statements whose reference is one of the first are exposed.
        Lenient: reference unsupported or contradictory, judged supported. Strict: the other way
        round. A class escape, of codes of classes: reference subject-specific, judged any. All if
        not given, which is the weighted error as a whole.

    Returns
    -------
    Coefficient
        From 0 to the greatest weight; n is the number of exposed statements. With one weight only
        it is exactly that times `calibration.stats.rates.clustered_rate`. Undefined where n is 0.

    Raises
    ------
    ValueError
        If a weight is negative, not finite, or not 0 on the diagonal, if lengths differ, or a code
        is outside 0..k-1.

    References
    ----------
    Zou and Donner (2008), Statistics in Medicine 27:1693, on combining limits.
    """
    costs = _weights(weights)
    row, col, names = _checked(rows, cols, clusters, len(costs))
    exposed = np.isin(row, _codes(reference, len(costs)))
    row, col, names = row[exposed], col[exposed], names[exposed]
    if not row.size:
        return Coefficient(None, 0, None, NOT_EXPOSED)
    directed = np.zeros_like(costs)
    directed[:, _codes(judged, len(costs))] = costs[:, _codes(judged, len(costs))]
    possible = directed[_codes(reference, len(costs))]
    prices = np.unique(possible[possible > 0])
    errors = directed[row, col][:, None] == prices[None, :]
    return _combined(errors, prices, names)


def _combined(errors: NDArray[np.bool_], prices: Floats, names: Names) -> Coefficient:
    """Return ``Σ w p_w`` of the shares of the columns of errors, with its limits."""
    shares = [clustered_rate(column, names) for column in errors.T]
    below, above = _distances(shares, prices)
    together = _correlations(errors, names)
    value = float(
        sum(price * (each.rate or 0.0) for price, each in zip(prices, shares, strict=True))
    )
    greatest = float(prices.max(initial=0))
    low = value - sqrt(max(0.0, float(below @ together @ below)))
    high = value + sqrt(max(0.0, float(above @ together @ above)))
    return Coefficient(value, len(errors), (max(0.0, low), min(greatest, high)), None)


def _distances(shares: list[Rate], prices: Floats) -> tuple[Floats, Floats]:
    """Return ``w (p - l)`` and ``w (u - p)`` of each share."""
    found = [(each.rate or 0.0, *(each.interval or (0.0, 0.0))) for each in shares]
    limits: Floats = np.array(found, dtype=np.float64).reshape(-1, 3)
    return prices * (limits[:, 0] - limits[:, 1]), prices * (limits[:, 2] - limits[:, 0])


def _correlations(errors: NDArray[np.bool_], names: Names) -> Floats:
    """Return how the shares of the columns vary together over clusters; 0 with one that does not
    vary, 1 with itself."""
    sums = cluster_sums(errors - errors.mean(axis=0), names)
    products = sums.T @ sums
    scale = np.sqrt(np.outer(np.diagonal(products), np.diagonal(products)))
    found: Floats = np.divide(products, scale, out=np.zeros_like(products), where=scale > 0)
    np.fill_diagonal(found, 1.0)
    return found


def _weights(weights: ArrayLike) -> Floats:
    costs: Floats = np.asarray(weights, dtype=np.float64)
    if costs.ndim != 2 or costs.shape[0] != costs.shape[1]:
        raise ValueError(f"a square table of weights, not an array of shape {costs.shape}")
    if not np.all(np.isfinite(costs) & (costs >= 0)) or np.any(np.diagonal(costs)):
        raise ValueError("weights are 0 or more, and 0 where the judge is right")
    return costs


def _checked(
    rows: ArrayLike, cols: ArrayLike, clusters: ArrayLike, k: int
) -> tuple[Codes, Codes, Names]:
    row, col = np.asarray(rows, dtype=np.int64), np.asarray(cols, dtype=np.int64)
    names: Names = np.asarray(clusters)
    if row.ndim != 1 or not row.shape == col.shape == names.shape:
        raise ValueError(f"{row.size} and {col.size} codes, {names.size} clusters")
    if np.any((row < 0) | (row >= k) | (col < 0) | (col >= k)):
        raise ValueError(f"a code is outside 0..{k - 1}")
    return row, col, names


def _codes(codes: Sequence[int] | None, k: int) -> list[int]:
    chosen = list(range(k)) if codes is None else sorted(set(codes))
    if any(not 0 <= code < k for code in chosen):
        raise ValueError(f"a code is outside 0..{k - 1}")
    return chosen
