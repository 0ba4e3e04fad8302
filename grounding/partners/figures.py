"""Other numbers, dates and units in the place of those that stand there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from grounding.contract import Verdict
from grounding.language.words import MONTHS, NUMBER_WORDS, ORDINALS
from grounding.partners.kinds import Change, chosen
from grounding.splitting import QualifierKind, qualifiers
from grounding.splitting.qualifiers import direction

_FIGURE: Final = re.compile(
    r"(?<![\w.,:/-])(?P<value>\d+(?:,\d{3})*(?:\.\d+)?)(?![\w:/]|[.,]\d|-\w)"
)
_YEAR: Final = re.compile(
    r"(?<![\w.,$€£:/-])(?P<value>1[5-9]\d\d|20\d\d|(?<=\bin )1[0-4]\d\d)(?![\w:/%]|[.,]\d|-\w)"
)
_SPELLED: Final = re.compile(
    r"\b(?P<value>" + "|".join([*list(NUMBER_WORDS)[2:13], *list(ORDINALS)[:6]]) + r")\b(?!-)",
    re.IGNORECASE,
)
_MONTH: Final = re.compile(rf"\b(?P<value>{'|'.join(one.capitalize() for one in MONTHS)})\b")
_NO_MONTH: Final = re.compile(r"(?:\A|[.!?] )(?:May|March)\b (?!\d)|\b[Mm]ay (?:be|have|not)\b")
_DAY: Final = re.compile(
    rf"\b(?P<value>[12]?\d|3[01])(?:st|nd|rd|th)? (?=(?:of )?(?:{'|'.join(MONTHS)})\b)"
    rf"|\b(?:{'|'.join(MONTHS)}) (?P<after>[12]?\d|3[01])(?![\d:]|,\d)",
    re.IGNORECASE,
)
_WEEKDAYS: Final = (
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
)  # fmt: skip
_WEEKDAY: Final = re.compile(rf"\b(?P<value>{'|'.join(_WEEKDAYS)})\b", re.IGNORECASE)
_AMOUNT: Final = rf"(?:\d|\b(?:{'|'.join(NUMBER_WORDS)}|half|million|thousand|billion|an?|hundred))"
_OTHER_UNITS: Final = {
    "metres": "kilometres feet", "meters": "kilometers feet", "metre": "kilometre",
    "kilometres": "metres miles", "kilometers": "meters miles", "km": "m miles", "cm": "mm m",
    "mm": "cm", "miles": "kilometres yards", "mile": "kilometre", "feet": "metres yards",
    "inches": "feet centimetres", "grams": "kilograms milligrams", "mg": "g", "kg": "g tonnes",
    "kilograms": "grams tonnes", "pounds": "euros dollars", "tonnes": "kilograms",
    "tons": "kilograms",
    "seconds": "minutes", "minutes": "hours seconds", "minute": "hour", "hours": "minutes days",
    "hour": "minute", "days": "weeks hours", "day": "week", "weeks": "days months", "week": "month",
    "months": "weeks years", "month": "year", "years": "months decades", "year": "month",
    "decades": "years", "centuries": "decades", "litres": "gallons millilitres",
    "liters": "gallons milliliters", "gallons": "litres", "kb": "MB", "mb": "GB", "gb": "MB TB",
    "tb": "GB", "euros": "dollars pounds", "dollars": "euros pounds", "euro": "dollar",
    "dollar": "euro", "cents": "dollars", "thousand": "million", "million": "billion thousand",
    "billion": "million", "hectares": "acres", "acres": "hectares", "celsius": "Fahrenheit",
    "watts": "kilowatts", "kilowatts": "watts",
}  # fmt: skip
_UNIT: Final = re.compile(
    rf"(?<![\d,.]){_AMOUNT}[\d,.]*\s(?P<value>{'|'.join(_OTHER_UNITS)})\b", re.IGNORECASE
)
# Over a mile is over a kilometre, too.
_OPEN: Final = re.compile(
    r"\b(?:over|above|more than|at least|up to|at most|under|less than|no more than)\s$",
    re.IGNORECASE,
)
_SIGNS: Final = {"$": "€", "€": "$", "£": "$"}
_SIGN: Final = re.compile(r"(?P<value>[$€£])(?=\s?\d)")

# A number that says which one, not how many: another one is another thing.
_NAMING: Final = re.compile(
    r"\b(?:article|batch|case|chapter|flight|gate|invoice|line|lot|no\.|number|order|platform|pump"
    r"|room|route|rule|section|shelf|valve|version|ward)\s$",
    re.IGNORECASE,
)

LONGEST: Final = 15
"""Digits of a number that is still one to be changed."""

Found = Iterator[Change]


def numbers(text: str, there: str, seed: int) -> Found:
    """Another count, amount or share, near the one that stands there."""
    bounded = _bounded(text)
    taken = _figures_of(text + "\n" + there)
    dates = {at for found in (*_years(text), *_days(text)) for at in range(*found)}
    for found in _FIGURE.finditer(text):
        if len(found["value"]) > LONGEST or found.start() in dates or found.start() in bounded:
            continue
        options = [one for one in _near(found["value"], text, found.end()) if one not in taken]
        if options:
            new = chosen(options, seed, "number", text, found.start())
            yield _other(text, found.start(), found.end(), new)
    for found in _SPELLED.finditer(text):
        if found.start() not in bounded and found["value"].lower() != "second":
            yield from _spelled(text, there, found, seed)


def _bounded(text: str) -> frozenset[int]:
    """Where numbers begin that a bound opens to one side: *at least 3* holds of 4, too."""
    found: set[int] = set()
    for one in qualifiers(text):
        if one.kind is QualifierKind.BOUND and direction(one) != "near":
            end = one.end + 1 if not one.text.lower().startswith("or ") else one.start
            found.update(range(one.end, end + 1))
            if one.text.lower().startswith("or "):
                found.update(range(max(0, one.start - 12), one.start))
    return frozenset(found)


def _figures_of(text: str) -> frozenset[str]:
    """Every run of digits, as written and without its commas."""
    runs = re.findall(r"\d[\d,]*(?:\.\d+)?", text)
    return frozenset(runs) | frozenset(run.replace(",", "") for run in runs)


def _near(written: str, text: str, end: int) -> list[str]:
    """Numbers of the same look, close enough to be mistaken for it."""
    whole, _, part = written.partition(".")
    value = int(whole.replace(",", ""))
    if part:
        scale = 10 ** len(part)
        value = value * scale + int(part)
    steps = _steps(value)
    share = re.match(r"\s?(?:%|per ?cent)", text[end:])
    most = 100 * 10 ** len(part) if share and value <= 100 * 10 ** len(part) else None
    near = [one for one in steps if one > 0 and one != value and (most is None or one <= most)]
    return [_like(one, written, len(part)) for one in near]


def _steps(value: int) -> list[int]:
    if value < 10:
        return [value + 1, value + 2, value - 1, value + 3]
    digits = str(value)
    ends = len(digits) - len(digits.rstrip("0"))
    unit = 10**ends if ends else 10 ** max(0, len(digits) - 2)
    turned = int(digits[1] + digits[0] + digits[2:]) if digits[1] != "0" else value
    return [value + unit, value - unit, value + 2 * unit, turned]


def _like(value: int, written: str, places: int) -> str:
    scale = 10**places
    whole, part = divmod(value, scale)
    said = f"{whole:,}" if "," in written else str(whole)
    return f"{said}.{part:0{places}d}" if places else said


def _spelled(text: str, there: str, found: re.Match[str], seed: int) -> Found:
    written = found["value"]
    listed = list(NUMBER_WORDS)[2:13] if written.lower() in NUMBER_WORDS else list(ORDINALS)[:6]
    at = listed.index(written.lower())
    said = f"{text} {there}".lower()
    near = [one for one in listed[max(0, at - 3) : at + 4] if f" {one}" not in f" {said}"]
    if near:
        new = chosen(near, seed, "spelled", text, found.start())
        new = new.capitalize() if written[0].isupper() else new
        yield _other(text, found.start(), found.end(), new)


def dates(text: str, there: str, seed: int) -> Found:
    """Another year, month, day of a month or day of the week."""
    taken = _figures_of(text + "\n" + there)
    for found in _YEAR.finditer(text):
        year = int(found["value"])
        options = [str(year + step) for step in (-3, -2, -1, 1, 2, 3, 10)]
        yield from _dated(text, found.span(), [one for one in options if one not in taken], seed)
    for start, end in _days(text):
        day = int(text[start:end])
        near = [str(one) for one in range(max(1, day - 5), min(28, day + 5) + 1)]
        yield from _dated(text, (start, end), [one for one in near if one not in taken], seed)
    said = f"{text} {there}".lower()
    for found in _MONTH.finditer(text):
        if not _NO_MONTH.match(text, max(0, found.start() - 2)):
            names = [one.capitalize() for one in MONTHS if one not in said]
            yield from _dated(text, found.span(), names, seed)
    for found in _WEEKDAY.finditer(text):
        names = [one for one in _WEEKDAYS if one.lower() not in said]
        yield from _dated(text, found.span(), names, seed)


def _years(text: str) -> list[tuple[int, int]]:
    return [found.span() for found in _YEAR.finditer(text)]


def _days(text: str) -> list[tuple[int, int]]:
    groups = ((found, "value" if found["value"] else "after") for found in _DAY.finditer(text))
    return [found.span(name) for found, name in groups]


def _dated(text: str, span: tuple[int, int], options: Sequence[str], seed: int) -> Found:
    options = [one for one in options if one.lower() != text[slice(*span)].lower()]
    if options:
        new = chosen(options, seed, "date", text, span[0])
        yield _other(text, *span, new if text[span[0]].isupper() else new.lower())


def units(text: str, there: str, seed: int) -> Found:
    """The same figure in another unit, scale or currency."""
    for found in _UNIT.finditer(text):
        if _OPEN.search(text[: found.start()]):
            continue
        written = found["value"]
        options = _OTHER_UNITS[written.lower()].split()
        options = [one for one in options if one.lower() not in there.lower()]
        if options:
            new = chosen(options, seed, "unit", text, found.start())
            start, end = found.span("value")
            yield _other(text, start, end, new)
    for found in _SIGN.finditer(text):
        new = _SIGNS[found["value"]]
        if new not in there:
            yield _other(text, found.start(), found.end(), new)


def _other(text: str, start: int, end: int, new: str) -> Change:
    old = text[start:end]
    if _NAMING.search(text[:start]):
        why = f"The context says it of {old}, and nothing of {new}."
        return Change(start, end, new, Verdict.UNSUPPORTED, why, rests_on=old)
    why = f"It says {new} where the context says {old}."
    return Change(start, end, new, Verdict.CONTRADICTORY, why, rests_on=old)
