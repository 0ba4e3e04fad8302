"""Whether a judge's confidence means anything: figures from columns, like those of `agreement`.

A judge is asked how sure it is of its *verdict*, in the second pass, when the class is settled. So
it is right here where its verdict is the reference's; a class that it got wrong is counted by the
figures of the class. ::

    compared = with + without
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from calibration.agreement.columns import Columns
from calibration.stats.confidence import reliability
from calibration.stats.results import plain

Confidences = NDArray[np.float64]


_TO: Final = " to "


def name_of(low: float, high: float) -> str:
    """The name of the bin from ``low`` to ``high``, both inside, exact to the last digit."""
    return f"{low!r}{_TO}{high!r}"


def bounds(name: str) -> tuple[float, float]:
    """The bounds of a bin by `name_of`."""
    low, high = name.split(_TO)
    return float(low), float(high)


def figures(columns: Columns, confidence: Confidences, *, seed: int) -> dict[str, Any]:
    """``confidence`` has an entry for each row of ``columns``, nan where the judge stated none.

    ``with`` compared statements have one, ``without`` have none and stand in no other figure.
    ``bins`` is the reliability curve, of about equal counts: least, greatest and mean confidence,
    and how often the verdict is right. ``brier`` is its ``reliability - resolution + uncertainty +
    within``; ``expected_error`` is to be read beside ``chance_error``, which a judge that means
    exactly what it says would show on average (`calibration.stats.confidence`).
    """
    compared = columns.compared
    rows = columns.where(compared)
    found = reliability(confidence[compared], rows.verdict_right, rows.cluster, seed=seed)
    told: dict[str, Any] = plain(found)
    return {"with": len(rows) - found.without, **told}
