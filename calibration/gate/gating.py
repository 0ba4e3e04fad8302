"""A gate policy held against figures: a functional core that only processes data.

Each check passes, fails, or is inconclusive: too few statements, or an interval that is still too
wide for what is asked. The gate fails if any check fails, else is inconclusive if any is, else
passes. A rate is never measured on nothing: no statement is inconclusive as well, and so is a
policy by which neither agreement nor the direction of errors was checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from calibration.wording.numbers import percent
from grounding.rubrics import Ceiling, CellRule, GatePolicy, Regression

PASS, FAIL, INCONCLUSIVE = "pass", "fail", "inconclusive"
WORST_FIRST: Final = (FAIL, INCONCLUSIVE, PASS)

RATE: Final = ("count", "n", "rate", "interval", "reason")

Figures = Mapping[str, Any]
Rate = Mapping[str, Any]


@dataclass(frozen=True)
class Check:
    """``measured`` is a rate; ``required`` names what it is held against, and ``why`` says in
    words what stands in the way (None where nothing does)."""

    name: str
    result: str
    measured: Rate
    required: Mapping[str, Any]
    why: str | None = None

    @property
    def takes_labels(self) -> bool:
        """Whether more labels by people could decide it."""
        return self.result == INCONCLUSIVE and "minimum_checks" not in self.required

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "result": self.result,
            "measured": {key: self.measured[key] for key in RATE},
            "required": dict(self.required),
            "why": self.why,
        }


def checks(
    policy: GatePolicy, figures: Figures, failed: Rate, leniency: Figures | None
) -> list[Check]:
    """Every check of ``policy`` on a report's ``figures``, in its order.

    ``failed`` is the share of planned judgments that failed (`agreement.failed`).
    ``leniency`` is what a comparison with the baseline says of leniency; None where the run is
    the baseline itself, or the first that could become one.
    """
    return [
        _completeness(policy, figures, failed),
        *(_cell(rule, figures) for rule in policy.cells),
        *_ceilings(policy, figures),
        *(_regression(policy.regression, leniency) if policy.regression else ()),
        *_nothing_else(policy, figures, leniency),
    ]


def result(found: Sequence[Check]) -> str:
    """The worst of the checks."""
    results = {check.result for check in found}
    return next(one for one in WORST_FIRST if one in results)


def cell_name(rule: CellRule) -> str:
    """``subject_specific × unsupported``, or what of it the rule states, else ``verdict``."""
    stated = [word.value for word in (rule.claim_class, rule.verdict) if word is not None]
    return " × ".join(stated) or "verdict"


def measured_by(rule: CellRule, figures: Figures) -> Rate:
    """The rate of the report that the rule is about."""
    found: Rate
    if rule.claim_class is not None and rule.verdict is not None:
        found = next(cell for cell in figures["by_class_and_verdict"] if _is_of(rule, cell))
    elif rule.claim_class is not None:
        found = figures["by_class"][rule.claim_class.value]
    elif rule.verdict is not None:
        found = figures["by_verdict"][rule.verdict.value]
    else:
        found = figures["verdict"]
    return found


def _is_of(rule: CellRule, cell: Mapping[str, Any]) -> bool:
    return bool((cell["claim_class"], cell["verdict"]) == (rule.claim_class, rule.verdict))


def _completeness(policy: GatePolicy, figures: Figures, failed: Rate) -> Check:
    """That the run is complete is a condition of being measured; it is stated all the same."""
    over = failed["rate"] > policy.failure_ceiling
    why = f"{failed['count']:,} of {failed['n']:,} judgments failed" if over else None
    required = {"maximum_rate": policy.failure_ceiling}
    measured = {**failed, **_behind(figures)}
    return Check("failures", FAIL if over else PASS, measured, required, why)


def _behind(figures: Figures) -> dict[str, Any]:
    """The links of failed and planned judgments, where the figures carry links."""
    if "behind" not in figures:
        return {}
    return {"behind": {"count": figures["behind"]["failed"], "n": figures["behind"]["planned"]}}


def _cell(rule: CellRule, figures: Figures) -> Check:
    measured = measured_by(rule, figures)
    required = {
        "minimum_n": rule.minimum_n,
        "minimum_rate": rule.minimum_rate,
        "minimum_lower_bound": rule.minimum_lower_bound,
    }
    found, why = _reached(rule, measured)
    return Check(f"agreement: {cell_name(rule)}", found, measured, required, why)


def _reached(rule: CellRule, measured: Rate) -> tuple[str, str | None]:
    few = _too_few(measured, rule.minimum_n)
    if few:
        return INCONCLUSIVE, few
    if measured["rate"] < rule.minimum_rate:
        return FAIL, f"{percent(measured['rate'])} is below {percent(rule.minimum_rate)}"
    low = measured["interval"][0]
    if rule.minimum_lower_bound is not None and low < rule.minimum_lower_bound:
        asked = percent(rule.minimum_lower_bound)
        return INCONCLUSIVE, f"the interval begins at {percent(low)}, below {asked}"
    return PASS, None


def _ceilings(policy: GatePolicy, figures: Figures) -> Iterator[Check]:
    for name, ceiling in (("lenient", policy.lenient), ("class_escape", policy.class_escape)):
        if ceiling is not None:
            yield _ceiling(name, ceiling, figures[name])


def _ceiling(name: str, ceiling: Ceiling, measured: Rate) -> Check:
    required = {
        "minimum_n": ceiling.minimum_n,
        "maximum_rate": ceiling.maximum_rate,
        "maximum_upper_bound": ceiling.maximum_upper_bound,
    }
    found, why = _kept(ceiling, measured)
    return Check(f"errors: {name}", found, measured, required, why)


def _kept(ceiling: Ceiling, measured: Rate) -> tuple[str, str | None]:
    few = _too_few(measured, ceiling.minimum_n)
    if few:
        return INCONCLUSIVE, few
    if measured["rate"] > ceiling.maximum_rate:
        return FAIL, f"{percent(measured['rate'])} is above {percent(ceiling.maximum_rate)}"
    high = measured["interval"][1]
    if ceiling.maximum_upper_bound is not None and high > ceiling.maximum_upper_bound:
        asked = percent(ceiling.maximum_upper_bound)
        return INCONCLUSIVE, f"the interval ends at {percent(high)}, above {asked}"
    return PASS, None


def _regression(rule: Regression, leniency: Figures | None) -> Iterator[Check]:
    if leniency is None:
        return
    p, measured = leniency["p_more_lenient"], leniency["second"]
    required = {"level": rule.level, "baseline": dict(leniency["first"]), "p": p}
    if p is None:
        yield Check("regression", INCONCLUSIVE, measured, required, leniency["reason"])
    elif p <= rule.level:
        more = (
            f"more lenient than the baseline: it alone passed {leniency['only_second']:,}, the "
            f"baseline alone {leniency['only_first']:,} (p = {p:.2g})"
        )
        yield Check("regression", FAIL, measured, required, more)
    else:
        yield Check("regression", PASS, measured, required)


def _nothing_else(
    policy: GatePolicy, figures: Figures, leniency: Figures | None
) -> Iterator[Check]:
    """Where nothing but failures was checked, which says nothing of how good a judge is."""
    if not policy.measures(against_baseline=leniency is not None):
        why = "the policy checks neither agreement with people nor the direction of errors"
        if policy.regression:
            why += " on a run that is its own baseline"
        yield Check("agreement", INCONCLUSIVE, figures["verdict"], {"minimum_checks": 1}, why)


def _too_few(measured: Rate, least: int) -> str | None:
    if measured["n"] >= least:
        return None
    return f"{measured['n']:,} human-labelled statements, and it takes {least:,}"
