"""Where each number of a report is listed: its figures with a link for each count and each n.

A link is a list's address with the filters under which `comparisons.ComparedList` holds exactly
what the number counts. The figures that are stored and downloaded carry none of this.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import starmap
from typing import Any, Final
from urllib.parse import urlencode

from calibration.agreement.pairs import INCOMPLETE, shares
from calibration.agreement.selfcheck import FATES, SILENT
from calibration.agreement.tags import RISK
from calibration.readings.comparisons import (
    DIFFER,
    FAILED,
    FAILS,
    FEW,
    GRADED,
    NONE,
    PLANNED,
    SAME,
    SEVERAL,
    STATED,
)
from calibration.readings.pair_lists import COMPLETE, FLIPPED, TOLD, TWINS
from labeling.references import TIERS

Figures = Mapping[str, Any]
Filters = Mapping[str, str]

_CLASSED: Filters = {"human_class": STATED, "judge_class": STATED}
EXPOSED: Final[Mapping[str, Filters]] = {
    "lenient": {"human_verdict": FAILS},
    "strict": {"human_verdict": "supported"},
    "class_escape": {"human_class": "subject_specific", "judge_class": STATED},
}
"""On what an error in each direction could be made."""


@dataclass(frozen=True)
class Lists:
    """The addresses of a report's lists; ``round`` where its run has gone on since."""

    statements: str
    judgments: str
    pairs: str
    round: int | None = None

    def of_statements(self, filters: Filters) -> str:
        return address(self.statements, filters)

    def of_judgments(self, **filters: str) -> str:
        then = {"round": str(self.round)} if self.round is not None else {}
        return address(self.judgments, {**filters, "repeat": "0", **then})


def address(url: str, filters: Filters) -> str:
    return f"{url}?{'&'.join(starmap(_pair, filters.items()))}" if filters else url


@lru_cache(maxsize=4096)
def _pair(name: str, value: str) -> str:
    """Encoded once: hundreds of links of a page have few different ones."""
    return urlencode({name: value})


def linked(figures: Figures, lists: Lists) -> dict[str, Any]:
    """The figures of a report; each rate has ``behind``, the links of its count and its n, and
    ``behind`` beside them has those of what is merely counted."""
    return {
        **figures,
        **_rates(figures, lists),
        **_breakdowns(figures, lists),
        **_scores(figures, lists),
        **_coefficients(figures, lists),
        "floor": _floors(figures, lists),
        **_selfchecks(figures, lists),
        "pair_shares": _pairs(figures, lists),
        "behind": _counts(figures, lists),
    }


def led(lists: Lists, rate: Figures, n: Filters, further: Filters) -> dict[str, Any]:
    """``further`` are the filters that the count has beyond those of n."""
    behind = {"count": lists.of_statements({**n, **further}), "n": lists.of_statements(n)}
    return {**rate, "behind": behind}


def _rates(figures: Figures, lists: Lists) -> dict[str, Any]:
    each: Mapping[str, tuple[Filters, Filters]] = {
        "verdict": ({}, {"verdict_right": "yes"}),
        "class": (_CLASSED, {"class_right": "yes"}),
        "overall": (_CLASSED, {"right": "yes"}),
        "lenient": (EXPOSED["lenient"], {"judge_verdict": "supported"}),
        "strict": (EXPOSED["strict"], {"judge_verdict": FAILS}),
        "class_escape": (EXPOSED["class_escape"], {"class_right": "no"}),
        "verdict_given_class": ({"class_right": "yes"}, {"verdict_right": "yes"}),
    }
    return {
        name: led(lists, figures[name], *filters)
        for name, filters in each.items()
        if name in figures
    }


def _pairs(figures: Figures, lists: Lists) -> dict[str, Any]:
    """The share of each outcome of the pairs; an outcome that is not their complement is one of
    the complete ones."""
    of = {INCOMPLETE: lists.pairs}
    complete = address(lists.pairs, {"outcome": COMPLETE})
    return {
        name: {
            **rate,
            "behind": {
                "count": address(lists.pairs, {"outcome": name}),
                "n": of.get(name, complete),
            },
        }
        for name, rate in shares(figures["pairs"]).items()
    }


