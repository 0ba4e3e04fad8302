"""What is said of a hold-out: how often it was looked at, and whether it is worn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from calibration.wording.numbers import Figure, Sentence, counted, counted_in

Told = Mapping[str, Any]

LOOK: Final = (
    "A look is a run, in one of its finished rounds, in which the statement was graded: from then "
    "on its figures stand on the pages that compare, show all versions and gate, whether or not a "
    "report was made or a page opened. A probe measures nothing, and a round that was cancelled is "
    "no look."
)

_OFTEN: Final = {0: "never", 1: "once", 2: "twice"}


def sentence(told: Told) -> Sentence:
    """How worn the hold-out is."""
    if not told["statements"]:
        return ["No case has the tag “holdout”, so nothing is held out."]
    behind, looks = told.get("behind", {}), told["looks"]
    held = counted_in(told["statements"], "statement", "statements", behind.get("statements"))
    if not looks["max"]:
        return ["Held out: ", *held, ". No rubric version has looked yet."]
    names = counted(len(told["versions"]), "rubric version", "rubric versions")
    said: Sentence = ["Held out: ", *held, f", looked at by {names}, {times(looks)}."]
    if not told["worn"]:
        return said
    return [
        *said,
        " ",
        Figure(f"{told['worn']:,}", behind.get("worn")),
        f" of them by more than {told['most_versions']} versions: the best of so many looks better "
        "than it is by about one standard error, through the choice alone. Hold out other cases.",
    ]


def of_report(told: Told) -> Sentence:
    """One line of a report: how worn the hold-out among its statements was when it was made."""
    if not told["statements"]:
        return ["No statement of this report is held out."]
    names = len(told["versions"])
    said = (
        f"Held out: {told['statements']:,} of its statements. When it was made, "
        f"{counted(names, 'rubric version', 'rubric versions')} had looked at them, "
        f"{times(told['looks'])}."
    )
    worn = f" {counted(told['worn'], 'of them is', 'of them are')} worn: choosing among so many "
    return [said + (f"{worn}versions shows in the figures." if told["worn"] else "")]


def times(looks: Told) -> str:
    """How often each was looked at; asked of some, so no end is undefined."""
    least, most = looks["min"], looks["max"]
    if least == most:
        return f"{_OFTEN.get(most, f'{most:,} times')} each"
    return f"between {least:,} and {most:,} times each (median {looks['median']:g})"
