"""Shares of a count, with Wilson's interval."""

import math
from statistics import NormalDist

from calibration.stats.results import Interval, Rate


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


def wilson(count: int, n: int, level: float = 0.95) -> Interval:
    """Return Wilson's score interval for a share, without continuity correction.

    ``(p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n)`` with p = count / n and z the normal
    quantile. It stays inside [0, 1], always holds p, and keeps a width at 0 of n and n of n, where
    the usual ± interval has none.

    Parameters
    ----------
    count : int
        Successes, 0 to n.
    n : int
        Trials, at least 1.
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


def rate(count: int, n: int, *, reason: str = "no statements") -> Rate:
    """Return count of n as a rate with Wilson's 95% interval.

    Parameters
    ----------
    count, n : int
        Numerator and denominator.
    reason : str
        What to say where n is 0 and the rate is therefore undefined.

    Raises
    ------
    ValueError
        If count is outside 0..n.
    """
    if n == 0 and count == 0:
        return Rate(0, 0, None, None, reason)
    interval = wilson(count, n)
    return Rate(int(count), int(n), float(count / n), interval, None)
