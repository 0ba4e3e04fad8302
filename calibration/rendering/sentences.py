"""The three sentences that a lead needs: how often, in which direction, how sure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from calibration.rendering.numbers import (
    counted,
    decimal,
    decimal_interval,
    percent_interval,
    share_of,
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


AUTHOR_ALONE: Final = (
    "No human label stands behind these figures: every reference is the author's own expectation."
)


def author_alone(reference: Figures) -> bool:
    """Whether all references that were taken are the author's expectation."""
    tiers = reference["tiers"]
    labelled = any(tiers[tier] for tier in _TIERS if tier != "author")
    return bool(tiers["author"]) and reference["minimum"] == "author" and not labelled


def sentences(figures: Figures) -> tuple[str, str, str]:
    """For one report's figures; whoever shows a report opens with these."""
    return _how_often(figures), _in_which_direction(figures), _how_sure(figures)


def _how_often(figures: Figures) -> str:
    verdict, floor = figures["verdict"], figures["floor"]["always_majority"]
    if not verdict["n"]:
        graded = counted(figures["outcomes"]["graded"], "graded statement", "graded statements")
        return f"Nothing could be compared: of {graded} none has a reference."
    commonest = max(figures["by_verdict"], key=lambda name: figures["by_verdict"][name]["n"])
    return (
        f"{_name(figures)} gives the reference's verdict on "
        f"{share_of(verdict, 'compared statements')}, where always answering "
        f"“{words(commonest)}” would give {share_of(floor)}; "
        f"class and verdict both: {share_of(figures['overall'])}."
    )


def _in_which_direction(figures: Figures) -> str:
    lenient, strict, escaped = (figures[name] for name in ("lenient", "strict", "class_escape"))
    return (
        f"{_leaning(lenient, strict)}. Failing statements passed as supported: "
        f"{share_of(lenient)}; supported statements refused: {share_of(strict)}; "
        f"subject-specific statements classed so that they escape attribution: "
        f"{share_of(escaped)}."
    )


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


def _how_sure(figures: Figures) -> str:
    kappa, outcomes = figures["kappa"]["verdict"], figures["outcomes"]
    failed = counted(outcomes["planned"] - outcomes["graded"], "failure", "failures")
    return (
        f"The 95% interval of verdict agreement is {percent_interval(figures['verdict'])}, Cohen's "
        f"kappa is {decimal(kappa['value'])} ({decimal_interval(kappa)}), "
        f"and the references are {references(figures['reference'])}; "
        f"the run is {figures['run']['status']}, with {failed} among "
        f"{counted(outcomes['planned'], 'planned judgment', 'planned judgments')}."
    )


def references(reference: Figures) -> str:
    """The tiers that were taken, each with its count."""
    taken = _TIERS[: list(_TIERS).index(reference["minimum"]) + 1]
    counts = {tier: reference["tiers"][tier] for tier in taken}
    return ", ".join(f"{n:,} {_TIER_WORDS[tier]}" for tier, n in counts.items() if n) or "none"


def _name(figures: Figures) -> str:
    return f"{figures['rubric']['name']}@{figures['rubric']['version']}"
