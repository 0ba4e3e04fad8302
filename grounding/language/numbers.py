"""Numbers as values, whatever their spelling, script and grouping; units as dimensions."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Final

# Between digits: points, commas, the Arabic pair, apostrophes, narrow and fixed spaces.
SEPARATORS: Final = ".,\uff0e\uff0c\u066b\u066c'’\u00a0\u2009\u202f"
_PLAIN: Final = str.maketrans(
    {"\uff0e": ".", "\uff0c": ",", "\u066b": "\ue000", "\u066c": "", "'": "", "’": ""}
    | dict.fromkeys("\u00a0\u2009\u202f ", "")
)
_GROUPED: Final = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?")
_POINTED: Final = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?")
_LONGEST: Final = 40
_ROUND_SCALE: Final = 10**5

_HAN_DIGITS: Final = {mark: value for value, mark in enumerate("〇一二三四五六七八九")} | {
    "零": 0,
    "两": 2,
    "兩": 2,
}
_HAN_TENS: Final = {"十": 10, "百": 100, "千": 1000}
_HAN_SCALES: Final = {"万": 10**4, "萬": 10**4, "億": 10**8, "亿": 10**8, "兆": 10**12}
HAN_SCALES: Final = "".join(_HAN_SCALES)
HAN_NUMERALS: Final = "".join((*_HAN_DIGITS, *_HAN_TENS, *_HAN_SCALES))


@lru_cache(maxsize=16_384)
def values(digits: str) -> tuple[Decimal, ...]:
    """What a run of digits and separators can mean, likeliest first; empty for 1.2.3.

    ``1.234`` is both 1.234 and 1234, since half the world groups by points.
    """
    return tuple(one.normalize() for one in _written(digits))


def step(digits: str) -> Decimal | None:
    """What the last written digit counts: 0.01 of ``4.50``, 1 of ``4,500``; None of 1.2.3."""
    found = _written(digits)
    exponent = found[0].as_tuple().exponent if found else None
    return Decimal(1).scaleb(exponent) if isinstance(exponent, int) else None


def scaled_step(step: Decimal, scale: int) -> Decimal:
    """The same with a scale behind it: *5 million* is written to the million, and *12.4 thousand*
    to the hundred, but *five thousand* and *two hundred* are as exact as 5,000 and 200."""
    return step * scale if scale >= _ROUND_SCALE or step < 1 else step


def _written(digits: str) -> tuple[Decimal, ...]:
    plain = digits.translate(_PLAIN)
    if _GROUPED.fullmatch(plain):
        return _decimals(plain.replace(",", ""))
    if _POINTED.fullmatch(plain):
        grouped = plain.replace(".", "").replace(",", ".")
        only_one = plain.count(".") == 1 and "," not in plain
        return _decimals(plain, grouped) if only_one else _decimals(grouped)
    return _decimals(plain.replace("\ue000", ".").replace(",", "."))


def _decimals(*texts: str) -> tuple[Decimal, ...]:
    try:
        return tuple(Decimal(text[:_LONGEST]) for text in texts)
    except InvalidOperation:  # 1.2.3, a version or a date: not one number
        return ()


def han_value(run: str) -> Decimal | None:
    """The value of a run of Han numerals: ``三百二十`` is 320, ``二〇二一`` is 2021."""
    if all(mark in _HAN_DIGITS for mark in run):
        return Decimal("".join(str(_HAN_DIGITS[mark]) for mark in run))
    total = section = digit = 0
    for mark in run:
        if mark in _HAN_DIGITS:
            digit = _HAN_DIGITS[mark]
        elif mark in _HAN_TENS:
            section, digit = section + max(digit, 1) * _HAN_TENS[mark], 0
        else:
            total, section, digit = total + max(section + digit, 1) * _HAN_SCALES[mark], 0, 0
    return Decimal(total + section + digit)


def han_scaled(text: str) -> tuple[Decimal, ...]:
    """Digits with a Han scale behind them: ``3万`` is 30000."""
    return tuple((one * _HAN_SCALES[text[-1]]).normalize() for one in values(text[:-1]))


def han_step(text: str) -> Decimal | None:
    """What the last of these digits counts."""
    found = step(text[:-1])
    return None if found is None else scaled_step(found, _HAN_SCALES[text[-1]])


def fraction(mark: str) -> Decimal:
    """The value of a character such as ``½``."""
    return Decimal(str(round(unicodedata.numeric(mark), 6)))


_UNIT_TABLE: Final = {
    # dimension: {unit names: how many of the base unit one is}
    "length": "mm millimetre millimeter 0.001; cm centimetre centimeter 0.01; m metre meter 1;"
    " km kilometre kilometer 1000; inch inches 0.0254; ft foot feet 0.3048; yd yard 0.9144;"
    " mi mile 1609.344",
    "mass": "mg milligram 0.000001; g gram gramme 0.001; kg kilogram kilo 1; t tonne 1000;"
    " oz ounce 0.0283495; lb lbs pound 0.453592",
    "time": "ms millisecond 0.001; s sec secs second 1; min mins minute 60; h hr hrs hour 3600;"
    " day 86400; week 604800",
    "years": "month 1; quarter 3; year yr 12; decade 120; century centuries 1200",
    "volume": "ml millilitre milliliter 0.001; cl centilitre 0.01; l litre liter 1;"
    " gallon 3.78541; pint 0.473176",
    "data": "byte 1; kb kilobyte 1000; mb megabyte 1000000; gb gigabyte 1000000000;"
    " tb terabyte 1000000000000",
    "share": "% percent per-cent percentage 1",
    "temperature_c": "°c celsius 1",
    "temperature_f": "°f fahrenheit 1",
    "area": "hectare ha 10000; acre 4046.86",
    "power": "w watt 1; kw kilowatt 1000; mw megawatt 1000000",
    "usd": "$ dollar usd 1; cent 0.01",
    "eur": "€ euro eur 1",
    "gbp": "£ gbp 1",
    "jpy": "¥ yen jpy 円 1",
    "inr": "₹ rupee inr 1",
}


def _units() -> dict[str, tuple[str, Decimal]]:
    found = {}
    for dimension, listed in _UNIT_TABLE.items():
        for entry in listed.split(";"):
            *names, factor = entry.split()
            for name in names:
                found[name] = (dimension, Decimal(factor))
                if len(name) > 3:
                    found[name + "s"] = found[name]
    return found


UNITS: Final = _units()
"""Unit, lower case → its dimension and how many of the dimension's base unit it is."""
