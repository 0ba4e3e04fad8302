"""The choices on the desk, each with what the contract says of it.

The page, its style sheet and its script learn from here which verdicts go with
which class; none of them knows the contract itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from grounding.contract import (
    CONTRACT,
    VALID_VERDICTS,
    ClaimClass,
    ClaimType,
    SpeechAct,
    Verdict,
)
from labeling.desk.deskforms import JudgedForm, LabelForm

HINTS: Final = {
    ClaimClass.SUBJECT_SPECIFIC: "About this subject. Only the passages shown can bear it out.",
    ClaimClass.EXTERNAL: "True or false in general. An approved source must bear it out.",
    ClaimClass.INTERPRETATION: "A view, advice or courtesy. It is not graded.",
    Verdict.SUPPORTED: "What is cited says so, qualifiers and all.",
    Verdict.UNSUPPORTED: "Nothing that may be cited says so, or only in part.",
    Verdict.CONTRADICTORY: "What may be cited says otherwise.",
    Verdict.NOT_APPLICABLE: "For interpretations alone.",
}

# A digit for the class and, under it where most keyboards have them, a letter for the verdict:
# one hand chooses while the other walks through the sentences.
KEYS: Final = dict(zip([*ClaimClass, *Verdict], "123qwer", strict=True))


@dataclass(frozen=True)
class Option:
    """One choice. ``tied`` lists words of another field: for a class the verdicts that it
    takes, for a verdict the classes that forbid it, for a speech act the class it belongs to."""

    value: str
    checked: bool
    hint: str = ""
    tied: str = ""
    key: str = ""


@dataclass(frozen=True)
class Options:
    classes: tuple[Option, ...]
    verdicts: tuple[Option, ...]
    claim_types: tuple[Option, ...] = ()
    speech_acts: tuple[Option, ...] = ()


def of(form: LabelForm) -> Options:
    """Every choice of the desk, with what stands on ``form`` checked."""
    return Options(
        classes=_options(form, "claim_class", ClaimClass),
        verdicts=_options(form, "verdict", Verdict),
        claim_types=_options(form, "claim_type", ClaimType),
        speech_acts=_options(form, "speech_act", SpeechAct),
    )


def of_part(form: JudgedForm) -> Options:
    """The choices of a part, which is an assertion of no stated type."""
    return Options(
        classes=_options(form, "claim_class", ClaimClass),
        verdicts=_options(form, "verdict", Verdict),
    )


def _options(form: JudgedForm, field: str, words: Iterable[StrEnum]) -> tuple[Option, ...]:
    stated = form[field].value()
    return tuple(
        Option(
            value=word.value,
            checked=word.value == stated,
            hint=HINTS.get(word, ""),
            tied=_tied(word),
            key=KEYS.get(word, ""),
        )
        for word in words
    )


def _tied(word: StrEnum) -> str:
    if isinstance(word, ClaimClass):
        return " ".join(VALID_VERDICTS[word])
    if isinstance(word, Verdict):
        return " ".join(name for name, takes in VALID_VERDICTS.items() if word not in takes)
    if isinstance(word, SpeechAct):
        return CONTRACT.speech_acts[word].claim_class or ""
    return ""
