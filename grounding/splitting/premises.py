"""What a statement takes for granted, as proposals for whoever reads it. English.

An interpretation is not graded, but what it rests on is: *it is the best choice because it
costs least* is an opinion about something that can be checked. Only presuppositions that a
wording gives away are proposed; each is for a person to take, change or leave.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from grounding.language.grammar import DETERMINERS, PRONOUNS, is_finite, words_of
from grounding.language.markers import REASON


@dataclass(frozen=True, slots=True)
class ProposedPremise:
    """``text[start:end]`` of the statement where it stands there word for word, else no span.

    ``trigger`` is the wording that gives it away.
    """

    text: str
    span: tuple[int, int] | None
    trigger: str


_UP_TO_A_MARK: Final = r"(?P<premise>[^,;.!?]+)"
_THAT: Final = re.compile(
    r"\b(?P<trigger>(?:despite |given |due to |because of )?the fact that"
    r"|(?:know|knows|knew|realis\w+|realiz\w+|regret\w*|notic\w+|forget\w*|forgot|ignor\w+|discover\w*"
    r"|learn(?:s|ed|t)?|remember\w*|appreciat\w+)(?: the fact)? that"
    r"|(?:is|was|are|were|am|'s|seems) (?:\w+ly |very |so |quite )?"
    r"(?:good|great|bad|sad|glad|happy|sorry|pleased|proud|surpris\w+|odd|strange|unfortunate|lucky|impressive|worrying|encouraging|aware)"
    rf" that) {_UP_TO_A_MARK}",
    re.IGNORECASE,
)
_OWN: Final = re.compile(
    r"(?:^|(?P<given>\b(?:given|with|thanks to|due to|because of|considering) ))"
    r"(?P<owner>(?i:its|his|her|their|your|our)|(?:the |The )?[\w-]+(?: [\w-]+)?['’]s)"
    r" (?P<thing>[\w%$€£-]+(?: [\w%-]+){0,4}?)"
    r"(?P<after> (?:makes?|made|renders?|rendered|allows?) (?:it|him|her|them|this|that|you)\b"
    r"|,|[.!?]?$)",
    re.IGNORECASE,
)
_DESCRIBED: Final = re.compile(
    r"\b(?P<the>the) (?P<noun>[\w-]+(?: [\w-]+)?) (?P<trigger>that|which|who) "
    rf"{_UP_TO_A_MARK}",
    re.IGNORECASE,
)
_HAVE: Final = {
    "its": "It has", "his": "He has", "her": "She has", "their": "They have",
    "your": "You have", "our": "We have",
}  # fmt: skip
_UNCOUNTED: Final = re.compile(r"(?:s|ness|ity|ment|ance|ence|ing|ship|weather|life|money|time)$")


def premises(statement: str) -> tuple[ProposedPremise, ...]:
    """What ``statement`` presupposes, in the order of its wording, each once.

    Found by: a reason (*because*, *since*, *given that*, *now that*); *the fact that*, and verbs
    and adjectives of knowing and feeling with *that*; something owned that *makes* it so; a thing
    described by what it did. Empty where no wording gives anything away.
    """
    found = (one for rule in _RULES for one in rule(statement))
    ordered = sorted(found, key=lambda pair: pair[0])
    return tuple({premise.text.lower(): premise for _, premise in reversed(ordered)}.values())[::-1]


_Found = Iterator[tuple[int, ProposedPremise]]


def _reasons(statement: str) -> _Found:
    for found in REASON.finditer(statement):
        trigger = statement[found.start() : found.start("premise")].strip().lower()
        yield from _clause(statement, found, trigger)


def _facts(statement: str) -> _Found:
    for found in _THAT.finditer(statement):
        yield from _clause(statement, found, found["trigger"].lower())


def _clause(statement: str, found: re.Match[str], trigger: str) -> _Found:
    """The premise word for word, if it is a clause: a subject, then a verb."""
    text = found["premise"].rstrip()
    words = words_of(text)
    if len(words) < 2 or words[0].low[0].isdigit() or words[0].low == "of":
        return
    if words[0].low in PRONOUNS or any(is_finite(word.low) for word in words[1:]):
        start = found.start("premise")
        yield start, ProposedPremise(text, (start, start + len(text)), trigger)


def _owned(statement: str) -> _Found:
    for found in _OWN.finditer(statement):
        opens = found["given"] is not None
        if opens == (found["after"].strip() in ("", ".", "!", "?", ",")) and found["thing"]:
            owner, thing = found["owner"], found["thing"]
            trigger = (found["given"] or found["after"]).strip().lower()
            text = f"{_holder(owner)} {_with_article(thing)}."
            yield found.start("owner"), ProposedPremise(text, None, trigger)


def _holder(owner: str) -> str:
    known = _HAVE.get(owner.lower())
    return known or f"{owner[0].upper()}{owner[1:-2]} has"


def _with_article(thing: str) -> str:
    first, last = thing.split()[0], thing.split()[-1]
    if first[0].isdigit() or first.lower() in DETERMINERS or _UNCOUNTED.search(last):
        return thing
    return f"{'an' if first[0].lower() in 'aeiou' else 'a'} {thing}"


def _described(statement: str) -> _Found:
    for found in _DESCRIBED.finditer(statement):
        said, noun = found["premise"].rstrip(), found["noun"]
        verb = words_of(said)[0].low if said else ""
        # "The fact that" is another rule's; "that it is" has a subject of its own.
        if noun.split()[-1].lower() == "fact" or verb in PRONOUNS or not is_finite(verb):
            continue
        yield found.start(), ProposedPremise(f"The {noun} {said}.", None, found["trigger"].lower())


_RULES: Final[tuple[Callable[[str], _Found], ...]] = (_reasons, _facts, _owned, _described)
