"""The three sentences that a lead needs: how often, in which direction, how sure.

They are made in pieces, so that a page can let each number lead to what it counts: the figures
of `calibration.readings.behind` carry the links. Files print the pieces joined.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from calibration.wording.numbers import (
    Figure,
    Sentence,
    counted,
    counted_in,
    decimal,
    decimal_interval,
    percent_interval,
    read,
    share_in,
    words,
)

Figures = Mapping[str, Any]

_TIERS: Final = ("adjudicated", "consensus", "single", "author")
_TIER_WORDS: Final = {
    "adjudicated": "adjudicated",
    "consensus": "by consensus of blind labels",
    "single": "of a single blind label",
    "author": "of the author's expectation alone",
}

_ASKED_FOR: Final = {
    "adjudicated": "an adjudicated reference",
    "consensus": "a reference by consensus or above",
    "single": "a reference by a blind label or above",
    "author": "a reference",
}
NOT_TOGETHER: Final = "class and verdict are not measured together"

AUTHOR_ALONE: Final = (
    "No human label stands behind these figures: every reference is the author's own expectation."
)


def author_alone(reference: Figures) -> bool:
    """Whether all references that were taken are the author's expectation."""
    tiers = reference["tiers"]
    labelled = any(tiers[tier] for tier in _TIERS if tier != "author")
    return bool(tiers["author"]) and reference["minimum"] == "author" and not labelled


def sentences(figures: Figures) -> tuple[str, ...]:
    """For one report's figures; whoever shows a report opens with these."""
    return tuple(map(read, in_pieces(figures)))


def in_pieces(figures: Figures, places: int = 4) -> tuple[Sentence, ...]:
    """`sentences`, with ``places`` decimals where a number has many."""
    return _how_often(figures), _in_which_direction(figures), _how_sure(figures, places)


def _how_often(figures: Figures) -> Sentence:
    verdict, floor = figures["verdict"], figures["floor"]["always_majority"]
    if not verdict["n"]:
        return _nothing_compared(figures)
    commonest = max(figures["by_verdict"], key=lambda name: figures["by_verdict"][name]["n"])
    return [
        f"{_name(figures)} gives the reference's verdict on ",
        *share_in(verdict, "compared statement" if verdict["n"] == 1 else "compared statements"),
        f", where always answering “{words(commonest)}” would give ",
        *share_in(floor),
        *_both(figures),
        ".",
    ]


def _nothing_compared(figures: Figures) -> Sentence:
    graded = counted_in(
        figures["outcomes"]["graded"],
        "graded statement",
        "graded statements",
        behind_of(figures, "graded"),
    )
    reference = figures["reference"]
    minimum = reference["minimum"]
    below = _TIERS[_TIERS.index(minimum) + 1 :]
    lower = sum(reference["tiers"][tier] for tier in below)
    rest = counted(lower, "statement has", "statements have") + " one of a lower tier"
    return [
        "Nothing could be compared: of ",
        *graded,
        f" none has {_ASKED_FOR[minimum]}{f'; {rest}' if lower else ''}.",
    ]


def _both(figures: Figures) -> Sentence:
    why = classless(figures)
    if why:
        return [f"; {why}, so {NOT_TOGETHER}"]
    return ["; class and verdict both: ", *share_in(figures["overall"])]


def classless(figures: Figures) -> str | None:
    """Why class and verdict cannot be measured together, where verdicts are compared and no class
    is."""
    compared = figures["compared"]
    if not compared or figures["overall"]["n"]:
        return None
    if figures["class_not_labelled"] == compared:
        return "no reference states a class"
    if figures["class_not_judged"] == compared:
        return "the judge states no class"
    return "on no statement do reference and judge both state a class"


def _in_which_direction(figures: Figures) -> Sentence:
    lenient, strict, escaped = (figures[name] for name in ("lenient", "strict", "class_escape"))
    if not figures["verdict"]["n"]:
        return ["Its direction cannot be told."]
    escapes = [
        "; subject-specific statements classed so that they escape attribution: ",
        *share_in(escaped),
    ]
    return [
        f"{_leaning(lenient, strict)}. Failing statements passed as supported: ",
        *share_in(lenient),
        "; supported statements refused: ",
        *share_in(strict),
        *([] if classless(figures) else escapes),
        ".",
    ]


def _leaning(lenient: Figures, strict: Figures) -> str:
    """Lenient or strict only where the two intervals do not overlap."""
    if lenient["rate"] is None or strict["rate"] is None:
        return "Its direction cannot be told"
    if not lenient["count"] and not strict["count"]:
        return "It errs neither way"
    if lenient["interval"][0] > strict["interval"][1]:
        return "It errs towards leniency"
    if strict["interval"][0] > lenient["interval"][1]:
        return "It errs towards strictness"
    return "It leans in no clear direction"


def _how_sure(figures: Figures, places: int) -> Sentence:
    kappa = figures["kappa"]["verdict"]
    if not figures["verdict"]["n"]:
        return ["So agreement has no interval, and there is no kappa; ", *_ran(figures)]
    return [
        "The 95% interval of verdict agreement is ",
        Figure(percent_interval(figures["verdict"])),
        ", Cohen's kappa is ",
        Figure(decimal(kappa["value"], places)),
        f" ({decimal_interval(kappa, places)}), and the references are ",
        *references(figures),
        "; ",
        *_ran(figures),
    ]


def _ran(figures: Figures) -> Sentence:
    outcomes = figures["outcomes"]
    failed = outcomes["planned"] - outcomes["graded"]
    return [
        f"the run is {figures['run']['status']}, with ",
        *counted_in(failed, "failure", "failures", behind_of(figures, "failed")),
        " among ",
        *counted_in(
            outcomes["planned"],
            "planned judgment",
            "planned judgments",
            behind_of(figures, "planned"),
        ),
        ".",
    ]


def references(figures: Figures) -> Sentence:
    """The tiers that were taken, each with its count."""
    reference = figures["reference"]
    taken = _TIERS[: list(_TIERS).index(reference["minimum"]) + 1]
    counts = {tier: n for tier in taken if (n := reference["tiers"][tier])}
    pieces: Sentence = []
    for tier, n in counts.items():
        pieces += [", "] if pieces else []
        pieces += [Figure(f"{n:,}", behind_of(figures, tier)), f" {_TIER_WORDS[tier]}"]
    return pieces or ["none"]


def behind_of(figures: Figures, name: str) -> str | None:
    """Where what is counted under ``name`` is listed; None in figures without links."""
    found: str | None = figures.get("behind", {}).get(name)
    return found


def _name(figures: Figures) -> str:
    return f"{figures['rubric']['name']}@{figures['rubric']['version']}"
