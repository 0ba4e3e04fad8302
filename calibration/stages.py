"""Figures on where ungrounded answers failed, and on the gap between pool and admitted context."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from calibration.answering import share
from calibration.columns import NOTHING, Codes, Flags
from calibration.stats.rates import rate
from grounding.tracing import TRACED, UNTRACED, Basis, Stage

STAGES: Final = tuple(Stage)
BASES: Final = tuple(Basis)


class Pools(NamedTuple):
    """What was retrieved, over the cases whose pool was captured."""

    captured: int = 0
    passages: int = 0
    dropped: int = 0
    """Of the passages those that were not admitted."""


def figures(
    stages: Codes, bases: Codes, stated: tuple[Codes, Codes], pools: Pools, searched_by: str
) -> dict[str, Any]:
    """``generation``, ``budget``, ``retrieval``: of the ungrounded answers whose failure could be
    traced, traced to that stage. ``gap``: ``dropped``, of the passages that were retrieved, not
    admitted; ``lost``, of the cases whose pool holds the answer as its author states, those whose
    admitted context does not.

    ``stages`` are places in `STAGES`, `NOTHING` for an answer that is not ungrounded by its
    references; ``bases`` places in `BASES`, `NOTHING` where nothing was traced. ``stated`` says
    of each answer whether context and pool hold it, 1, 0 or `NOTHING`.
    """
    counts = _counts(stages, len(STAGES))
    traced = np.isin(stages, [STAGES.index(stage) for stage in TRACED])
    return {
        "ungrounded": int((stages != NOTHING).sum()),
        **{stage.value: _of(stages[traced], stage) for stage in TRACED},
        "untraced": {stage.value: counts[STAGES.index(stage)] for stage in UNTRACED},
        "basis": dict(zip((one.value for one in BASES), _counts(bases, len(BASES)), strict=True)),
        "searched_by": searched_by,
        "gap": {
            "captured": pools.captured,
            "dropped": rate(pools.dropped, pools.passages, reason="no pool was captured").as_json(),
            "lost": _lost(*stated),
        },
    }


def _of(traced: Codes, stage: Stage) -> Any:
    return share(
        traced == STAGES.index(stage), reason="no ungrounded answer could be traced to a stage"
    )


def _lost(answerable: Codes, from_retrieved: Codes) -> Any:
    held: Flags = (from_retrieved == 1) & (answerable != NOTHING)
    return share(
        answerable[held] == 0, reason="of no case is it stated that its pool holds the answer"
    )


def _counts(codes: Codes, length: int) -> list[int]:
    counts: list[int] = np.bincount(codes[codes != NOTHING], minlength=length).tolist()
    return counts
