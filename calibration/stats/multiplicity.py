"""Many tests at once: p-values adjusted so that a family of them can be read together."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def holm(p_values: Sequence[float] | Floats) -> Floats:
    """Return Holm's adjusted p-values.

    The i-th smallest of m is multiplied by m - i + 1; none gets below a smaller one's, or above 1.

    Parameters
    ----------
    p_values : array, shape (m,)
        One p-value a test, in any order. Tests without a p-value do not belong to the family.

    Returns
    -------
    array of float, shape (m,)
        In the order given. Rejecting where it is at most a keeps the chance of any false rejection
        at a.

    Raises
    ------
    ValueError
        If a value is outside [0, 1] or nan.

    References
    ----------
    Holm (1979), Scandinavian Journal of Statistics 6:65.
    """
    p = _probabilities(p_values)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    return _in_order(order, stepped)


def benjamini_yekutieli(p_values: Sequence[float] | Floats) -> Floats:
    """Return Benjamini and Yekutieli's adjusted p-values.

    The i-th smallest of m is multiplied by ``m / i · Σ_{j=1..m} 1/j``; none gets above a larger
    one's, or above 1.

    Parameters
    ----------
    p_values : array, shape (m,)
        As in `holm`.

    Returns
    -------
    array of float, shape (m,)
        In the order given. Rejecting where it is at most q keeps the expected share of false
        rejections among all at q, however the tests depend on each other.

    Raises
    ------
    ValueError
        If a value is outside [0, 1] or nan.

    References
    ----------
    Benjamini and Yekutieli (2001), Annals of Statistics 29:1165.
    """
    p = _probabilities(p_values)
    order, rank = np.argsort(p, kind="stable"), np.arange(1, p.size + 1)
    scaled = p[order] * p.size / rank * (1 / rank).sum()
    return _in_order(order, np.minimum.accumulate(scaled[::-1])[::-1])


def _probabilities(p_values: ArrayLike) -> Floats:
    p: Floats = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or not np.all((p >= 0) & (p <= 1)):
        raise ValueError("p-values lie between 0 and 1")
    return p


def _in_order(order: NDArray[np.intp], adjusted: Floats) -> Floats:
    found = np.empty_like(adjusted)
    found[order] = np.minimum(adjusted, 1.0)
    return found
