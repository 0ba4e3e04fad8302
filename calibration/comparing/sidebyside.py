"""A comparison put in order for its pages: sentences first, then tables and lists.

Each number leads to the list of what it counts, which is made anew, by the same rules, when it
is opened: the link carries the digest of the references, so that the list can say if those have
changed since.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from calibration import comparing
from calibration.agreement.comparison import COMMON, FAILS, LEFT_OUT, UNSTATED
from calibration.charts import Figure
from calibration.comparing.choices import Choice
from calibration.models import Run
from calibration.readings import pictures
from calibration.readings.behind import address
from calibration.rendering.comparison import TITLES, in_pieces
from calibration.rendering.pictures import cell_differences
from calibration.wording.numbers import Sentence
from labeling.references import TIERS

LISTED: Final = 100
"""Of each list; the count stands beside it, and leads to all of them."""

YES, NO = "yes", "no"
CHANGES: Final[Mapping[str, Mapping[str, str]]] = {
    "newly_lenient": {"human_verdict": FAILS, "first_passed": NO, "second_passed": YES},
    "broke": {"first_right": YES, "second_right": NO},
    "fixed": {"first_right": NO, "second_right": YES},
}


@dataclass(frozen=True)
class Changes:
    """The first of the statements that were fixed, or broke, and how many there are."""

    name: str
    title: str
    count: int
    behind: str
    rows: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Reading:
    figures: Mapping[str, Any]
    sentences: Sequence[Sentence]
    failing: Sequence[Mapping[str, Any]]
    """The cells in which a judge can be lenient."""
    changes: Sequence[Changes]
    picture: Figure | None
    """The differences; None where the two cannot be compared."""


class ComparedList:
    """The statements that pass ``filters``, as a paginator wants them."""

    def __init__(self, first: Run, second: Run, filters: Mapping[str, str]) -> None:
        self.digest, self._found = comparing.listed(first, second, filters)

    def count(self) -> int:
        return len(self._found)

    def __getitem__(self, part: slice) -> Sequence[Mapping[str, Any]]:
        return comparing.described(self._found[part])


def read(choice: Choice, lists: str) -> Reading | None:
    """None where there are no two runs to compare; ``lists`` is the address of the list."""
    if choice.first is None or choice.second is None:
        return None
    compared = comparing.compare(choice.first, choice.second)
    rows = comparing.first_changes(compared, LISTED)
    links = _Links(lists, choice.first, choice.second, compared.figures)
    figures = _linked(compared.figures, links)
    return Reading(
        figures=figures,
        sentences=in_pieces(figures),
        failing=[cell for cell in figures["cells"] if cell["lenient"]],
        changes=[
            Changes(
                name,
                TITLES[name],
                len(compared.changes[name]),
                links.to(CHANGES[name]),
                rows[name],
            )
            for name in TITLES
        ],
        picture=_picture(figures),
    )


def _picture(figures: Mapping[str, Any]) -> Figure | None:
    if not figures["cells"]:
        return None
    (picture,) = pictures.kept([cell_differences(figures)])
    return picture


class _Links:
    def __init__(self, lists: str, first: Run, second: Run, figures: Mapping[str, Any]) -> None:
        self._lists = lists
        self._runs = {"first": str(first.pk), "second": str(second.pk)}
        reference = figures["reference"]
        self._digest = {"references": reference["digest"]} if reference else {}

    def to(self, *filters: Mapping[str, str]) -> str:
        asked = {name: value for each in filters for name, value in each.items()}
        return address(self._lists, {**self._runs, **asked, **self._digest})


def _linked(figures: Mapping[str, Any], links: _Links) -> dict[str, Any]:
    """The figures with the links of all that they count."""
    cells = [_cell(cell, links) for cell in figures["cells"]]
    behind = {
        "n": links.to(),
        "both_right": links.to({"first_right": YES, "second_right": YES}),
        "only_first": links.to(CHANGES["broke"]),
        "only_second": links.to(CHANGES["fixed"]),
        "neither": links.to({"first_right": NO, "second_right": NO}),
        "right_first": links.to({"first_right": YES}),
        "right_second": links.to({"second_right": YES}),
        **{tier: links.to({"tier": tier}) for tier in TIERS},
        **{among: links.to({"among": among}) for among in (COMMON, *LEFT_OUT, *comparing.ALONE)},
    }
    lenient = _lenient(figures["lenient"], links, {"human_verdict": FAILS})
    strict = _rates(figures["strict"], links, {"human_verdict": "supported"}, "refused")
    return {**figures, "behind": behind, "lenient": lenient, "strict": strict, "cells": cells}


def _cell(cell: Mapping[str, Any], links: _Links) -> dict[str, Any]:
    here = {"human_class": cell["claim_class"] or UNSTATED, "human_verdict": cell["verdict"]}
    lenient = _lenient(cell["lenient"], links, here) if cell["lenient"] else None
    rates = _rates(cell, links, here, "right")
    return {**cell, **rates, "lenient": lenient, "behind": {"n": links.to(here)}}


def _rates(
    figures: Mapping[str, Any], links: _Links, here: Mapping[str, str], what: str
) -> dict[str, Any]:
    """Of the two versions: how many of the statements that are here are right, or passed."""
    return {
        which: {
            **figures[which],
            "behind": {"count": links.to(here, {f"{which}_{what}": YES}), "n": links.to(here)},
        }
        for which in ("first", "second")
    }


def _lenient(figures: Mapping[str, Any], links: _Links, here: Mapping[str, str]) -> dict[str, Any]:
    behind = {
        "only_first": links.to(here, {"first_passed": YES, "second_passed": NO}),
        "only_second": links.to(here, {"first_passed": NO, "second_passed": YES}),
    }
    return {**figures, **_rates(figures, links, here, "passed"), "behind": behind}
