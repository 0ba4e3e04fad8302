"""A run's calls as pages show them. Reads only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import QuerySet

from calibration.calls import permits
from calibration.calls.permits import InFlight
from calibration.models import Attempt, Run
from calibration.runs import counting, spending
from calibration.runs.spending import Spent

MADE, KEPT, FAILED = "made", "kept", "failed"
FILTERS: Final[Mapping[str, Sequence[str]]] = {"answer": [MADE, KEPT, FAILED]}


@dataclass(frozen=True)
class Calls:
    """What a run has taken of its provider so far, and what it is taking.

    ``models`` are those that said they had judged; more than one makes the run a mixed one.
    """

    spent: Spent
    flight: InFlight
    currency: str | None
    budgets: Sequence[tuple[str, float, float]]
    models: Sequence[str]

    @property
    def any(self) -> bool:
        return bool(self.spent.calls or self.spent.cached or self.flight.held or self.budgets)

    @property
    def mixed(self) -> bool:
        return len(self.models) > 1

    @property
    def quiet_until(self) -> datetime | None:
        return self.flight.quiet_until


def of(run: Run) -> Calls:
    spent = spending.of(run)
    return Calls(
        spent=spent,
        flight=permits.in_flight(run),
        currency=currency_of(run),
        budgets=_budgets(run, spent),
        models=counting.judge_models(run),
    )


def currency_of(run: Run) -> str | None:
    """Of the rubric's prices; None where it states none."""
    judge = (run.rubric_version.definition or {}).get("judge") or {}
    currency = (judge.get("prices") or {}).get("currency")
    return str(currency) if currency else None


def listed(run: Run, filters: Mapping[str, str]) -> QuerySet[Attempt]:
    """Each call once, by the attempt that counts it, in the order in which they began."""
    found = Attempt.objects.filter(judgment__run=run, counts=True)
    if "answer" in filters:
        found = found.filter(cached=filters["answer"] == KEPT)
    if filters.get("answer") == FAILED:
        found = found.exclude(http_status=200)
    found = found.select_related("judgment__statement__case").defer(
        "raw",
        "judgment__statement__case__context",
        "judgment__statement__case__retrieved",
        "judgment__statement__case__answer",
    )
    return found.order_by("started_at", "pk")


def _budgets(run: Run, spent: Spent) -> list[tuple[str, float, float]]:
    """Each budget that was given: of what, how much is taken, how much there is."""
    each = (
        ("calls", spent.calls, run.budget_calls),
        ("tokens", spent.tokens, run.budget_tokens),
        ("cost", spent.cost or 0.0, run.budget_cost),
    )
    return [(name, taken, budget) for name, taken, budget in each if budget is not None]
