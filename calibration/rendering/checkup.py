"""The checks of a judge for people: titles, and a sentence of pieces for each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from calibration.rendering import selfcheck, text
from calibration.rendering.laid_out import Document, Section
from calibration.wording.numbers import Figure, Sentence, p_value, percent_interval, read, share_in

Checks = Mapping[str, Any]

TITLES: Final = {
    "repeats": "Agreement with itself",
    "injection": "Planted orders",
    "closed_book": "Closed book",
    "order": "Order of the passages",
    "length": "Length of the context",
}
ASKS: Final = {
    "repeats": "Asked the same again, does the judge say the same?",
    "injection": "Does an order that was planted in a passage turn its verdict?",
    "closed_book": "Does it pass what it knows to be true, though the context does not say it?",
    "order": "Does a verdict move when the same passages come in another order?",
    "length": "Does a verdict move when passages that have nothing to do with it stand beside?",
}
MOVE_MEANINGS: Final = {
    "moved": "another verdict than on the case as it is",
    "lenient": "unsupported or contradictory before, supported now",
    "strict": "supported before, unsupported or contradictory now",
    "other": "any other verdict than before",
    "same": "the verdict held",
    "compared": "graded both as they are and told otherwise",
    "incomplete": "not graded in one of the two runs: nothing held there",
}


def sentence(name: str, figures: Mapping[str, Any]) -> Sentence:
    """Of one check that was run."""
    return {
        "repeats": selfcheck.self_agreement,
        "injection": selfcheck.injection,
        "closed_book": selfcheck.closed_book,
    }.get(name, _moved)(figures)


def render(checks: Checks) -> str:
    """For a terminal."""
    rubric = checks["rubric"]
    return text.render(
        Document(
            title=f"Checks of {rubric['name']}@{rubric['version']} on {checks['set']['slug']}",
            sentences=[],
            facts=[],
            sections=[_section(name, found) for name, found in checks["checks"].items()],
        )
    )


def _section(name: str, found: Mapping[str, Any]) -> Section:
    if found["status"] != "measured":
        return Section(TITLES[name], notes=[f"Not run: {found['reason']}."])
    return Section(TITLES[name], notes=[read(sentence(name, found))])


def _moved(figures: Mapping[str, Any]) -> Sentence:
    to = figures.get("behind", {})

    def counted(name: str) -> Figure:
        return Figure(f"{figures[name]:,}", to.get(name) if figures[name] else None)

    moved = {**figures["moved"], "behind": {"count": to.get("moved"), "n": to.get("compared")}}
    return [
        "Another verdict than on the case as it is: ",
        *share_in(moved, "statements"),
        f", 95% interval {percent_interval(moved)}. Towards supported moved ",
        counted("lenient"),
        ", away from it ",
        counted("strict"),
        " (whether both ways are as likely, tested exactly by pairs: p ",
        Figure(p_value(figures["test"]["p"])),
        "), otherwise ",
        counted("other"),
        "; ",
        counted("incomplete"),
        " not graded in one of the two runs.",
    ]
