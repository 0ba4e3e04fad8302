"""How long labels took at the desk: active time, idle time left out, where it was measured."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from typing import TypeVar

from grounding.interchange.models import LabelRole
from labeling.models import LabelQuerySet

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True)
class Spread:
    """Quartiles in seconds over the ``measured`` ones of ``labels``; None where none was."""

    labels: int
    measured: int
    lower: float | None
    median: float | None
    upper: float | None


@dataclass(frozen=True)
class Times:
    """Of everyone, by the annotator's primary key, and by class (None where none is stated)."""

    whole: Spread
    by_annotator: Mapping[int, Spread]
    by_class: Mapping[str | None, Spread]


def of(labels: LabelQuerySet) -> Times:
    """The times of the live ones among ``labels``; adjudications are left out."""
    rows = labels.live().filter(role=LabelRole.LABEL.value).order_by()
    taken = list(rows.values_list("annotator_id", "claim_class", "active_seconds"))
    return Times(
        whole=spread([seconds for _, _, seconds in taken]),
        by_annotator=_grouped([(annotator, seconds) for annotator, _, seconds in taken]),
        by_class=_grouped([(claim_class, seconds) for _, claim_class, seconds in taken]),
    )


def spread(seconds: Sequence[float | None]) -> Spread:
    """Quartiles by linear interpolation between the values in order."""
    known = [one for one in seconds if one is not None]
    if len(known) < 2:
        only = known[0] if known else None
        return Spread(len(seconds), len(known), only, only, only)
    lower, _, upper = quantiles(known, n=4, method="inclusive")
    return Spread(len(seconds), len(known), lower, median(known), upper)


def _grouped(rows: Sequence[tuple[K, float | None]]) -> dict[K, Spread]:
    groups: dict[K, list[float | None]] = defaultdict(list)
    for key, seconds in rows:
        groups[key].append(seconds)
    return {key: spread(one) for key, one in groups.items()}
