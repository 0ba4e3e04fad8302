"""Agreement of two sides beyond chance, from a confusion table.

Cohen's kappa, Gwet's AC1 and the multiclass Matthews correlation each stand here twice.
`cohen_kappa`, `ac1` and `matthews` work on arrays of tables, shape (..., k, k), and give nan where
they are undefined: this is what a bootstrap calls. `kappa`, `gwet_ac1` and `mcc` take one table and
return a `Coefficient` with n, and with the reason where it is undefined.

Everything is computed from integer counts (n² rather than shares), so that 0/0 is found exactly and
not by rounding.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.stats.results import Coefficient, defined_or

Floats = NDArray[np.float64]

NOTHING = "nothing was compared"


def cohen_kappa(tables: ArrayLike) -> Floats:
    """Return Cohen's kappa of each table: ``(n Σ n_ii - Σ r_i c_i) / (n² - Σ r_i c_i)``.

    Parameters
    ----------
    tables : array, shape (..., k, k)
        Counts.

    Returns
    -------
    array of float, shape (...)
        At most 1; 0 is agreement by chance, and what a judge who always says the same gets. nan
        where the table is empty or both sides use one and the same category only.

    References
    ----------
    Cohen (1960), Educational and Psychological Measurement 20:37.
    """
    n, hits, rows, cols = _margins(tables)
    chance = (rows * cols).sum(axis=-1)
    return _ratio(n * hits - chance, n * n - chance)


def ac1(tables: ArrayLike) -> Floats:
    """Return Gwet's AC1 of each table: ``(pa - pe) / (1 - pe)``.

    ``pe = Σ π_i (1 - π_i) / (q - 1)``, where π_i is the mean of the two sides' shares of category
    i. q is the number of categories that occur on either side of that table, so declaring
    categories which nobody uses changes nothing. In a resampled table q is counted anew.

    Parameters
    ----------
    tables : array, shape (..., k, k)
        Counts.

    Returns
    -------
    array of float, shape (...)
        At most 1; nan where the table is empty or only one category occurs.

    References
    ----------
    Gwet (2008), British Journal of Mathematical and Statistical Psychology 61:29.
    """
    n, hits, rows, cols = _margins(tables)
    used = rows + cols
    q = (used > 0).sum(axis=-1)
    spread = (used * (2 * n[..., None] - used)).sum(axis=-1)  # (2n)² Σ π_i (1 - π_i)
    whole = 4 * n * n * (q - 1)
    return _ratio(4 * n * hits * (q - 1) - spread, whole - spread)


def matthews(tables: ArrayLike) -> Floats:
    """Return the multiclass Matthews correlation of each table.

    ``(n Σ n_ii - Σ r_i c_i) / √((n² - Σ r_i²)(n² - Σ c_i²))``

    Parameters
    ----------
    tables : array, shape (..., k, k)
        Counts.

    Returns
    -------
    array of float, shape (...)
        In [-1, 1]; nan where the table is empty or either side uses one category only.

    References
    ----------
    Gorodkin (2004), Computational Biology and Chemistry 28:367 (R_K).
    Matthews (1975), BBA 405:442, for two categories.
    """
    n, hits, rows, cols = _margins(tables)
    spread_rows = n * n - (rows * rows).sum(axis=-1)
    spread_cols = n * n - (cols * cols).sum(axis=-1)
    covariance = n * hits - (rows * cols).sum(axis=-1)
    return _ratio(covariance, np.sqrt(spread_rows * spread_cols))


def kappa(table: ArrayLike) -> Coefficient:
    """Return Cohen's kappa of one table.

    Parameters
    ----------
    table : array of int, shape (k, k)
        Rows reference, columns judge.

    Returns
    -------
    Coefficient
        n is the sum of the table; no interval. Undefined where the table is empty, and where both
        sides use one and the same category only: chance alone then agrees always, and there is
        nothing left to explain. Where only one side is constant kappa is defined, and 0.

    Raises
    ------
    ValueError
        If the table is not square or holds a negative count.
    """
    n = _size(table)
    return defined_or(
        float(cohen_kappa(table)),
        n,
        "both sides use one and the same category only" if n else NOTHING,
    )


def gwet_ac1(table: ArrayLike) -> Coefficient:
    """Return Gwet's AC1 of one table, with q the number of categories that occur on either side.

    Parameters
    ----------
    table : array of int, shape (k, k)
        Rows reference, columns judge.

    Returns
    -------
    Coefficient
        n is the sum of the table; no interval. Undefined where the table is empty, and where only
        one category occurs: the chance term is then ``0 / (q - 1) = 0/0``. Implementations that
        take q from the declared categories say 1 in that case, and so praise agreement on a task in
        which nothing was ever told apart.

    Raises
    ------
    ValueError
        If the table is not square or holds a negative count.
    """
    n = _size(table)
    return defined_or(float(ac1(table)), n, "only one category occurs" if n else NOTHING)


def mcc(table: ArrayLike) -> Coefficient:
    """Return the multiclass Matthews correlation of one table.

    Parameters
    ----------
    table : array of int, shape (k, k)
        Rows reference, columns judge.

    Returns
    -------
    Coefficient
        n is the sum of the table; no interval. Undefined where the table is empty or either side is
        constant, as any correlation with a constant is.

    Raises
    ------
    ValueError
        If the table is not square or holds a negative count.
    """
    n = _size(table)
    return defined_or(float(matthews(table)), n, _constant_side(table) if n else NOTHING)


def _margins(tables: ArrayLike) -> tuple[Floats, Floats, Floats, Floats]:
    """Return n (...), the diagonal's sum (...), the row sums and the column sums (..., k)."""
    counts: Floats = np.asarray(tables, dtype=np.float64)
    hits: Floats = np.asarray(np.trace(counts, axis1=-2, axis2=-1))
    return np.asarray(counts.sum(axis=(-2, -1))), hits, counts.sum(axis=-1), counts.sum(axis=-2)


def _ratio(above: Floats, below: Floats) -> Floats:
    """Return above / below, nan where below is 0."""
    quotient: Floats = np.divide(
        above, below, out=np.full(np.shape(below), np.nan), where=below != 0
    )
    return quotient


def _size(table: ArrayLike) -> int:
    counts: NDArray[Any] = np.asarray(table)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or np.any(counts < 0):
        raise ValueError(f"a square table of counts is needed, not {counts.tolist()}")
    return int(counts.sum())


def _constant_side(table: ArrayLike) -> str:
    _, _, rows, cols = _margins(table)
    if np.count_nonzero(cols) > 1:
        return "the reference uses one category only"
    if np.count_nonzero(rows) > 1:
        return "the judge uses one category only"
    return "each side uses one category only"
