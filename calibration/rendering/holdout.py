"""What is said of a hold-out: how often it was looked at, and whether it is worn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calibration.wording.numbers import Figure, Sentence, counted

Told = Mapping[str, Any]


def sentence(told: Told) -> Sentence:
    """How worn the hold-out is."""
    if not told["statements"]:
        return ["No case has the tag “holdout”, so nothing is held out."]
    behind, looks = told.get("behind", {}), told["looks"]
    names = len(told["versions"])
    said: Sentence = [
        "Held out: ",
        Figure(f"{told['statements']:,}", behind.get("statements")),
        " statements, looked at by ",
        f"{counted(names, 'rubric version', 'rubric versions')}, between {looks['min']} and "
        f"{looks['max']} times each (median {looks['median']:g}).",
    ]
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
    looks, names = told["looks"], len(told["versions"])
    said = (
        f"Held out: {told['statements']:,} of its statements. With this report "
        f"{counted(names, 'rubric version has', 'rubric versions have')} looked at them, "
        f"{looks['min']} to {looks['max']} times each (median {looks['median']:g})."
    )
    worn = f" {counted(told['worn'], 'of them is', 'of them are')} worn: choosing among so many "
    return [said + (f"{worn}versions shows in the figures." if told["worn"] else "")]
