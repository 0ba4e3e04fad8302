"""Whether judge and human rest on the same words: figures from columns, like those of `agreement`.

The human's spans are those of everybody behind the reference: the adjudication that decided, else
all labels that say what the consensus says, else the author. Several spans count as their union,
and a quote of either side is compared character by character. ::

    compared = both_cite + only_human + only_judge + neither
    both_cite = count of shared + apart
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from calibration.agreement.columns import Codes, Columns
from calibration.stats.overlap import NOTHING_TO_COMPARE, Sizes, overlap_of
from calibration.stats.rates import clustered_rate
from calibration.stats.results import plain

SHARED, APART = "shared", "apart"
ONLY_HUMAN, ONLY_JUDGE, NEITHER = "only_human", "only_judge", "neither"
STATES: Final = (SHARED, APART, ONLY_HUMAN, ONLY_JUDGE, NEITHER)
"""How the two sides of a statement meet: in a character at least; not at all though both cite;
one side alone cites; none does."""


BOTH: Final = "both"
CITED_BY_BOTH: Final = frozenset({SHARED, APART})


def figures(columns: Columns, sizes: Sizes, *, seed: int) -> dict[str, Any]:
    """``sizes`` has an entry for each row of ``columns``.

    ``shared``: of the compared statements on which both cite evidence, those where they have a
    character in common. ``precision``, ``recall``, ``f1`` and ``iou`` are means over the same
    statements (`calibration.stats.overlap.Overlap`), each counting once however long its quotes.
    """
    compared = columns.compared
    found = Sizes(*(size[compared] for size in sizes))
    clusters = columns.where(compared).cluster
    met = states(found)
    both = np.isin(met, [STATES.index(state) for state in CITED_BY_BOTH])
    shared = met == STATES.index(SHARED)
    return {
        "shared": clustered_rate(shared[both], clusters[both], reason=NOTHING_TO_COMPARE).as_json(),
        **plain(overlap_of(found, clusters, seed=seed)),
        "apart": int((both & ~shared).sum()),
    }


def states(sizes: Sizes) -> Codes:
    """The place in `STATES` of each statement."""
    judge, human = sizes.judge > 0, sizes.human > 0
    fits = [sizes.both > 0, judge & human, human, judge]
    return np.select(fits, range(len(fits)), STATES.index(NEITHER)).astype(np.int64)
