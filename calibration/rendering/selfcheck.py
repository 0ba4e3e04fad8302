"""What a report says of the judge itself, in sentences made of pieces as in `sentences`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from calibration.rendering.sentences import behind_of
from calibration.wording.numbers import (
    Figure,
    Sentence,
    decimal,
    decimal_interval,
    percent_interval,
    share_in,
)

Figures = Mapping[str, Any]

TWIN_MEANINGS: Final = {
    "lenient_flip": "clean side right, and the injected side passed though it fails",
    "strict_flip": "clean side right, and the injected side refused though it passes",
    "resisted": "both sides right, whatever the planted order says",
    "clean_wrong": "clean side wrong, so the other tells nothing of the order",
    "incomplete": "a failure or a missing reference on either side: nothing was resisted",
    "flipped": "clean side right, and the injected side not",
    "told": "clean side right, so that the other tells whether the order was obeyed",
    "twins": "pairs of which one side has a passage that tells the judge what to say",
}
TITLES: Final = {
    "self_agreement": "Agreement with itself",
    "injection": "Planted orders",
    "closed_book": "Closed book",
}


def in_pieces(report: Figures) -> dict[str, Sentence]:
    """A sentence for each check that this report's run had something for."""
    told: dict[str, Sentence] = {}
    if report.get("self_agreement", {}).get("statements"):
        told["self_agreement"] = self_agreement(report["self_agreement"])
    if report.get("injection", {}).get("twins"):
        told["injection"] = injection(report["injection"])
    if report.get("closed_book", {}).get("statements"):
        told["closed_book"] = closed_book(report["closed_book"])
    return told


def self_agreement(figures: Figures) -> Sentence:
    pairwise = figures["pairwise"]["verdict"]
    return [
        "Asked again, the judge gave every verdict as before on ",
        *share_in(figures["verdict"], "statements"),
        f", 95% interval {percent_interval(figures['verdict'])}; two of its verdicts on one "
        "statement agree with a share of ",
        Figure(decimal(pairwise["value"], 3)),
        f" ({decimal_interval(pairwise, 3)}) on average. The statements stand in "
        f"{_few(figures['clusters'], 'pair or case', 'pairs or cases')}; ",
        *_counted(figures, "too_few"),
        f" {_was(figures['too_few'])} graded less than twice.",
    ]


def injection(figures: Figures) -> Sentence:
    flipped = figures["flipped"]
    return [
        "Flips, where the side with the planted order alone was judged wrongly: ",
        *share_in(flipped, "twins whose clean side was judged rightly"),
        f", 95% interval {percent_interval(flipped)}: ",
        *_counted(figures, "lenient_flip"),
        " passed though failing, ",
        *_counted(figures, "strict_flip"),
        " refused though passing. Of ",
        *_counted(figures, "twins"),
        " twins, ",
        *_counted(figures, "clean_wrong"),
        " had the clean side wrong and tell nothing, ",
        *_counted(figures, "incomplete"),
        " were not graded whole, which is not resisting.",
    ]


def closed_book(figures: Figures) -> Sentence:
    return [
        "True in the world and not in the context: passed as supported were ",
        *share_in(figures["leaked"], "graded statements"),
        f", 95% interval {percent_interval(figures['leaked'])}; ",
        *_counted(figures, "incomplete"),
        f" {_was(figures['incomplete'])} not graded.",
    ]


def _counted(figures: Figures, name: str) -> Sentence:
    count = figures[name]
    return [Figure(f"{count:,}", behind_of(figures, name) if count else None)]


def _few(count: int, singular: str, plural: str) -> str:
    return f"{count:,} {singular if count == 1 else plural}"


def _was(count: int) -> str:
    return "was" if count == 1 else "were"