def _breakdowns(figures: Figures, lists: Lists) -> dict[str, Any]:
    agreed = {"verdict_right": "yes"}
    each: Mapping[str, tuple[str, Filters, Filters]] = {
        "by_class": ("human_class", {"judge_class": STATED}, {"right": "yes"}),
        "by_verdict": ("human_verdict", {}, agreed),
        "by_claim_type": ("claim_type", {}, agreed),
        "by_pair_kind": ("kind", {}, agreed),
        "by_speech_act": ("speech_act", {}, agreed),
        "by_tag": ("tag", {}, agreed),
    }
    found: dict[str, Any] = {
        key: {
            name: led(lists, rate, {by: name, **others}, further)
            for name, rate in figures[key].items()
        }
        for key, (by, others, further) in each.items()
        if key in figures
    }
    found["by_risk"] = {
        level: led(lists, rate, {"tag": f"{RISK}{level}"}, agreed)
        for level, rate in figures.get("by_risk", {}).items()
    }
    cells = [
        led(lists, cell, _cell(cell), {"right": "yes"}) for cell in figures["by_class_and_verdict"]
    ]
    return {**found, "by_class_and_verdict": cells}


def _cell(cell: Figures) -> Filters:
    return {
        "human_class": cell["claim_class"],
        "human_verdict": cell["verdict"],
        "judge_class": STATED,
    }


def _scores(figures: Figures, lists: Lists) -> dict[str, Any]:
    """Of classes only where both sides state one."""
    each: Mapping[str, tuple[str, Filters]] = {
        "per_verdict": ("verdict", {}),
        "per_class": ("class", _CLASSED),
    }
    return {
        key: {name: _scored(one, lists, which, name, among) for name, one in figures[key].items()}
        for key, (which, among) in each.items()
        if key in figures
    }


def _scored(scores: Figures, lists: Lists, which: str, name: str, among: Filters) -> dict[str, Any]:
    judged, held = {f"judge_{which}": name}, {f"human_{which}": name}
    return {
        **scores,
        "precision": led(lists, scores["precision"], {**among, **judged}, held),
        "recall": led(lists, scores["recall"], {**among, **held}, judged),
    }


def _coefficients(figures: Figures, lists: Lists) -> dict[str, Any]:
    """Their n alone leads anywhere."""
    among: Mapping[str, Filters] = {"verdict": {}, "class": _CLASSED}
    return {
        name: {
            which: {**value, "behind": {"n": lists.of_statements(among[which])}}
            for which, value in figures[name].items()
        }
        for name in ("kappa", "ac1", "mcc")
        if name in figures
    }


def _floors(figures: Figures, lists: Lists) -> dict[str, Any]:
    """What the always-answers would get right: the statements of the commonest answer."""
    verdicts, cells = figures["by_verdict"], figures["by_class_and_verdict"]
    commonest = max(verdicts, key=lambda name: verdicts[name]["n"])
    cell = max(cells, key=lambda each: each["n"])
    floor = figures["floor"]
    return {
        "always_majority": led(lists, floor["always_majority"], {}, {"human_verdict": commonest}),
        "always_majority_cell": led(lists, floor["always_majority_cell"], _CLASSED, _cell(cell)),
        **{
            name: _all_or_none(lists, floor[name], held)
            for name, held in (
                ("always_majority_lenient", FAILS),
                ("always_majority_strict", "supported"),
            )
            if name in floor
        },
    }


def _all_or_none(lists: Lists, rate: Figures, held: str) -> dict[str, Any]:
    """Who always gives one answer errs on each of these statements, or on none of them."""
    url = lists.of_statements({"human_verdict": held})
    return {**rate, "behind": {"n": url, **({"count": url} if rate["count"] else {})}}


def _selfchecks(figures: Figures, lists: Lists) -> dict[str, Any]:
    """Nothing of a report that was frozen before there were any."""
    if "self_agreement" not in figures:
        return {}
    return {
        "self_agreement": _self_agreement(figures["self_agreement"], lists),
        "injection": _injection(figures["injection"], lists),
        "closed_book": _closed_book(figures["closed_book"], lists),
    }


