"""Agreement by the tags of the case: figures from columns, like those of `agreement`.

Tags are anybody's words, and there may be thousands. A tag ``risk:LEVEL`` states the case's risk;
every other one stands for itself. A case with several tags counts under each of them.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from calibration.agreement.columns import Codes, Columns, Flags
from calibration.stats.rates import clustered_rates
from calibration.stats.results import RateJSON

RISK: Final = "risk:"
MOST: Final = 50
"""Of the tags, and of the levels of risk, those with the most compared statements are kept."""
LONGEST: Final = 200
"""Characters. A longer one is a text that went astray; no address could ask for its list."""

_NOT_COMPARED: Final = "no statement was compared"


class Tagged(NamedTuple):
    """Which case has which tag, each once: arrays of one length. ``tag`` is a place in ``names``,
    ``case`` as in the columns."""

    case: Codes
    tag: Codes
    names: tuple[str, ...]


def figures(columns: Columns, tagged: Tagged) -> dict[str, Any]:
    """``by_tag``, ``by_risk``: of the compared statements of cases with this tag, verdicts equal.
    ``tags_left_out``: how many tags, and levels of risk, are not among those kept."""
    compared = columns.where(columns.compared)
    rows, tags = _joined(compared.case, tagged)
    seen = np.bincount(tags, minlength=len(tagged.names))
    risks = [code for code, name in enumerate(tagged.names) if name.startswith(RISK)]
    others = [code for code, name in enumerate(tagged.names) if not name.startswith(RISK)]
    kept = {
        "tag": _most_frequent(others, seen, tagged.names),
        "risk": _most_frequent(risks, seen, tagged.names),
    }
    return {
        "by_tag": _rates(compared, rows, tags, kept["tag"], tagged.names),
        "by_risk": {
            name.removeprefix(RISK): rate
            for name, rate in _rates(compared, rows, tags, kept["risk"], tagged.names).items()
        },
        "tags_left_out": {
            "by_tag": len(others) - len(kept["tag"]),
            "by_risk": len(risks) - len(kept["risk"]),
        },
    }


def _joined(cases: Codes, tagged: Tagged) -> tuple[Codes, Codes]:
    """Each row with each tag of its case: the place of the row, and the tag."""
    order = np.argsort(tagged.case, kind="stable")
    holders = tagged.case[order]
    first, past = (np.searchsorted(holders, cases, side) for side in ("left", "right"))
    rows = np.repeat(np.arange(cases.size), past - first)
    begun = np.repeat(np.cumsum(past - first) - (past - first), past - first)
    places = np.arange(rows.size) - begun + first[rows]
    return rows, tagged.tag[order][places]


def _most_frequent(codes: list[int], seen: Codes, names: tuple[str, ...]) -> list[int]:
    """Of equally frequent ones those that come first by name."""
    usable = [code for code in codes if 0 < len(names[code].removeprefix(RISK)) <= LONGEST]
    return sorted(usable, key=lambda code: (-int(seen[code]), names[code]))[:MOST]


def _rates(
    compared: Columns, rows: Codes, tags: Codes, kept: list[int], names: tuple[str, ...]
) -> dict[str, RateJSON]:
    group = np.full(len(names), -1, dtype=np.int64)
    group[kept] = np.arange(len(kept))
    chosen: Flags = group[tags] >= 0
    rates = clustered_rates(
        compared.verdict_right[rows[chosen]],
        compared.cluster[rows[chosen]],
        group[tags[chosen]],
        len(kept),
        reason=_NOT_COMPARED,
    )
    return {names[code]: one.as_json() for code, one in zip(kept, rates, strict=True)}
