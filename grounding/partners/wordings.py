"""Negation, quantifiers, hedges and causes, changed in the wording of one sentence. English."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from grounding.contract import Verdict
from grounding.language.grammar import (
    AUXILIARIES,
    BE,
    HAVE,
    MODALS,
    SUBORDINATORS,
    is_ed,
    is_surely_finite,
)
from grounding.language.grammar import PAST_OR_PARTICIPLE as PARTICIPLES
from grounding.language.markers import BACKWARD, FORWARD
from grounding.partners.kinds import Change, chosen
from grounding.partners.verbs import base_of
from grounding.splitting import Qualifier, QualifierKind, qualifiers
from grounding.splitting.cutting import verb_of
from grounding.splitting.qualifiers import direction
from grounding.splitting.stretches import Clause

Found = Iterator[Change]

_NOT: Final = re.compile(
    r"\b(?:(?P<aux>is|are|was|were|has|have|had|can|will|may|would|could) not"
    r"|(?P<joined>can)not)\b|\b(?P<short>is|are|was|were|has|have|had)n['’]t\b"
)
_AFTER_HAVE: Final = frozenset(
    (
        "been",
        "become",
        "gone",
        "taken",
        "given",
        "seen",
        "written",
        "grown",
        "fallen",
        "risen",
        "come",
        "run",
        "shown",
        "known",
        "begun",
        "done",
    )
)
_BETWEEN: Final = frozenset(("even", "also", "already", "always", "just", "long", "since", "now"))
_WIDER: Final = {
    "some": ("all",), "several": ("all",), "many": ("all",), "most": ("all",),
    "usually": ("always",), "often": ("always",), "sometimes": ("always",),
    "generally": ("always",), "typically": ("always",), "frequently": ("always",),
    "mostly": ("entirely",),
    "mainly": ("only",), "largely": ("entirely",), "primarily": ("only",), "partly": ("entirely",),
    "occasionally": ("often",), "rarely": ("often",), "seldom": ("often",), "few": ("many", "most"),
}  # fmt: skip
_NARROWER: Final = {
    "all": ("some", "most"), "every": ("almost every",), "always": ("often", "sometimes"),
    "everyone": ("almost everyone",), "everybody": ("almost everybody",), "most": ("some",),
    "many": ("a few",), "entirely": ("partly",), "only": ("mainly",),
}  # fmt: skip
_OPPOSITE: Final = {"all": "no", "every": "no", "always": "never", "many": "few", "few": "many"}
_SURE_ADVERBS: Final = frozenset(
    [
        "reportedly",
        "allegedly",
        "possibly",
        "probably",
        "perhaps",
        "maybe",
        "apparently",
        "presumably",
        "potentially",
    ]
)
_EXPECTED: Final = re.compile(
    r"\b(?:is|are) (?:expected|planned|scheduled|likely|proposed) to\b"
    r"|\b(?P<seems>seems|appears|(?:is|are) (?:believed|estimated|thought)) to be\b"
)
_CAUSED: Final = re.compile(
    r" (?P<mark>caused|causes|led to|leads to|resulted in|results in|triggered) "
)
_BECAUSE: Final = re.compile(r",? because (?!of\b)")
# A year after is no cause, nor is what somebody is named after.
_AFTER: Final = re.compile(
    r"(?<!year)(?<!years)(?<!months)(?<!month)(?<!weeks)(?<!week)(?<!days)(?<!day)(?<!hours)"
    r"(?<!named)(?<!soon)(?<!shortly)(?P<mark>,? after )(?=\S)"
)
_INSERTED: Final = ("reportedly", "allegedly", "possibly")


def negations(text: str, there: str, seed: int) -> Found:
    """The sentence denied; or, where it denies, said plainly."""
    found = _NOT.search(text)
    if found:
        plain = found["aux"] or found["joined"] or found["short"]
        yield Change(
            *found.span(), plain, Verdict.CONTRADICTORY, "It says what the context denies."
        )
        return
    if any(one.kind is QualifierKind.NEGATION for one in qualifiers(text)):
        return
    change = _denied(Clause(text, 0, len(text)))
    if change is not None:
        start, end, new = change
        yield Change(start, end, new, Verdict.CONTRADICTORY, "It denies what the context says.")


def _denied(clause: Clause) -> tuple[int, int, str] | None:
    at = _verb(clause)
    if at is None:
        return None
    word = clause.words[at]
    written = clause.text[word.start : word.end]
    helps = word.low in BE | MODALS or word.low in ("did", "does", "do")
    if helps or (word.low in HAVE and _helps(clause, at + 1)):
        return word.start, word.end, "cannot" if word.low == "can" else f"{written} not"
    if word.low in HAVE:
        flat = {"has": "does not have", "have": "do not have", "had": "did not have"}
        return word.start, word.end, flat[word.low]
    base = base_of(word.low) if word.low not in AUXILIARIES else None
    if base is None:
        return None
    return word.start, word.end, f"{'does' if word.low.endswith('s') else 'did'} not {base}"


def _helps(clause: Clause, at: int) -> bool:
    """Whether a participle follows *has*, perhaps behind an adverb."""
    after = clause.low(at)
    if after in _BETWEEN or after.endswith("ly"):
        after = clause.low(at + 1)
    return after in PARTICIPLES | _AFTER_HAVE or is_ed(after)


def _verb(clause: Clause) -> int | None:
    """The verb of the sentence, where it cannot be a participle before another one."""
    at = verb_of(clause, 0, clause.last)
    if at is None or is_surely_finite(clause.low(at)):
        return at
    for place in range(at + 1, clause.last):
        low = clause.low(place)
        if low in SUBORDINATORS or low in (",", ";"):
            break
        if is_surely_finite(low):
            return None
    return at


def quantifiers(text: str, there: str, seed: int) -> Found:
    """More than the context says: *some* to *all*; or the reverse of it: *all* to *no*."""
    for one in _of_kind(text, QualifierKind.QUANTIFIER):
        word = one.text.lower()
        if not re.search(rf"\b{re.escape(word)}\b", there, re.IGNORECASE):
            continue
        if word in _OPPOSITE and not _of_the(text, one) and not text[: one.start].endswith(" a "):
            new = _cased(_OPPOSITE[word], one.text)
            why = f"It says {new.lower()} where the context says {word}."
            yield Change(one.start, one.end, new, Verdict.CONTRADICTORY, why, rests_on=word)
        elif word in _WIDER:
            new = _cased(chosen(_WIDER[word], seed, "wider", text), one.text)
            why = f"The context says {word}, not {new.lower()}."
            yield Change(one.start, one.end, new, Verdict.UNSUPPORTED, why, rests_on=word)


def weakened(text: str, there: str, seed: int) -> Found:
    """Less than a statement says, for a passage: *all* to *most*."""
    for one in _of_kind(text, QualifierKind.QUANTIFIER):
        word = one.text.lower()
        before, after = text[: one.start].rstrip().lower(), text[one.end :].lstrip()
        near = before.endswith(("almost", "nearly", "not"))
        if word in _NARROWER and not (near or (word == "only" and after[:1].isdigit())):
            new = _cased(chosen(_NARROWER[word], seed, "narrower", text), one.text)
            why = f"The context now says {new.lower()}, not {word}."
            yield Change(one.start, one.end, new, Verdict.UNSUPPORTED, why, rests_on=word)


def _of_the(text: str, one: Qualifier) -> bool:
    """*All of the*, *all but one*: *no* does not fit there."""
    return bool(re.match(r" (?:of|but|the|these|those|his|her|its|their)\b", text[one.end :]))


def hedges(text: str, there: str, seed: int) -> Found:
    """A reservation taken away that the context makes as well."""
    if not any(_reserves(one) for one in qualifiers(there)):
        return
    for one in qualifiers(text):
        if _reserves(one):
            change = _flat(text, one)
            if change is not None:
                start, end, new = change
                why = f"The context says it with a reservation, which “{one.text}” was."
                yield Change(start, end, new, Verdict.UNSUPPORTED, why, rests_on="")


def _reserves(one: Qualifier) -> bool:
    near = one.kind is QualifierKind.BOUND and direction(one) == "near"
    return near or (one.kind is QualifierKind.HEDGE and one.text.lower() != "can")


def _flat(text: str, one: Qualifier) -> tuple[int, int, str] | None:
    """The stretch with the reservation, and the same without."""
    word = one.text.lower()
    wider = _EXPECTED.search(text)
    if wider and wider.start() <= one.start < wider.end():
        seems = wider["seems"]
        return *wider.span(), ("are" if seems.startswith("are") else "is") if seems else "will"
    if word in ("may", "might", "could"):
        return _without_modal(text, one)
    if word in ("about", "around", "approximately", "roughly", "nearly", "almost"):
        return one.start, one.end, _cased("exactly", one.text)
    return _without_adverb(text, one) if word in _SURE_ADVERBS else None


def _without_modal(text: str, one: Qualifier) -> tuple[int, int, str] | None:
    behind = re.match(r" (?P<verb>have|be)\b", text[one.end :])
    if behind is None:
        return (one.start, one.end, "will") if text[one.end : one.end + 1] == " " else None
    before = re.search(r"([\w'’-]+) $", text[: one.start])
    if before is None:
        return None
    subject = before[1].lower()
    many = subject in ("they", "we", "you") or (
        subject.endswith("s") and subject not in ("this", "his")
    )
    verbs = {"have": ("has", "have"), "be": ("is", "are")}[behind["verb"]]
    return one.start, one.end + behind.end(), verbs[many]


def _without_adverb(text: str, one: Qualifier) -> tuple[int, int, str]:
    if one.start == 0:
        rest = re.match(r",? *", text[one.end :])
        end = one.end + (rest.end() if rest else 0)
        return 0, end + 1, text[end : end + 1].upper()
    return one.start - (text[one.start - 1] == " "), one.end, ""


def hedged(text: str, there: str, seed: int) -> Found:
    """A reservation put in, for a passage that a flat statement rests on."""
    if any(_reserves(one) for one in (*qualifiers(text), *qualifiers(there))):
        return
    clause = Clause(text, 0, len(text))
    at = _verb(clause)
    if at is None or any(one.kind is QualifierKind.NEGATION for one in qualifiers(text)):
        return
    word = clause.words[at]
    new = chosen(_INSERTED, seed, "hedge", text)
    place = word.end if word.low in BE | MODALS else word.start
    said = f" {new}" if place == word.end else f"{new} "
    why = f"The context now says it with a reservation: {new}."
    yield Change(place, place, said, Verdict.UNSUPPORTED, why)


def causes(text: str, there: str, seed: int) -> Found:
    """Cause and effect in each other's place; or *after* taken for *because*."""
    yield from turned(text, there, seed)
    found = _AFTER.search(text)
    if not found or BACKWARD.search(there) or FORWARD.search(there):
        return
    if _is_clause(text[found.end() :]) and _is_clause(text[: found.start()]):
        why = "The context says what came first, not what caused it."
        yield Change(*found.span("mark"), " because ", Verdict.UNSUPPORTED, why)