def _self_agreement(figures: Figures, lists: Lists) -> dict[str, Any]:
    def steady(rate: Figures, by: str = "repeats", **among: str) -> dict[str, Any]:
        everywhere = {"among": PLANNED, **among}
        behind = {
            "count": lists.of_statements({**everywhere, by: SAME}),
            "n": lists.of_statements({**everywhere, by: SEVERAL}),
            "rest": lists.of_statements({**everywhere, by: DIFFER}),
        }
        return {**rate, "behind": behind}

    return {
        **figures,
        "verdict": steady(figures["verdict"]),
        "class": steady(figures["class"], "class_repeats"),
        "by_class": {
            name: steady(rate, human_class=name) for name, rate in figures["by_class"].items()
        },
        "behind": {
            "statements": lists.of_statements({"among": PLANNED, "repeats": SEVERAL}),
            "too_few": lists.of_statements({"among": PLANNED, "repeats": FEW}),
        },
    }


def _injection(figures: Figures, lists: Lists) -> dict[str, Any]:
    to = {fate: address(lists.pairs, {"twin": fate}) for fate in (FLIPPED, TOLD, TWINS, *FATES)}
    flipped = {**figures["flipped"], "behind": {"count": to[FLIPPED], "n": to[TOLD]}}
    return {**figures, "flipped": flipped, "behind": to}


def _closed_book(figures: Figures, lists: Lists) -> dict[str, Any]:
    silent = {"kind": SILENT, "human_verdict": "unsupported"}
    leaked = led(lists, figures["leaked"], silent, {"judge_verdict": "supported"})
    behind = {
        "statements": lists.of_statements({**silent, "among": PLANNED}),
        "incomplete": lists.of_statements({**silent, "among": FAILED}),
    }
    return {**figures, "leaked": leaked, "behind": behind}


def beside(floor: Figures, judge_run: int, compared: str, references: str) -> dict[str, Any]:
    """A judge that stands beside a report (`calibration.reports.floors`), its numbers linked to
    the list of the comparison at the address ``compared``, in which it is the first."""
    runs = {"first": str(floor["run"]), "second": str(judge_run), "references": references}
    return {
        **floor,
        **{name: _beside(floor[name], compared, runs, *how) for name, how in _HOW.items()},
    }


_HOW: Final[Mapping[str, tuple[Filters, str]]] = {
    "right": ({}, "right"),
    "lenient": ({"human_verdict": FAILS}, "passed"),
    "strict": ({"human_verdict": "supported"}, "refused"),
}


def _beside(
    rates: Figures, compared: str, runs: Filters, among: Filters, what: str
) -> dict[str, Any]:
    n = {**runs, **among}
    return {
        side: {
            **rates[side],
            "behind": {
                "count": address(compared, {**n, f"{which}_{what}": "yes"}),
                "n": address(compared, n),
            },
        }
        for side, which in (("floor", "first"), ("judge", "second"))
    }


def _counts(figures: Figures, lists: Lists) -> dict[str, str]:
    unlabelled = {"human_class": NONE}
    unjudged = {"human_class": STATED, "judge_class": NONE}
    return {
        "planned": lists.of_judgments(),
        "graded": lists.of_judgments(outcome="graded"),
        "failed": lists.of_judgments(outcome="failed"),
        "without_evidence": lists.of_judgments(outcome="graded", evidence="without"),
        "compared": lists.of_statements({}),
        "without_reference": lists.of_statements({"among": GRADED, "tier": NONE}),
        "class_not_labelled": lists.of_statements(unlabelled),
        "class_not_judged": lists.of_statements(unjudged),
        **_tiers(figures["reference"], lists),
    }


def _tiers(reference: Figures, lists: Lists) -> dict[str, str]:
    """A snapshot keeps the tiers that were taken and not which of the others a statement was
    in, so these are listed together."""
    taken = TIERS[: TIERS.index(reference["minimum"]) + 1]
    found = {tier: lists.of_statements({"among": PLANNED, "tier": tier}) for tier in taken}
    untaken = lists.of_statements({"among": PLANNED, "tier": NONE})
    others = [tier for tier, count in reference["tiers"].items() if count and tier not in taken]
    alone = {others[0]: untaken} if len(others) == 1 else {}
    return {**found, **alone, "untaken": untaken}
