"""Another name in the place of one: of its own closed list, or of its own sort in the case."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from grounding.contract import Verdict
from grounding.language.grammar import AUXILIARIES, DETERMINERS, PREPOSITIONS, PRONOUNS, words_of
from grounding.language.kinds import SIDES
from grounding.language.words import MONTH_NUMBERS, STOP
from grounding.partners.kinds import Change, chosen

_NAME: Final = re.compile(
    r"(?<![\w'’.-])[A-Z][\w'’&-]*(?:(?: (?:of|de|van|von|the) (?=[A-Z])| )[A-Z][\w'’&-]*)*"
)
_LISTS: Final = tuple(
    tuple(listed.split(", "))
    for listed in (
        "Germany, France, Italy, Spain, Portugal, Poland, Austria, Switzerland, Belgium, Denmark,"
        " Sweden, Norway, Finland, Ireland, Greece, Hungary, Canada, Mexico, Brazil, Argentina,"
        " Chile,"
        " Japan, China, India, Australia, Egypt, Kenya, Nigeria, Turkey, Russia, Ukraine, Iran",
        "London, Paris, Berlin, Madrid, Rome, Vienna, Lisbon, Dublin, Oslo, Stockholm,"
        " Helsinki, Warsaw,"
        " Prague, Budapest, Athens, Tokyo, Beijing, Moscow, Chicago, Boston, Toronto, Sydney,"
        " Mumbai,"
        " Manchester, Liverpool, Barcelona, Munich, Hamburg, Milan, Amsterdam, Brussels,"
        " Los Angeles,"
        " New York, San Francisco, Philadelphia, Detroit, Seattle",
        "Texas, California, Florida, Ohio, Georgia, Virginia, Oregon, Nevada, Arizona, Michigan,"
        " Illinois, Pennsylvania, Tennessee, Kentucky, Colorado, Utah",
        "Google, Apple, Microsoft, Amazon, Facebook, Samsung, Sony, Nokia, IBM, Intel",
    )
)
_SORTS: Final = (
    ("person", r"\b(?:Mr|Mrs|Ms|Dr|Sir|Prof|President|Minister|Captain|King|Queen)\.? ?$", ""),
    ("school", "", r"(?:University|College|School|Institute|Academy)"),
    ("road", "", r"(?:Street|Road|Avenue|Lane|Square|Bridge)"),
    ("water", "", r"(?:River|Lake|Sea|Ocean|Bay)"),
    ("firm", "", r"(?:Inc|Ltd|Corporation|Company|Group|Records|Bank|Films|Pictures)"),
    ("place", r"\b(?:in|at|near|to|from) $", ""),
)


def names(text: str, there: str, seed: int) -> Iterator[Change]:
    """One change for each name of ``text`` that ``there`` has and another can stand for."""
    for start, end in _names(text):
        name = text[start:end]
        if not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", there):
            continue
        options = _of_its_list(name, text) or _of_its_sort(text, start, end, there)
        if options:
            new = chosen(options, seed, "name", text, start)
            why = f"It says {new} where the context says {name}."
            yield Change(start, end, new, Verdict.CONTRADICTORY, why, rests_on=name)


def _names(text: str) -> Iterator[tuple[int, int]]:
    for found in _NAME.finditer(text):
        start, end = found.span()
        words = found[0].split()
        if words[0].lower() in _COMMON:
            if len(words) == 1:
                continue
            start += len(words[0]) + 1
        elif len(words) == 1 and _opens(text, start) and not _named_elsewhere(text, start, end):
            continue
        end -= 2 * text[start:end].endswith(("'s", "’s"))
        if end - start > 2 and text[start:end].lower() not in MONTH_NUMBERS:
            yield start, end


def _opens(text: str, start: int) -> bool:
    return not text[:start].strip() or text[:start].rstrip()[-1:] in ".!?:"


def _named_elsewhere(text: str, start: int, end: int) -> bool:
    """A capital at the beginning tells nothing, unless the word is of a closed list."""
    name = text[start:end]
    return any(name in listed for listed in _LISTS) or name.lower() in _PEOPLES


_COMMON: Final = STOP | DETERMINERS | PRONOUNS | PREPOSITIONS | AUXILIARIES | {"no", "yes", "both"}


def _of_its_list(name: str, text: str) -> list[str]:
    listed = next((one for one in _LISTS if name in one), ())
    if listed:
        return [one for one in listed if one not in text]
    return [
        word.capitalize()
        for word, places in SIDES.items()
        if name.lower() in _PEOPLES and word in _PEOPLES and word != name.lower() and places
    ]


_PEOPLES: Final = frozenset(
    word
    for word, places in SIDES.items()
    if {g for g, _ in places} & {g for g, _ in SIDES["french"]}
)


def _of_its_sort(text: str, start: int, end: int, there: str) -> list[str]:
    """Other names of the context that stand as this one does, and in no word overlap it."""
    words = {word.low for word in words_of(text)}
    sort = _sort(text, start, end)
    length = len(text[start:end].split())
    found = {
        there[left:right]
        for left, right in _names(there)
        if _sort(there, left, right) == sort and len(there[left:right].split()) == length
    }
    alike = [one for one in sorted(found) if one.split()[0].lower() not in words]
    return alike if sort != "other" or length == 2 else []


def _sort(text: str, start: int, end: int) -> str:
    name, before = text[start:end], text[max(0, start - 12) : start]
    for sort, ahead, behind in _SORTS:
        if (ahead and re.search(ahead, before)) or (behind and re.search(rf"\b{behind}$", name)):
            return sort
    return "other"
