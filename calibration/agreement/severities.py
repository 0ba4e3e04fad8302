"""What a judge's errors cost: its lenient and strict errors and class escapes, weighted.

A rate counts each error alike, so that a judge which passes contradictions looks no worse than
one which passes what was merely left unsupported. The weights are stated in each report, beside
how often each error was made. One is what it costs to pass an unsupported statement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from calibration.agreement.columns import CLASSES, VERDICTS, Codes, Columns
from calibration.stats.severity import severity
from grounding.contract import ClaimClass, Verdict

Figures = dict[str, Any]
Weights = Mapping[tuple[str, str], float]

LENIENT: Final[Weights] = {
    (Verdict.CONTRADICTORY, Verdict.SUPPORTED): 3.0,
    (Verdict.UNSUPPORTED, Verdict.SUPPORTED): 1.0,
}
"""By reference and judge. What contradicts its evidence is wrong, and no reader is warned."""

STRICT: Final[Weights] = {
    (Verdict.SUPPORTED, Verdict.CONTRADICTORY): 1.0,
    (Verdict.SUPPORTED, Verdict.UNSUPPORTED): 0.5,
}
"""To call something right wrong costs more than to miss its evidence, and neither lets a falsehood
through."""

CLASS_ESCAPE: Final[Weights] = {
    (ClaimClass.SUBJECT_SPECIFIC, ClaimClass.INTERPRETATION): 1.0,
    (ClaimClass.SUBJECT_SPECIFIC, ClaimClass.EXTERNAL): 0.5,
}
"""An interpretation is graded by nobody; an external claim still has to be true."""


def figures(compared: Columns) -> Figures:
    """Mean weight of the errors in each direction, over the statements on which such an error
    could be made: those of the rate of that name. ``weights`` has each error with its weight, and
    on how many statements it was made."""
    classed = compared.where(compared.classed)
    verdicts = VERDICTS, compared.reference_verdict, compared.judge_verdict
    classes = CLASSES, classed.reference_class, classed.judge_class
    return {
        "lenient": _weighed(LENIENT, *verdicts, compared.cluster),
        "strict": _weighed(STRICT, *verdicts, compared.cluster),
        "class_escape": _weighed(CLASS_ESCAPE, *classes, classed.cluster),
        "weights": [
            *_stated("lenient", LENIENT, *verdicts),
            *_stated("strict", STRICT, *verdicts),
            *_stated("class_escape", CLASS_ESCAPE, *classes),
        ],
    }


def _weighed(
    weights: Weights, words: Sequence[str], human: Codes, judge: Codes, clusters: Codes
) -> Figures:
    references, judged = ({words.index(pair[side]) for pair in weights} for side in (0, 1))
    found = severity(
        human,
        judge,
        clusters,
        _table(weights, words),
        reference=sorted(references),
        judged=sorted(judged),
    )
    return {**found.as_json()}


def _table(weights: Weights, words: Sequence[str]) -> NDArray[np.float64]:
    table = np.zeros((len(words), len(words)))
    for (reference, judged), weight in weights.items():
        table[words.index(reference), words.index(judged)] = weight
    return table


def _stated(
    direction: str, weights: Weights, words: Sequence[str], human: Codes, judge: Codes
) -> list[Figures]:
    return [
        {
            "direction": direction,
            "reference": str(reference),
            "judged": str(judged),
            "weight": weight,
            "count": int(
                ((human == words.index(reference)) & (judge == words.index(judged))).sum()
            ),
        }
        for (reference, judged), weight in weights.items()
    ]
