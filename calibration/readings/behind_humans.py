"""Where each number about people beside the judge is listed: a list of exactly what it counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from calibration.agreement.humans import PASSES
from calibration.readings.behind import address
from calibration.readings.comparisons import FAILED, GRADED, PLANNED, RATED, RATED_ONCE, RATED_TWICE

Figures = Mapping[str, Any]
Filters = Mapping[str, str]


@dataclass(frozen=True)
class PeopleLists:
    """The addresses of a report's lists of ratings, pairs of them, annotators and statements."""

    ratings: str
    pairs: str
    annotators: str
    statements: str


def linked(figures: Figures, lists: PeopleLists) -> dict[str, Any]:
    """The figures on people with the links of their counts; nothing for a report of before."""
    if "humans" not in figures:
        return {}
    return {
        "humans": _people(figures["humans"], lists),
        "alternative_annotator": _test(figures["alternative_annotator"], lists),
    }


def _people(found: Figures, lists: PeopleLists) -> dict[str, Any]:
    pairwise = {
        which: _led(rate, lists.pairs, {"of": which}, {"alike": "yes"})
        for which, rate in found["pairwise"].items()
    }
    behind = {
        "units": _statements(lists, PLANNED, RATED),
        "failed": _statements(lists, FAILED, RATED),
        "rated_once": _statements(lists, PLANNED, RATED_ONCE),
        "ratings": lists.ratings,
        "raters": lists.annotators,
    }
    ceiling = _ceiling(found["ceiling"], lists.ratings)
    return {**found, "pairwise": pairwise, "ceiling": ceiling, "behind": behind}


def _ceiling(found: Figures, url: str) -> dict[str, Any]:
    states = ("failed", "ties", "compared", "class_not_stated")
    return {
        **found,
        **{which: both(found[which], url, {"of": which}) for which in PASSES},
        "by_verdict": {
            word: both(each, url, {"of": "verdict", "others_verdict": word})
            for word, each in found["by_verdict"].items()
        },
        "by_class": {
            word: both(each, url, {"of": "overall", "others_class": word})
            for word, each in found["by_class"].items()
        },
        "behind": {state: address(url, {"state": state}) for state in states},
    }


def both(found: Figures, url: str, n: Filters) -> dict[str, Any]:
    """People and the judge over the ratings of ``n``, linked to the list at ``url``."""
    sides = {side: _led(found[side], url, n, {side: "yes"}) for side in ("human", "judge")}
    return {**found, **sides}


def _test(found: Figures, lists: PeopleLists) -> dict[str, Any]:
    results = ("won", "tested", "untested")
    behind = {
        **{result: address(lists.annotators, {"result": result}) for result in results},
        "statements": _statements(lists, GRADED, RATED),
        "of_two": _statements(lists, GRADED, RATED_TWICE),
        "rated_once": _statements(lists, PLANNED, RATED_ONCE),
        "failed": _statements(lists, FAILED, RATED),
    }
    annotators = [annotator(one, lists.ratings) for one in found["annotators"]]
    return {**found, "annotators": annotators, "behind": behind}


def annotator(found: Figures, url: str) -> dict[str, Any]:
    """One annotator's row with the links to their ratings."""
    own = {"annotator": found["annotator"], "state": "answered"}
    sides = {
        side: _led(found[side], url, own, {side: "yes"})
        for side in ("judge_as_good", "annotator_as_good")
    }
    return {**found, **sides, "behind": address(url, {"annotator": found["annotator"]})}


def _statements(lists: PeopleLists, among: str, rated: str) -> str:
    return address(lists.statements, {"among": among, "rated": rated})


def _led(rate: Figures, url: str, n: Filters, further: Filters) -> dict[str, Any]:
    behind = {"count": address(url, {**n, **further}), "n": address(url, n)}
    return {**rate, "behind": behind}
