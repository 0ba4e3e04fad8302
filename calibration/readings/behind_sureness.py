"""Where the numbers on confidence, evidence and the cost of errors are listed."""

from __future__ import annotations

from typing import Any

from calibration.agreement.confidences import name_of
from calibration.agreement.evidence import APART, BOTH, NEITHER, ONLY_HUMAN, ONLY_JUDGE, SHARED
from calibration.readings.behind import EXPOSED, Figures, Filters, Lists, led
from calibration.readings.comparisons import NONE, STATED
from calibration.rendering.sureness import OVERLAPS, SCORES


def linked(figures: Figures, lists: Lists) -> dict[str, Any]:
    """These figures with the links of their counts; of a report that was frozen before there were
    any, nothing."""
    return {**_severity(figures, lists), **_confidence(figures, lists), **_evidence(figures, lists)}


def _severity(figures: Figures, lists: Lists) -> dict[str, Any]:
    if "severity" not in figures:
        return {}
    weights = [
        {**one, "behind": {"count": lists.of_statements(_made(one))}}
        for one in figures["severity"]["weights"]
    ]
    found = figures["severity"]
    exposed = {name: _among(found[name], lists, filters) for name, filters in EXPOSED.items()}
    return {"severity": {**found, **exposed, "weights": weights}}


def _among(coefficient: Figures, lists: Lists, filters: Filters) -> dict[str, Any]:
    return {**coefficient, "behind": {"n": lists.of_statements(filters)}}


def _made(error: Figures) -> Filters:
    which = "class" if error["direction"] == "class_escape" else "verdict"
    return {f"human_{which}": error["reference"], f"judge_{which}": error["judged"]}


def _confidence(figures: Figures, lists: Lists) -> dict[str, Any]:
    if "confidence" not in figures:
        return {}
    found, agreed = figures["confidence"], {"verdict_right": "yes"}
    bins = [
        {**one, "right": led(lists, one["right"], {"confidence": _bin(one)}, agreed)}
        for one in found["bins"]
    ]
    behind = {
        name: lists.of_statements({"confidence": asked})
        for name, asked in (("with", STATED), ("without", NONE))
    }
    scores = {name: _among(found[name], lists, {"confidence": STATED}) for name in SCORES}
    return {"confidence": {**found, **scores, "bins": bins, "behind": behind}}


def _bin(one: Figures) -> str:
    return name_of(one["low"], one["high"])


def _evidence(figures: Figures, lists: Lists) -> dict[str, Any]:
    if "evidence" not in figures:
        return {}
    found = figures["evidence"]
    lists_of = {
        name: lists.of_statements({"evidence": asked})
        for name, asked in (
            ("both_cite", BOTH),
            *((state, state) for state in (APART, ONLY_HUMAN, ONLY_JUDGE, NEITHER)),
        )
    }
    shared = led(lists, found["shared"], {"evidence": BOTH}, {"evidence": SHARED})
    means = {name: _among(found[name], lists, {"evidence": BOTH}) for name in OVERLAPS}
    return {"evidence": {**found, **means, "shared": shared, "behind": lists_of}}
