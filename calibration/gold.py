"""Annotators against statements whose answer was known: the counts, and the lists behind them.

Measured are blind labels: whoever had seen the answers was not put to the test. The class is
held against the known one where both state one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from django.db.models import Case, CharField, Count, F, OuterRef, Q, QuerySet, Subquery, Value, When

from calibration.stats.rates import counted_rate
from grounding.interchange.models import Origin
from labeling.models import Annotator, Assignment, GoldStatement, Queue

OUTCOMES: Final[Mapping[str, Sequence[str]]] = {
    "met": ("right", "wrong_class", "wrong_verdict", "not_blind", "unlabelled"),
    "answered": ("right", "wrong_class", "wrong_verdict"),
    "verdict_right": ("right", "wrong_class"),
    "right": ("right",),
    "wrong_class": ("wrong_class",),
    "wrong_verdict": ("wrong_verdict",),
    "not_blind": ("not_blind",),
    "unlabelled": ("unlabelled",),
}
"""What can be asked for, and which outcomes it takes."""

NONE_ANSWERED: Final = "no gold statement answered blind"


class Met(NamedTuple):
    """So many gold statements of one pair of cases, else one case, with the same outcome."""

    outcome: str
    cluster: str
    times: int


@dataclass(frozen=True)
class Line:
    """One annotator on gold: ``counts`` by the names of `OUTCOMES`."""

    annotator: Annotator
    counts: Mapping[str, int]
    verdict: Mapping[str, Any]
    both: Mapping[str, Any]


def lines(queue: Queue) -> list[Line]:
    """Everyone who met a gold statement of the queue, by code."""
    met: dict[int, list[Met]] = {}
    cluster = ("statement__case__pair_id", "statement__case")
    rows = answers(queue).order_by().values_list("annotator", "outcome", *cluster)
    for pk, outcome, pair, case, count in rows.annotate(Count("pk")):
        met.setdefault(pk, []).append(Met(outcome, _cluster(pair, case), count))
    people = Annotator.objects.filter(pk__in=met).select_related("user")
    return [_line(one, met[one.pk]) for one in sorted(people, key=lambda one: one.code)]


def answers(
    queue: Queue, outcome: str = "met", annotator: Annotator | None = None
) -> QuerySet[Any, Any]:
    """The assignments behind a number of `lines`, each with ``outcome``, ``known_class``,
    ``known_verdict`` and ``known_tier``."""
    known = GoldStatement.objects.filter(queue=OuterRef("queue"), statement=OuterRef("statement"))
    found = Assignment.objects.filter(queue=queue, gold=True)
    if annotator is not None:
        found = found.filter(annotator=annotator)
    answered = found.annotate(
        known_class=Subquery(known.values("claim_class")[:1]),
        known_verdict=Subquery(known.values("verdict")[:1]),
        known_tier=Subquery(known.values("tier")[:1]),
    ).annotate(outcome=_outcome())
    return answered.filter(outcome__in=OUTCOMES[outcome]).order_by("annotator__code", "pk")


def in_full(found: QuerySet[Any, Any]) -> QuerySet[Any, Any]:
    """With everything that a list shows of them, in the same query."""
    texts = ("context", "retrieved", "answer")
    return found.select_related("annotator__user", "label", "statement__case").defer(
        *(f"statement__case__{text}" for text in texts)
    )


def _outcome() -> Case:
    other_class = Q(known_class__isnull=False, label__claim_class__isnull=False)
    return Case(
        When(label__isnull=True, then=Value("unlabelled")),
        When(~Q(label__origin=Origin.BLIND.value), then=Value("not_blind")),
        When(~Q(label__verdict=F("known_verdict")), then=Value("wrong_verdict")),
        When(other_class & ~Q(label__claim_class=F("known_class")), then=Value("wrong_class")),
        default=Value("right"),
        output_field=CharField(),
    )


def _cluster(pair: str | None, case: int) -> str:
    return f"case {case}" if pair is None else f"pair {pair}"


def _line(annotator: Annotator, met: Sequence[Met]) -> Line:
    counted: Counter[str] = Counter()
    for one in met:
        counted[one.outcome] += one.times
    return Line(
        annotator=annotator,
        counts={name: sum(counted[one] for one in taken) for name, taken in OUTCOMES.items()},
        verdict=_share(met, "verdict_right"),
        both=_share(met, "right"),
    )


def _share(met: Sequence[Met], name: str) -> Mapping[str, Any]:
    answered = [one for one in met if one.outcome in OUTCOMES["answered"]]
    hits = [one.times * (one.outcome in OUTCOMES[name]) for one in answered]
    misses = [one.times - hit for one, hit in zip(answered, hits, strict=True)]
    clusters = [one.cluster for one in answered]
    return counted_rate(hits, misses, clusters, reason=NONE_ANSWERED).as_json()
