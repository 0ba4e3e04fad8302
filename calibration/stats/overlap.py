"""Do judge and human rest on the same words? Overlap of cited evidence.

Evidence is spans, half-open ``[start, end)`` in characters, each in a passage or a source. Several
spans of one passage count as their union, so that citing a sentence twice, or in two halves,
changes nothing.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.stats.bootstrap import Statistic, cluster_sums, sum_intervals
from calibration.stats.results import Coefficient

Span = tuple[Hashable, int, int]
Floats = NDArray[np.float64]

NOTHING_TO_COMPARE = "no statement where both cite evidence"


class Overlap(NamedTuple):
    """How the judge's evidence meets the human's on one statement, each in [0, 1].

    Attributes
    ----------
    precision
        Of the characters that the judge cites, those that the human cites too.
    recall
        Of the characters that the human cites, those that the judge cites too.
    f1
        ``2 |both| / (|judge| + |human|)``.
    iou
        ``|both| / |either|``.
    """

    precision: float
    recall: float
    f1: float
    iou: float


@dataclass(frozen=True, slots=True)
class MeanOverlap:
    """`Overlap`, averaged over the statements where both sides cite evidence, and all the others
    counted. The four counts add up to the statements given.

    Attributes
    ----------
    precision, recall, f1, iou
        Means over the statements, each counting once however long its evidence, with an interval;
        n is ``both_cite``.
    both_cite, only_human, only_judge, neither
        How many statements have evidence on either side.
    """

    precision: Coefficient
    recall: Coefficient
    f1: Coefficient
    iou: Coefficient
    both_cite: int
    only_human: int
    only_judge: int
    neither: int


def span_overlap(cited: Iterable[Span], human: Iterable[Span]) -> Overlap | None:
    """Return how the spans of one statement meet.

    Parameters
    ----------
    cited, human : iterable of (place, start, end)
        What the judge, and what the human, rests on. A place is whatever names a passage or a
        source; spans of different places never meet.

    Returns
    -------
    Overlap or None
        None where either side cites nothing: whether that is right is a question of the verdict.

    Raises
    ------
    ValueError
        If a span is empty or begins before 0.

    References
    ----------
    Rajpurkar and others (2016), EMNLP, for F1 of spans, here on characters; Jaccard (1901) for IoU.
    """
    judge_spans, human_spans = _united(cited), _united(human)
    judge_size, human_size = _size(judge_spans), _size(human_spans)
    if not judge_size or not human_size:
        return None
    either = _size(_united([*judge_spans, *human_spans]))
    both = judge_size + human_size - either
    return Overlap(
        both / judge_size, both / human_size, 2 * both / (judge_size + human_size), both / either
    )


def mean_overlap(
    cited: Sequence[Iterable[Span]],
    human: Sequence[Iterable[Span]],
    clusters: ArrayLike,
    *,
    seed: int,
    replicates: int = 2000,
    level: float = 0.95,
) -> MeanOverlap:
    """Return `span_overlap` averaged over statements, with an interval from resampling clusters.

    Parameters
    ----------
    cited, human : sequence, length n, of iterables of (place, start, end)
        The evidence of each statement. Places need to be apart within a statement only.
    clusters : array, shape (n,)
        What is right or wrong together: numbers or strings.
    seed, replicates, level
        As in `calibration.stats.bootstrap.sum_interval`, which also says when there is no interval.

    Returns
    -------
    MeanOverlap
        The means are undefined where on no statement both sides cite evidence.

    Raises
    ------
    ValueError
        If the lengths differ, or a span is empty or begins before 0.
    """
    names: NDArray[Any] = np.asarray(clusters)
    if not len(cited) == len(human) == names.size:
        raise ValueError(f"{len(cited)} and {len(human)} statements, {names.size} clusters")
    sides = [(list(judge), list(person)) for judge, person in zip(cited, human, strict=True)]
    overlaps = [span_overlap(*side) for side in sides]
    found = np.array([overlap is not None for overlap in overlaps], dtype=np.bool_)
    values = np.array([overlap for overlap in overlaps if overlap is not None], dtype=np.float64)
    precision, recall, f1, iou = _means(
        values.reshape(-1, 4), names[found], seed, replicates, level
    )
    return MeanOverlap(
        precision,
        recall,
        f1,
        iou,
        both_cite=int(found.sum()),
        only_human=sum(not judge and bool(person) for judge, person in sides),
        only_judge=sum(bool(judge) and not person for judge, person in sides),
        neither=sum(not judge and not person for judge, person in sides),
    )


def _means(
    values: Floats, names: NDArray[Any], seed: int, replicates: int, level: float
) -> list[Coefficient]:
    n = len(values)
    if not n:
        return [Coefficient(None, 0, None, NOTHING_TO_COMPARE)] * 4
    sums = cluster_sums(np.column_stack([values, np.ones(n)]), names)
    intervals = sum_intervals(sums, [_mean_at(at) for at in range(4)], seed, replicates, level)
    return [
        Coefficient(float(value), n, None, None).with_interval(interval)
        for value, interval in zip(values.mean(axis=0), intervals, strict=True)
    ]


def _mean_at(column: int) -> Statistic:
    return lambda sums: sums[:, column] / sums[:, -1]


def _united(spans: Iterable[Span]) -> list[Span]:
    """Return spans that cover the same characters, none of which meet."""
    by_place: dict[Hashable, list[tuple[int, int]]] = {}
    for place, start, end in spans:
        if not 0 <= start < end:
            raise ValueError(f"no span: {start} to {end}")
        by_place.setdefault(place, []).append((start, end))
    return [(place, start, end) for place, held in by_place.items() for start, end in _merged(held)]


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _size(spans: Iterable[Span]) -> int:
    return sum(end - start for _, start, end in spans)
