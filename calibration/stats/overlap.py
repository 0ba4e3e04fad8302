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
from calibration.stats.clusters import random_groups
from calibration.stats.results import Coefficient

Span = tuple[Hashable, int, int]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

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


class Spans(NamedTuple):
    """The spans of many statements, one entry a span: arrays of int, shape (m,).

    Attributes
    ----------
    statement
        Whose evidence it is, 0..n-1.
    place
        Of the passage or the source, 0 or more; needs to be apart within a statement only.
    start, end
        Half-open, in characters.
    """

    statement: Integers
    place: Integers
    start: Integers
    end: Integers


class Sizes(NamedTuple):
    """How much evidence each statement has, in characters: arrays of int, shape (n,).

    Attributes
    ----------
    judge, human
        What each side cites; 0 where it cites nothing.
    both
        What both cite.
    """

    judge: Integers
    human: Integers
    both: Integers


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
    places: dict[Hashable, int] = {}
    found = sizes(_spans(cited, places), _spans(human, places), names.size)
    return overlap_of(found, names, seed=seed, replicates=replicates, level=level)


def sizes(cited: Spans, human: Spans, n: int) -> Sizes:
    """Return how much evidence the two sides have on each of n statements, and share.

    Parameters
    ----------
    cited, human : Spans
        What the judge, and what the human, rests on, in any order; a place has the same number on
        both sides.
    n : int
        How many statements there are.

    Returns
    -------
    Sizes
        Several spans of one place count as their union.

    Raises
    ------
    ValueError
        If a span is empty or begins before 0, or is of a statement outside 0..n-1.
    """
    either = Spans(*(np.concatenate(pair) for pair in zip(cited, human, strict=True)))
    judge, person, all_of_it = (_covered(spans, n) for spans in (cited, human, either))
    return Sizes(judge, person, judge + person - all_of_it)


def overlap_of(
    found: Sizes,
    clusters: ArrayLike,
    *,
    seed: int,
    replicates: int = 2000,
    level: float = 0.95,
) -> MeanOverlap:
    """Return `mean_overlap` of evidence whose sizes are known; parameters and result as there.

    More than `calibration.stats.clusters.GROUPS` clusters are resampled in as many random groups.
    """
    names: NDArray[Any] = np.asarray(clusters)
    if not found.judge.shape == found.human.shape == found.both.shape == names.shape:
        raise ValueError(f"{found.judge.size} statements, {names.size} clusters")
    judges, people = found.judge > 0, found.human > 0
    cite = judges & people
    judge, human, both = (size[cite].astype(np.float64) for size in found)
    values = np.stack(
        [both / judge, both / human, 2 * both / (judge + human), both / (judge + human - both)],
        axis=1,
    )
    precision, recall, f1, iou = _means(values, names[cite], seed, replicates, level)
    return MeanOverlap(
        precision,
        recall,
        f1,
        iou,
        both_cite=int(cite.sum()),
        only_human=int((people & ~judges).sum()),
        only_judge=int((judges & ~people).sum()),
        neither=int((~judges & ~people).sum()),
    )


def _means(
    values: Floats, names: NDArray[Any], seed: int, replicates: int, level: float
) -> list[Coefficient]:
    n = len(values)
    if not n:
        return [Coefficient(None, 0, None, NOTHING_TO_COMPARE)] * 4
    sums = random_groups(cluster_sums(np.column_stack([values, np.ones(n)]), names), seed)
    intervals = sum_intervals(sums, [_mean_at(at) for at in range(4)], seed, replicates, level)
    return [
        Coefficient(float(value), n, None, None).with_interval(interval)
        for value, interval in zip(values.mean(axis=0), intervals, strict=True)
    ]


def _mean_at(column: int) -> Statistic:
    return lambda sums: sums[:, column] / sums[:, -1]


def _spans(evidence: Sequence[Iterable[Span]], places: dict[Hashable, int]) -> Spans:
    """Return the spans with the numbers of their places, to which new ones are added."""
    rows = [
        (statement, places.setdefault(place, len(places)), start, end)
        for statement, spans in enumerate(evidence)
        for place, start, end in spans
    ]
    columns: Integers = np.array(rows, dtype=np.int64).reshape(-1, 4)
    return Spans(*columns.T)


def _covered(spans: Spans, n: int) -> Integers:
    """Return how many characters the spans of each statement cover.

    In the order of place and start, each span adds what lies beyond the furthest end so far. The
    places are laid out one behind the other, so that one running maximum serves them all.
    """
    if np.any((spans.start < 0) | (spans.start >= spans.end)):
        raise ValueError("there is no span that is empty or begins before 0")
    if np.any((spans.statement < 0) | (spans.statement >= n) | (spans.place < 0)):
        raise ValueError(f"a span is of no place, or of none of {n} statements")
    order = np.lexsort((spans.start, spans.place, spans.statement))
    statement, place, start, end = (column[order] for column in spans)
    changes = (np.diff(statement) != 0) | (np.diff(place) != 0)
    behind = np.concatenate([[0], np.cumsum(changes)])[: start.size] * int(end.max(initial=0))
    reached = np.maximum.accumulate(end + behind)
    before = np.concatenate([[0], reached])[: start.size]
    added = np.maximum(end + behind - np.maximum(start + behind, before), 0)
    return np.bincount(statement, added, n).astype(np.int64)


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
