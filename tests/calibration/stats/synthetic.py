"""Statements and judges whose true figures are known.

`opposite_judges` are two judges of equal percent and equal kappa, one lenient, one strict: whatever
reports on judges must tell them apart. `clustered` and `paired_sides` draw samples from known
shares, independent or standing and falling together, for measuring what intervals hold.
"""

from typing import NamedTuple

import numpy as np

SUPPORTED, UNSUPPORTED, CONTRADICTORY = range(3)


class Judged(NamedTuple):
    """Reference, and what the two judges say, codes of shape (n,)."""

    reference: np.ndarray
    lenient: np.ndarray
    strict: np.ndarray


def opposite_judges(n=240, errors=40, *, seed=0):
    """Return a reference of which each verdict makes a third, and two judges of it.

    The lenient judge passes `errors` failing statements as supported, half of them unsupported and
    half contradictory. The strict judge refuses `errors` supported ones, calling half of them
    unsupported and half contradictory. All else both judge right. Their margins lie on opposite
    sides of even ones, so that percent, kappa, AC1 and Matthews' correlation are all equal.
    """
    third = n // 3
    reference = np.repeat([SUPPORTED, UNSUPPORTED, CONTRADICTORY], third)
    lenient, strict = reference.copy(), reference.copy()
    for kind in (UNSUPPORTED, CONTRADICTORY):
        lenient[np.flatnonzero(reference == kind)[: errors // 2]] = SUPPORTED
    strict[:errors] = np.repeat([UNSUPPORTED, CONTRADICTORY], errors // 2)
    order = np.random.default_rng(seed).permutation(third * 3)
    return Judged(reference[order], lenient[order], strict[order])


def clusters(n, size):
    return np.arange(n) // size


def clustered(rng, n, size, together, shares):
    """Return n codes, drawn with the given shares, in clusters of a size.

    Each statement repeats its cluster's draw with chance √together, and otherwise draws for itself,
    so that two of a cluster correlate by `together`.
    """
    common = rng.choice(len(shares), -(-n // size), p=shares).repeat(size)[:n]
    own = rng.choice(len(shares), n, p=shares)
    return np.where(rng.random(n) < np.sqrt(together), common, own)


def paired_sides(rng, pairs, together, sensitivity, specificity):
    """Return labels and judgments of pairs whose first side is supported and whose second is not.

    With chance `together` one draw decides on both sides, so that a judge lenient enough to pass
    the second passes the first.
    """
    common = rng.random(pairs)
    first, second = (
        np.where(rng.random(pairs) < together, common, rng.random(pairs)) for _ in range(2)
    )
    judged = np.stack([first < sensitivity, second < 1 - specificity], axis=1).ravel()
    return np.tile([True, False], pairs), judged
