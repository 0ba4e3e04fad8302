"""Where each number about answers is listed: the address of a list of exactly what it counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from calibration.readings.behind import address
from calibration.readings.comparisons import NONE
from calibration.readings.comparisons import STATED as ANY_ACT
from calibration.reports.answer_lists import NOT_STATED, READ, STATED, TRACED_AT_ALL, UNREAD
from grounding.answers import Behaviour

Figures = Mapping[str, Any]
Filters = Mapping[str, str]

_DECIDED: Final = {"decided": "yes"}
_REFUSAL: Final = "refusal"
_STAGES: Final = ("generation", "budget", "retrieval")
SIDES: Final = ("human", "judge")


def linked(figures: Figures, answers: str, statements: str) -> dict[str, Any]:
    """The figures on answers with the links of their counts; nothing for a report without them.

    ``answers`` and ``statements`` are the addresses of the report's lists.
    """
    if "answers" not in figures:
        return {}
    return {
        "answers": _answers(figures["answers"], answers),
        "speech_acts": _speech_acts(figures["speech_acts"], statements),
        "abstention": _abstention(figures["abstention"], answers),
        "failure_source": _sources(figures["failure_source"], answers),
    }


def _led(rate: Figures, url: str, n: Filters, further: Filters) -> dict[str, Any]:
    behind = {"count": address(url, {**n, **further}), "n": address(url, n)}
    return {**rate, "behind": behind}


def _answers(found: Figures, url: str) -> dict[str, Any]:
    def errs(name: str, human: str, judge: str) -> dict[str, Any]:
        return _led(found[name], url, {**_DECIDED, "human": human}, {"judge": judge})

    return {
        **found,
        "agreement": _led(found["agreement"], url, _DECIDED, {"alike": "yes"}),
        "lenient": errs("lenient", "ungrounded", "grounded"),
        "strict": errs("strict", "grounded", "ungrounded"),
        "grounded": {
            side: _led(found["grounded"][side], url, _DECIDED, {side: "grounded"}) for side in SIDES
        },
        # A claim is no row of a list: the list of these answers says how many they have.
        "claims": {side: _led(found["claims"][side], url, _DECIDED, {}) for side in SIDES},
        "behind": {
            "planned": url,
            "decided": address(url, _DECIDED),
            **{why: address(url, {"undecided": why}) for why in found["undecided"]},
        },
    }


def _speech_acts(found: Figures, url: str) -> dict[str, Any]:
    refusals = found["refusals"]
    by_both = {"human_act": _REFUSAL, "judge_act": _REFUSAL}
    return {
        **found,
        "agreement": _led(found["agreement"], url, {"judge_act": ANY_ACT}, {"act_right": "yes"}),
        "refusals": {
            **{
                side: _led(
                    refusals[side],
                    url,
                    {f"{side}_act": _REFUSAL},
                    {f"{side}_verdict": "supported"},
                )
                for side in SIDES
            },
            "agreement": _led(refusals["agreement"], url, by_both, {"verdict_right": "yes"}),
        },
        "behind": {"not_judged": address(url, {"judge_act": NONE})},
    }


def _abstention(found: Figures, url: str) -> dict[str, Any]:
    among = {"should_abstain": {"answerable": "no"}, "answerable": {"answerable": "yes"}}
    return {
        **found,
        **{key: _behaving(found[key], url, filters) for key, filters in among.items()},
        "behind": {"not_stated": address(url, {"answerable": NOT_STATED})},
    }


def _behaving(found: Figures, url: str, among: Filters) -> dict[str, Any]:
    sides = {
        side: {
            **found[side],
            "abstained": _led(
                found[side]["abstained"],
                url,
                {**among, f"{side}_behaviour": READ},
                {f"{side}_behaviour": Behaviour.ABSTAINED.value},
            ),
            "behind": {
                name: address(url, {**among, f"{side}_behaviour": name})
                for name in (*map(str, Behaviour), UNREAD)
            },
        }
        for side in SIDES
    }
    return {**found, **sides, "behind": {"cases": address(url, among)}}


def _sources(found: Figures, url: str) -> dict[str, Any]:
    gap = found["gap"]
    held = {"from_retrieved": "yes", "answerable": STATED}
    return {
        **found,
        **{
            stage: _led(found[stage], url, {"stage": TRACED_AT_ALL}, {"stage": stage})
            for stage in _STAGES
        },
        "gap": {**gap, "lost": _led(gap["lost"], url, held, {"answerable": "no"})},
        "behind": {
            "ungrounded": address(url, {"human": "ungrounded"}),
            "captured": address(url, {"captured": "yes"}),
            **{stage: address(url, {"stage": stage}) for stage in found["untraced"]},
            **{basis: address(url, {"basis": basis}) for basis in found["basis"]},
        },
    }
