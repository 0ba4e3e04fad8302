"""How far apart two categories are, squared, for Krippendorff's alpha.

A distance takes the categories' values, shape (k,) and ascending, and how many pairable ratings
each has, shape (..., k), and returns squared distances that broadcast to (..., k, k), with zeros on
the diagonal.

References
----------
Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, section on metric differences.
"""

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Distance = Callable[[Floats, Floats], Floats]
Metric = Literal["nominal", "ordinal", "interval", "ratio"]


def nominal(values: Floats, sizes: Floats) -> Floats:
    """Return 1 between different categories."""
    return 1 - np.eye(len(values))


def ordinal(values: Floats, sizes: Floats) -> Floats:
    """Return ``(Σ_{g=c..k} n_g - (n_c + n_k) / 2)²``: the ratings between two ranks."""
    middles = np.cumsum(sizes, axis=-1) - sizes / 2
    return np.square(middles[..., :, None] - middles[..., None, :])


def interval(values: Floats, sizes: Floats) -> Floats:
    """Return ``(c - k)²``."""
    return np.square(values[:, None] - values[None, :])


def ratio(values: Floats, sizes: Floats) -> Floats:
    """Return ``((c - k) / (c + k))²`` for values from 0 up.

    Raises
    ------
    ValueError
        If a value is negative.
    """
    if np.any(values < 0):
        raise ValueError("the ratio metric needs values from 0 up")
    sums = values[:, None] + values[None, :]
    differences = values[:, None] - values[None, :]
    return np.square(np.divide(differences, sums, out=np.zeros_like(sums), where=sums > 0))


DISTANCES: dict[Metric, Distance] = {
    "nominal": nominal,
    "ordinal": ordinal,
    "interval": interval,
    "ratio": ratio,
}
