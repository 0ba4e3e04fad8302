"""What a statistic hands back: a number, over how many, how sure, and, where undefined, why.

One law for undefined holds in all of this package: nothing over nothing is neither 0 nor 1 nor nan.
It is `None`, and `reason` says in words what was missing.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypedDict

Interval = tuple[float, float]

NO_INTERVAL = (
    "no interval: fewer than two clusters, or too few resamples in which the value is defined"
)


class RateJSON(TypedDict):
    """The keys of a rate in a report."""

    count: int
    n: int
    rate: float | None
    interval: list[float] | None
    reason: str | None


class CoefficientJSON(TypedDict):
    """The keys of a coefficient in a report."""

    value: float | None
    n: int
    interval: list[float] | None
    reason: str | None


class PValueJSON(TypedDict):
    """The keys of a test in a report."""

    p: float | None
    n: int
    reason: str | None


@dataclass(frozen=True, slots=True)
class Rate:
    """A share that never stands without its numerator and denominator.

    Attributes
    ----------
    count, n
        Numerator and denominator, with ``0 <= count <= n``.
    rate
        ``count / n`` in [0, 1], or None where n is 0.
    interval
        Interval for the share, inside [0, 1], or None where n is 0.
    reason
        Why the rate is undefined; None where it is defined.

    Raises
    ------
    ValueError
        If the number is not finite, or is missing without a reason.
    """

    count: int
    n: int
    rate: float | None
    interval: Interval | None
    reason: str | None

    def __post_init__(self) -> None:
        _check_undefined(self.rate, self.interval, self.reason)

    def as_json(self) -> RateJSON:
        """Return the rate as a report writes it."""
        return {
            "count": self.count,
            "n": self.n,
            "rate": self.rate,
            "interval": _as_list(self.interval),
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A number that is not a plain share: an agreement beyond chance, a difference, a mean.

    Attributes
    ----------
    value
        The coefficient, or None where it is undefined.
    n
        How many things it was taken over; the function that made it says which things.
    interval
        Interval for the value, or None where it is undefined or was not asked for.
    reason
        Why the value is missing; where the value is there, why an interval that was asked for is
        missing; else None.

    Raises
    ------
    ValueError
        If the number is not finite, or is missing without a reason.
    """

    value: float | None
    n: int
    interval: Interval | None
    reason: str | None

    def __post_init__(self) -> None:
        _check_undefined(self.value, self.interval, self.reason)

    def with_interval(self, interval: Interval | None) -> "Coefficient":
        """Return the coefficient with an interval, or with the reason why there is none.

        An undefined coefficient has no interval, and comes back unchanged.
        """
        if self.value is None:
            return self
        return replace(self, interval=interval, reason=NO_INTERVAL if interval is None else None)

    def as_json(self) -> CoefficientJSON:
        """Return the coefficient as a report writes it."""
        return {
            "value": self.value,
            "n": self.n,
            "interval": _as_list(self.interval),
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class PValue:
    """The p-value of a test, or None where the data say nothing about its hypothesis.

    Attributes
    ----------
    p
        Probability in [0, 1], or None.
    n
        How many observations bear on the hypothesis.
    reason
        Why there is no p-value; None where there is one.
    """

    p: float | None
    n: int
    reason: str | None

    def __post_init__(self) -> None:
        _check_undefined(self.p, None, self.reason)

    def as_json(self) -> PValueJSON:
        """Return the test as a report writes it."""
        return {"p": self.p, "n": self.n, "reason": self.reason}


def defined_or(value: float, n: int, reason: str) -> Coefficient:
    """Return the value as a coefficient; where it is nan, an undefined one with the reason."""
    if math.isnan(value):
        return Coefficient(None, n, None, reason)
    return Coefficient(float(value), n, None, None)


def plain(figure: Any) -> Any:
    """Return what a statistic handed back as JSON has it.

    Rates, coefficients and p-values become objects with the keys of a report; records of several
    figures, such as `calibration.stats.confidence.Reliability`, become objects by the names of
    their fields, and lists and tuples become lists. Numbers, strings, booleans and None stay.

    Raises
    ------
    TypeError
        If there is anything else in it.
    """
    if isinstance(figure, Rate | Coefficient | PValue):
        return figure.as_json()
    if is_dataclass(figure) and not isinstance(figure, type):
        return {each.name: plain(getattr(figure, each.name)) for each in fields(figure)}
    if isinstance(figure, tuple) and hasattr(figure, "_asdict"):
        return {name: plain(value) for name, value in figure._asdict().items()}
    if isinstance(figure, list | tuple):
        return [plain(each) for each in figure]
    if isinstance(figure, Mapping):
        return {str(name): plain(value) for name, value in figure.items()}
    if figure is None or isinstance(figure, bool | int | float | str):
        return figure
    raise TypeError(f"{type(figure).__name__} is no figure")


def _as_list(interval: Interval | None) -> list[float] | None:
    return None if interval is None else list(interval)


def _check_undefined(value: float | None, interval: Interval | None, reason: str | None) -> None:
    if value is None and (not reason or interval is not None):
        raise ValueError("an undefined number needs a reason and has no interval")
    if not all(math.isfinite(number) for number in (value or 0.0, *(interval or ()))):
        raise ValueError(f"a number and its interval must be finite, not {value} {interval}")
