"""Where each number of the Versions page is listed: its figures with a link for each count.

A link names the runs whose common statements are meant, so that it holds the same statements
when other versions have run since, and the digest of the references, so that the list can say
that they have changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from calibration.agreement.comparison import FAILS, UNSTATED
from calibration.readings.behind import address
from calibration.readings.comparisons import DIFFER, FEW, SAME, SEVERAL
from calibration.reports.looks import NEVER, OVER

Figures = Mapping[str, Any]
Filters = Mapping[str, str]

_RATES: Final[Mapping[str, tuple[Filters, Filters]]] = {
    "verdict": ({}, {"verdict_right": "yes"}),
    "right": ({}, {"right": "yes"}),
    "lenient": ({"human_verdict": FAILS}, {"judge_verdict": "supported"}),
    "strict": ({"human_verdict": "supported"}, {"judge_verdict": FAILS}),
    "class_escape": (
        {"human_class": "subject_specific", "classed": "yes"},
        {"class_right": "no"},
    ),
}


@dataclass(frozen=True)
class Places:
    """The addresses of the lists; those of judgments end in the run's number and a slash."""

    statements: str
    moved: str
    compared: str
    judgments: str
    holdout: str


@dataclass(frozen=True)
class _Among:
    """The list of a group of runs, for one of them; ``statements`` is its address."""

    statements: str
    runs: Sequence[int]
    digest: str

    def to(self, run: int | None, *filters: Filters) -> str:
        whose = {"run": str(run)} if run is not None else {}
        asked = {name: value for each in filters for name, value in each.items()}
        named = {"runs": ",".join(map(str, self.runs)), **whose}
        return address(self.statements, {**named, **asked, "references": self.digest})

    def rate(self, rate: Figures, run: int | None, n: Filters, further: Filters) -> dict[str, Any]:
        behind = {"count": self.to(run, n, further), "n": self.to(run, n)}
        return {**rate, "behind": behind}

    def headlines(self, figures: Figures) -> dict[str, Any]:
        return {
            name: self.rate(figures[name], figures["id"], *filters)
            for name, filters in _RATES.items()
        }


def linked(told: Figures, places: Places) -> dict[str, Any]:
    return {
        **told,
        "blocks": [_block(block, places) for block in told["blocks"]],
        "repeated": [_repeated(one, places) for one in told["repeated"]],
        "drift": _drift(told["drift"], places),
        "holdout": _holdout(told["holdout"], places),
    }


def _block(block: Figures, places: Places) -> dict[str, Any]:
    block = {**block, "apart": _apart(block["apart"], places) if block["apart"] else None}
    if not block["versions"]:
        return block
    among = _Among(places.statements, block["runs"], block["reference"]["digest"])
    return {
        **block,
        "behind": {"common": among.to(None), "asked": among.to(None, {"among": "asked"})},
        "versions": [_version(one, among, places) for one in block["versions"]],
    }


def _apart(apart: Figures, places: Places) -> dict[str, Any]:
    both = {name: apart[name] for name in ("baseline_before", "baseline_here")}
    linked = {name: run and alone(run, places.statements) for name, run in both.items()}
    return {**apart, **linked}


def alone(run: Figures, statements: str) -> dict[str, Any]:
    """The headlines of a run by itself, with the lists of its statements at that address."""
    return {**run, **_Among(statements, [run["id"]], run["digest"]).headlines(run)}


def _version(one: Figures, among: _Among, places: Places) -> dict[str, Any]:
    own = _Among(places.statements, [one["id"]], one["own_digest"])
    cells = [_cell(cell, one["id"], among) for cell in one["cells"]]
    return {
        **one,
        **among.headlines(one),
        "cells": cells,
        "own": own.rate(one["own"], one["id"], *_RATES["verdict"]),
        "against": _against(one["against"], one["id"], places) if one["against"] else None,
        "behind": {why: among.to(one["id"], {"among": why}) for why in one["lacks"]},
    }


