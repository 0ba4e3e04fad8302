"""Figures on where ungrounded answers failed, and on the gap between pool and admitted context."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from calibration.agreement.answering import share
from calibration.agreement.columns import NOTHING, Codes, Flags
from calibration.stats.rates import counted_rate
from grounding.tracing import TRACED, UNTRACED, Basis, Stage

STAGES: Final = tuple(Stage)
BASES: Final = tuple(Basis)


class Pools(NamedTuple):
    """What was retrieved, one entry a case whose pool was captured: its pair, else itself, and
    how many of its passages were dropped and how many admitted."""

    cluster: Codes
    dropped: Codes
    admitted: Codes


class Stated(NamedTuple):
    """Of each answer whether admitted context and pool hold what was asked: 1, 0 or `NOTHING`."""

    answerable: Codes
    from_retrieved: Codes


def figures(
    traced: tuple[Codes, Codes], stated: Stated, pools: Pools, cluster: Codes, searched_by: str
) -> dict[str, Any]:
    """``generation``, ``budget``, ``retrieval``: of the ungrounded answers whose failure could be
    traced, traced to that stage. ``gap``: ``dropped``, of the passages that were retrieved, not
    admitted; ``lost``, of the cases whose pool holds the answer as its author states, those whose
    admitted context does not.

    ``traced`` are stage and basis of each answer: places in `STAGES`, `NOTHING` for an answer that
    is not ungrounded by its references, and in `BASES`, `NOTHING` where nothing was traced.
    ``cluster`` are those of the answers.
    """
    stages, bases = traced
    counts = _counts(stages, len(STAGES))
    found = np.isin(stages, [STAGES.index(stage) for stage in TRACED])
    return {
        "ungrounded": int((stages != NOTHING).sum()),
        **{stage.value: _of(stages[found], cluster[found], stage) for stage in TRACED},
        "untraced": {stage.value: counts[STAGES.index(stage)] for stage in UNTRACED},
        "basis": dict(zip((one.value for one in BASES), _counts(bases, len(BASES)), strict=True)),
        "searched_by": searched_by,
        "gap": {
            "captured": len(pools.cluster),
            "dropped": counted_rate(
                pools.dropped, pools.admitted, pools.cluster, reason="no pool was captured"
            ).as_json(),
            "lost": _lost(stated, cluster),
        },
    }


def _of(traced: Codes, cluster: Codes, stage: Stage) -> Any:
    return share(
        traced == STAGES.index(stage),
        cluster,
        reason="no ungrounded answer could be traced to a stage",
    )


def _lost(stated: Stated, cluster: Codes) -> Any:
    held: Flags = (stated.from_retrieved == 1) & (stated.answerable != NOTHING)
    return share(
        stated.answerable[held] == 0,
        cluster[held],
        reason="of no case is it stated that its pool holds the answer",
    )


def _counts(codes: Codes, length: int) -> list[int]:
    counts: list[int] = np.bincount(codes[codes != NOTHING], minlength=length).tolist()
    return counts
