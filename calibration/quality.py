"""How good the labels of a set or a queue are, as far as labels alone tell. Reads only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from calibration.agreement import between_humans, rating_pairs
from calibration.agreement.rating_pairs import Between
from labeling.models import Annotator, CalibrationSet, Label, LabelQuerySet, Queue
from labeling.queues import times
from labeling.queues.times import Spread


@dataclass(frozen=True)
class Quality:
    """``figures`` and ``splits`` are None where no label counts as a rating."""

    figures: Mapping[str, Any] | None
    splits: Mapping[str, Any] | None
    between: Sequence[Between]
    excluded: Mapping[str, int]
    time: Spread
    time_by_annotator: Sequence[tuple[Annotator, Spread]]
    time_by_class: Sequence[tuple[str | None, Spread]]
    annotators: Mapping[int, Annotator]


def of(calibration_set: CalibrationSet, queue: Queue | None = None) -> Quality:
    """A constant number of queries."""
    given = between_humans.read(calibration_set, queue)
    pairs = rating_pairs.pairs_of(given.ratings)
    taken = times.of(_labels(calibration_set, queue))
    people = _people({*taken.by_annotator, *(one.rater for one in given.ratings)})
    return Quality(
        figures=between_humans.figures(given) if given.ratings else None,
        splits=rating_pairs.splits(given.ratings, pairs) if given.ratings else None,
        between=rating_pairs.between(given.ratings, pairs),
        excluded=given.excluded,
        time=taken.whole,
        time_by_annotator=[(people[pk], one) for pk, one in _by_code(taken.by_annotator, people)],
        time_by_class=sorted(taken.by_class.items(), key=lambda item: item[0] or "~"),
        annotators=people,
    )


def _labels(calibration_set: CalibrationSet, queue: Queue | None) -> LabelQuerySet:
    labels: LabelQuerySet = Label.objects.filter(
        statement__case__set=calibration_set, statement__case__superseded_in__isnull=True
    )
    return labels if queue is None else labels.filter(queue=queue)


def _people(pks: Iterable[int]) -> dict[int, Annotator]:
    return {one.pk: one for one in Annotator.objects.filter(pk__in=pks).select_related("user")}


def _by_code(
    spreads: Mapping[int, Spread], people: Mapping[int, Annotator]
) -> list[tuple[int, Spread]]:
    return sorted(spreads.items(), key=lambda item: people[item[0]].code)