def turned(text: str, there: str, seed: int) -> Found:
    """Cause and effect in each other's place."""
    new = _turned(text, there)
    if new is not None and new != text:
        yield Change(0, len(text), new, Verdict.CONTRADICTORY, "It turns cause and effect round.")


def turned_there(text: str, statement: str, seed: int) -> Found:
    """The same for a passage, under a statement that names a cause."""
    if BACKWARD.search(statement) or FORWARD.search(statement):
        for one in turned(text, statement, seed):
            yield replace(one, why="The context now turns cause and effect round.")


def _turned(text: str, there: str) -> str | None:
    body, mark = (text[:-1], text[-1]) if text[-1:] in ".!" else (text, "")
    because = _BECAUSE.split(body)
    if len(because) == 2 and all(map(_is_clause, because)):
        return f"{_opening(because[1])} because {_inside(because[0], there)}{mark}"
    found = _CAUSED.search(body)
    if found is None:
        return None
    cause, effect = body[: found.start()], body[found.end() :]
    if _is_noun(cause) and _is_noun(effect):
        return f"{_opening(effect)} {found['mark']} {_inside(cause, there)}{mark}"
    return None


def _is_clause(text: str) -> bool:
    plain = text.strip(" .,")
    clause = Clause(plain, 0, len(plain))
    opened = plain[:1].upper() + plain[1:]
    return "," not in plain and verb_of(Clause(opened, 0, len(opened)), 0, clause.last) is not None


def _is_noun(text: str) -> bool:
    """A short phrase without a verb, a mark or a clause of its own."""
    plain = text.strip()
    clause = Clause(plain, 0, len(plain))
    words = [word.low for word in clause.words]
    if not 1 <= len(words) <= 9 or not all(word.is_word for word in clause.words):
        return False
    verbal = AUXILIARIES | {"that", "which", "who", "when", "if", "it", "he", "she", "they", "this"}
    return not any(word in verbal for word in words)


def _opening(text: str) -> str:
    return text[:1].upper() + text[1:]


def _inside(text: str, there: str) -> str:
    """As it stands inside a sentence: without its capital, unless that is a name's."""
    first, _, rest = text.partition(" ")
    named = re.search(rf"[\w,] {re.escape(first)}\b", there)
    return text if named or first == "I" or rest[:1].isupper() else text[:1].lower() + text[1:]


def _of_kind(text: str, kind: QualifierKind) -> list[Qualifier]:
    return [one for one in qualifiers(text) if one.kind is kind]


def _cased(new: str, old: str) -> str:
    return new.capitalize() if old[:1].isupper() else new
