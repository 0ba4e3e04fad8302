"""What a rubric version asks of its own agreement with people before it may decide anything.

What a policy leaves out holds as the defaults here say, so that a version which states nothing
is not let through on nothing.
"""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from grounding.contract import ClaimClass, Verdict, allowed
from grounding.rubrics.specs import Part, Share

Least = Annotated[int, Field(ge=1, le=1_000_000)]


class CellRule(Part):
    """What one cell of the report must reach, by the human's class, verdict, or both.

    With both, class and verdict count as one answer; with the class alone likewise; with the
    verdict alone, or with neither, the verdict counts.
    """

    claim_class: ClaimClass | None = None
    verdict: Verdict | None = None
    minimum_n: Least
    """Fewer compared statements than these say nothing."""
    minimum_rate: Share
    minimum_lower_bound: Share | None = None
    """Of the 95% interval; asks for more statements the closer the rate is."""

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.claim_class and self.verdict and not allowed(self.claim_class, self.verdict):
            raise ValueError(f"no reference is {self.claim_class} and {self.verdict}")
        if self.minimum_lower_bound is not None and self.minimum_lower_bound > self.minimum_rate:
            raise ValueError("a lower bound above the least rate makes that rate idle")
        return self

    @property
    def can_fail(self) -> bool:
        """Whether any rate is too low for it."""
        return self.minimum_rate > 0


class Ceiling(Part):
    """How often one kind of error may occur at most."""

    minimum_n: Least
    maximum_rate: Share
    maximum_upper_bound: Share | None = None
    """Of the 95% interval."""

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.maximum_upper_bound is not None and self.maximum_upper_bound < self.maximum_rate:
            raise ValueError("an upper bound below the largest rate makes that rate idle")
        return self

    @property
    def can_fail(self) -> bool:
        """Whether any rate is too high for it."""
        return self.maximum_rate < 1


class Regression(Part):
    """Against the major version's baseline, on the same statements."""

    level: Annotated[float, Field(gt=0, lt=0.5)]
    """Of the one-sided test: at or below it, the version has become more lenient."""


class GatePolicy(Part):
    """What a run must satisfy before it may decide anything."""

    failure_ceiling: Share
    """Largest share of failed judgments with which a run still counts as complete."""
    cells: Annotated[tuple[CellRule, ...], Field(max_length=100)] = (
        CellRule(verdict=Verdict.SUPPORTED, minimum_n=30, minimum_rate=0.8),
        CellRule(verdict=Verdict.UNSUPPORTED, minimum_n=30, minimum_rate=0.8),
        CellRule(verdict=Verdict.CONTRADICTORY, minimum_n=30, minimum_rate=0.8),
    )
    lenient: Ceiling | None = Ceiling(minimum_n=50, maximum_rate=0.1)
    """Of what fails by its reference, how much may be passed as supported."""
    class_escape: Ceiling | None = Ceiling(minimum_n=50, maximum_rate=0.1)
    """Of what is subject-specific by its reference, how much may be classed otherwise."""
    regression: Regression | None = Regression(level=0.05)

    def measures(self, *, against_baseline: bool) -> bool:
        """Whether any check is made of agreement with people or of the direction of errors.

        A rule that every rate satisfies is none, and regression is one only for a run that has
        a baseline other than itself.
        """
        rules = (*self.cells, self.lenient, self.class_escape)
        held = any(rule.can_fail for rule in rules if rule is not None)
        return held or (against_baseline and self.regression is not None)

    @property
    def never_passes(self) -> str | None:
        """Why no run passes by this policy, in words; None where one may."""
        if self.measures(against_baseline=True):
            return None
        return (
            "the gate policy asks nothing of agreement with people or of the direction of errors, "
            "so no run can pass a gate by it"
        )