def _cell(cell: Figures, run: int, among: _Among) -> dict[str, Any]:
    here = {"human_class": cell["claim_class"] or UNSTATED, "human_verdict": cell["verdict"]}
    return among.rate(cell, run, here, {"right": "yes"})


def _against(against: Figures, run: int, places: Places) -> dict[str, Any]:
    """The list of the comparison that says the same."""
    failing = {
        "first": str(against["run"]),
        "second": str(run),
        "human_verdict": FAILS,
        "references": against["digest"],
    }

    def to(**passed: str) -> str:
        return address(places.compared, {**failing, **passed})

    rates = {
        which: {
            **against[which],
            "behind": {"count": to(**{f"{which}_passed": "yes"}), "n": to()},
        }
        for which in ("first", "second")
    }
    behind = {
        "only_first": to(first_passed="yes", second_passed="no"),
        "only_second": to(first_passed="no", second_passed="yes"),
    }
    return {**against, **rates, "behind": behind}


def _repeated(told: Figures, places: Places) -> dict[str, Any]:
    runs = [run["id"] for run in told["runs"]]
    among = _Among(places.statements, runs, told["reference"]["digest"])
    steady = told["self_agreement"]

    def alike(rate: Figures, by: str) -> dict[str, Any]:
        behind = {
            "count": among.to(None, {by: SAME}),
            "n": among.to(None, {by: SEVERAL}),
            "rest": among.to(None, {by: DIFFER}),
        }
        return {**rate, "behind": behind}

    return {
        **told,
        "behind": {"statements": among.to(None)},
        "runs": [{**run, **among.headlines(run)} for run in told["runs"]],
        "self_agreement": {
            **steady,
            "verdict": alike(steady["verdict"], "repeats"),
            "class": alike(steady["class"], "class_repeats"),
            "behind": {
                "statements": among.to(None, {"repeats": SEVERAL}),
                "too_few": among.to(None, {"repeats": FEW}),
            },
        },
    }


def _drift(told: Figures, places: Places) -> dict[str, Any]:
    return {
        **told,
        "tellings": [_telling(one, places) for one in told["tellings"]],
        "pairs": [_pair(pair, places) for pair in told["pairs"]],
    }


def _telling(one: Figures, places: Places) -> dict[str, Any]:
    named = {"model": one["model"]} if one["model"] is not None else {"named": "no"}
    graded = {"repeat": "0", "outcome": "graded", **named}

    def to(**further: str) -> str:
        return address(f"{places.judgments}{one['run']}/judgments/", {**graded, **further})

    verdicts = {
        name: {**rate, "behind": {"count": to(verdict=name), "n": to()}}
        for name, rate in one["verdicts"].items()
    }
    return {**one, "verdicts": verdicts, "behind": {"n": to()}}


def _pair(pair: Figures, places: Places) -> dict[str, Any]:
    whose = {"first": str(pair["earlier"]["run"]), "second": str(pair["later"]["run"])}
    models = {"first_model": pair["earlier"]["model"], "second_model": pair["later"]["model"]}
    whose |= {name: model for name, model in models.items() if model is not None}

    def to(**further: str) -> str:
        return address(places.moved, {**whose, **further})

    common = {"statements": to(), "differ": to(move="differ")}
    verdicts = {
        name: {
            **test,
            "behind": {
                "common": common["statements"],
                **{
                    move: to(move=move, verdict=name)
                    for move in ("before", "after", "gained", "lost")
                },
            },
        }
        for name, test in pair["verdicts"].items()
    }
    return {**pair, "verdicts": verdicts, "behind": common}


def _holdout(told: Figures, places: Places) -> dict[str, Any]:
    behind = {
        "statements": places.holdout,
        "never": address(places.holdout, {"looked": NEVER}),
        "worn": address(places.holdout, {"looked": OVER}),
    }
    return {**told, "behind": behind}
