"""How many more labels each cell needs for an interval as narrow as a decision asks for.

A cell is whatever a lead wants to be sure of: a class and verdict by the author's expectation, a
claim type, a kind of pair. `calibration.stats.choosing` picks the statements.
"""

from collections.abc import Hashable, Mapping
from math import ceil, isfinite, sqrt
from typing import NamedTuple

from calibration.stats.rates import normal_quantile, wilson

WORST_SHARE = 0.5


class Cell(NamedTuple):
    """What is known of one cell.

    Attributes
    ----------
    labelled
        How many of its statements have a label.
    share
        The rate that is to be measured in it, as far as is known; 1/2, the worst, if None.
    design_effect
        By how much its clusters widen the interval; see `calibration.stats.clusters`.
    """

    labelled: int
    share: float | None = None
    design_effect: float = 1.0


class Need(NamedTuple):
    """What one cell still needs.

    Attributes
    ----------
    now
        Half-width of its interval as it stands; None without labels, where nothing is known.
    needed
        How many labels it needs in all.
    more
        How many of them it has yet to get.
    """

    now: float | None
    needed: int
    more: int


def half_width(share: float, n: float, level: float = 0.95) -> float:
    """Return half the width of Wilson's interval: ``z √(n p(1-p) + z²/4) / (n + z²)``.

    Parameters
    ----------
    share : float
        In [0, 1].
    n : float
        Trials, or their effective number; above 0.
    level : float
        Confidence level, inside (0, 1).

    Returns
    -------
    float
        In (0, 1/2), and falling with n.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    if not 0 <= share <= 1:
        raise ValueError(f"a share lies between 0 and 1, not {share}")
    low, high = wilson(share * n, n, level)
    return (high - low) / 2


def labels_for(
    share: float, margin: float, *, design_effect: float = 1.0, level: float = 0.95
) -> int:
    """Return the least n from which on Wilson's interval is ± the margin or narrower.

    With ``q = p(1-p)`` and z the normal quantile, n solves ``m²(n + z²)² = z²(nq + z²/4)``, a
    quadratic, and is multiplied by the design effect.

    Parameters
    ----------
    share : float
        The rate that is expected, in [0, 1]; 1/2 is the worst.
    margin : float
        Half-width wanted, inside (0, 1/2).
    design_effect : float
        By how much clusters widen the variance, 1 or more.
    level : float
        Confidence level, inside (0, 1).

    Returns
    -------
    int
        At least 1. The interval that will be seen depends on the share that will be seen.

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    Wilson (1927), JASA 22:209; Piegorsch (2004), Computational Statistics and Data Analysis 46:309,
    on the size of a sample for it.
    """
    if not 0 < margin < 0.5 or not 0 <= share <= 1:
        raise ValueError(f"± {margin} of a share of {share}")
    if not (isfinite(design_effect) and design_effect >= 1):
        raise ValueError(f"a design effect is 1 or more, not {design_effect}")
    z2, q, m2 = normal_quantile(level) ** 2, share * (1 - share), margin * margin
    # m² n² + (2 m² z² - z² q) n + m² z⁴ - z⁴/4 = 0; its constant is below 0, so one root is above.
    middle = z2 * (2 * m2 - q)
    constant = z2 * z2 * (m2 - 0.25)
    n = (-middle + sqrt(middle * middle - 4 * m2 * constant)) / (2 * m2)
    return max(1, ceil(n * design_effect - 1e-9))


def needs(
    cells: Mapping[Hashable, Cell], margin: float, level: float = 0.95
) -> dict[Hashable, Need]:
    """Return how many more labels each cell needs for an interval of ± the margin.

    Parameters
    ----------
    cells : mapping of cell to Cell
        What is known of each. The share of a cell with few labels is itself unsure: pass None, for
        the worst, until there are some thirty.
    margin, level
        As in `labels_for`.

    Returns
    -------
    dict of cell to Need
        In the order given.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    return {name: _need(cell, margin, level) for name, cell in cells.items()}


def _need(cell: Cell, margin: float, level: float) -> Need:
    share = WORST_SHARE if cell.share is None else cell.share
    if cell.labelled < 0:
        raise ValueError(f"{cell.labelled} labels")
    needed = labels_for(share, margin, design_effect=cell.design_effect, level=level)
    now = half_width(share, cell.labelled / cell.design_effect, level) if cell.labelled else None
    return Need(now, needed, max(0, needed - cell.labelled))
