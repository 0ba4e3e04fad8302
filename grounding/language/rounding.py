"""Which number another one may be rounded to."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from grounding.language.quantities import unit_of
from grounding.language.token import NO_UNIT, Near, Token

_MOST: Final = {Near.PLAIN: 20, Near.ABOUT: 10, Near.NEARLY: 10}
"""A number may be off by so small a share of what it rounds: a twentieth is what rounding to two
digits can move it by."""


def rounds_to(source: Token, claim: Token) -> bool:
    """Whether ``claim`` is what the number ``source`` rounds to, halves up.

    - Both have the same dimension, or none; the source is read in the claim's unit.
    - The claim's precision is its last written digit: 48% is anything from 47.5%, *12 million*
      from 11.5. Zeros at the end of a whole number are digits, so that 5,000 is exact; after
      *about* and the like they are rounded, as they are where units were converted of which
      neither is a whole number of the other (miles, km).
    - It is off by no more than a twentieth of the source, after *about* a tenth. After *nearly*
      and *almost* the source is less.
    - After *exactly* and after a bound (*at least*, *over* …) it rounds nothing.
    - False for whatever has no step: dates, years, times of day, ordinals, versions and numbers
      in names. Where the claim has the more digits, nothing rounds to it.
    """
    if source.step is None or claim.step is None or claim.near is Near.STRICTLY:
        return False
    if source.dimension != claim.dimension:
        return False
    value, step = claim.number, _step(source, claim)
    return value is not None and any(
        _rounded(amount, step) == value
        and abs(amount - value) * _MOST[claim.near] <= amount
        and (claim.near is not Near.NEARLY or amount < value)
        for amount in _amounts(source, claim)
    )


def _amounts(source: Token, claim: Token) -> tuple[Decimal, ...]:
    """The source's value in the claim's unit; all that its digits can mean where it has none."""
    if source.dimension == NO_UNIT:
        return source.values
    unit = unit_of(claim)
    return (source.base / unit,) if unit and source.base is not None else ()


def _step(source: Token, claim: Token) -> Decimal:
    written = claim.step or Decimal(1)
    if claim.near is Near.PLAIN and not _inexactly_converted(source, claim):
        return written
    zeros = claim.number.normalize().as_tuple().exponent if claim.number else 0
    return max(written, Decimal(1).scaleb(zeros)) if isinstance(zeros, int) else written


def _inexactly_converted(source: Token, claim: Token) -> bool:
    one, other = unit_of(source), unit_of(claim)
    return bool(one and other and max(one, other) % min(one, other))


def _rounded(amount: Decimal, step: Decimal) -> Decimal:
    return (amount / step).to_integral_value(ROUND_HALF_UP) * step
