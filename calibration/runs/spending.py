"""What a run's calls took, counted from its attempts, and what its budget leaves.

Nothing keeps a tally: what is counted is what is stored. What workers have begun and not yet
written down stands in their `Holder` rows, so that a budget holds for all of them together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import floor
from typing import Final

from django.db import transaction
from django.db.models import Count, F, Max, Q, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from calibration.models import Attempt, Holder, Judgment, Run
from grounding.errors import BadInput
from grounding.interchange.models import Outcome
from grounding.rubrics import LlmSpec, RubricDefinition

_TOKENS: Final = Coalesce(F("input_tokens"), 0) + Coalesce(F("output_tokens"), 0)
_COUNTED: Final = Q(input_tokens__isnull=False) | Q(output_tokens__isnull=False)

# Where calls take nothing there is no end to them.
_NO_END: Final = 1_000_000_000


@dataclass(frozen=True)
class Spent:
    """Calls that were made, and what they took; ``cached`` answers took nothing.

    ``most_tokens`` and ``most_cost`` are of the dearest call, None where no call said.
    ``cost`` is None where no call has a price.
    """

    calls: int = 0
    cached: int = 0
    answered: int = 0
    tokens: int = 0
    cost: float | None = None
    most_tokens: int | None = None
    most_cost: float | None = None


@dataclass(frozen=True)
class Budget:
    """The most that a run may take of each; None where nothing is said."""

    calls: int | None = None
    tokens: int | None = None
    cost: float | None = None

    @property
    def parts(self) -> tuple[int | None, int | None, float | None]:
        return self.calls, self.tokens, self.cost

    def require_possible(self, definition: RubricDefinition) -> None:
        """Raises BadInput for a budget that could not be kept or would allow nothing."""
        named = (("max_calls", self.calls), ("max_tokens", self.tokens), ("max_cost", self.cost))
        for name, value in named:
            if value is not None and not (0 < value < _NO_END):
                raise BadInput(f"must be more than nothing, and below {_NO_END:,}", field=name)
        if self.cost is not None and not _has_prices(definition):
            raise BadInput(
                f"{definition.reference} states no prices, so nobody can tell what a call costs",
                field="max_cost",
            )


def _has_prices(definition: RubricDefinition) -> bool:
    spec = definition.judge
    return isinstance(spec, LlmSpec) and spec.prices.currency is not None


@dataclass(frozen=True)
class Standing:
    """One worker's calls at one moment: in flight, allowed and not begun, done and not written.

    ``most_…`` are of the dearest call that it has seen.
    """

    busy: int = 0
    allowed: int = 0
    calls: int = 0
    tokens: int = 0
    cost: float = 0.0
    most_tokens: int | None = None
    most_cost: float | None = None


@dataclass(frozen=True)
class Allowance:
    """How many further calls a worker may begin; ``spent`` says why it is none for good."""

    calls: int
    spent: str | None = None


def of(run: Run) -> Spent:
    """What all rounds of the run took, by one query over its attempts."""
    made = Q(cached=False)
    found = Attempt.objects.filter(judgment__run=run, counts=True).aggregate(
        of_calls=Count("pk", filter=made),
        of_cached=Count("pk", filter=~made),
        of_answered=Count("pk", filter=made & Q(http_status=200)),
        of_tokens=Coalesce(Sum(_TOKENS, filter=made), 0),
        of_cost=Sum("cost"),
        of_most_tokens=Max(_TOKENS, filter=made & _COUNTED),
        of_most_cost=Max("cost", filter=made),
    )
    # Under names of their own: an aggregate's would hide the column that another one reads.
    return Spent(**{name.removeprefix("of_"): value for name, value in found.items()})


def has_budget(run: Run) -> bool:
    return (run.budget_calls, run.budget_tokens, run.budget_cost) != (None, None, None)


def allowance(run: Run, own: Standing, others: Sequence[Holder], most: int) -> Allowance:
    """What is left for this worker, at most ``most``, beside what all have begun.

    Each call that is in flight or allowed is taken to become as dear as the dearest so far;
    while none has said what it takes, one is let go ahead.
    """
    spent = of(run)
    begun = own.busy + sum(other.busy + other.allowed for other in others)
    rooms = list(_rooms(run, spent, own, others))
    left = min([most, *(room.calls - begun for room in rooms)])
    if left > 0 or begun or own.allowed:
        return Allowance(max(left, 0))
    return Allowance(0, min(rooms, key=lambda room: room.calls).reason)


@dataclass(frozen=True)
class _Room:
    """How many further calls one side of a budget has room for, and what to say of none."""

    calls: int
    reason: str


def _rooms(run: Run, spent: Spent, own: Standing, others: Sequence[Holder]) -> Iterator[_Room]:
    if run.budget_calls is not None:
        unwritten = own.calls + sum(other.unwritten_calls for other in others)
        left = run.budget_calls - spent.calls - unwritten
        yield _Room(left, _said(f"{run.budget_calls:,} calls"))
    if run.budget_tokens is not None:
        tokens = spent.tokens + own.tokens + sum(other.unwritten_tokens for other in others)
        largest = _largest(spent.most_tokens, own.most_tokens)
        yield _room(run.budget_tokens, tokens, largest, spent, f"{run.budget_tokens:,} tokens")
    if run.budget_cost is not None:
        cost = (spent.cost or 0) + own.cost + sum(other.unwritten_cost for other in others)
        largest = _largest(spent.most_cost, own.most_cost)
        yield _room(run.budget_cost, cost, largest, spent, f"{run.budget_cost:g}")


def _room(budget: float, taken: float, largest: float | None, spent: Spent, said: str) -> _Room:
    if largest is None and spent.answered:
        return _Room(0, f"not called: nobody says what a call takes, and {said} is the budget")
    if largest is None:
        return _Room(1, _said(said))
    if largest == 0:
        return _Room(_NO_END, _said(said))
    return _Room(floor((budget - taken) / largest), _said(said))


def _largest(*each: float | None) -> float | None:
    return max((one for one in each if one is not None), default=None)


def _said(budget: str) -> str:
    return f"not called: the run's budget of {budget} is spent"


@transaction.atomic
def close(run: Run, reason: str) -> None:
    """Give every row that nobody holds its outcome: the budget is spent, so none is called.

    A budget that was spent with the last call that there was to make has stopped nothing.
    """
    now = timezone.now()
    Judgment.objects.filter(run=run).waiting(now).update(
        outcome=Outcome.UNAVAILABLE.value,
        error=reason,
        attempts=Coalesce(F("attempts"), 0),
        lease=None,
        lease_until=None,
        judged_at=now,
    )
    if Judgment.objects.filter(run=run, error__startswith=reason).exists():
        Run.objects.filter(pk=run.pk).update(budget_spent=reason)
