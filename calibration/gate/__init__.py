"""Whether a rubric version may gate a release, by its own policy.

Measured is its latest complete run, against labels by people alone: live, blind, not selected by
what a judge said, under the contract's major version. What the author expects counts for
nothing here. Nothing is stored: the digest of the references says what was measured against.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Q

from calibration import agreement, comparing, loading, rubrics, runs
from calibration.comparing.choices import baseline_of
from calibration.gate import gating
from calibration.gate.gating import Check
from calibration.models import Report, RubricVersion, Run
from grounding.errors import Refused
from grounding.rubrics import GatePolicy
from labeling import references
from labeling.columns.frozen import Frozen
from labeling.models import CalibrationSet

HUMAN: Final = "single"
"""The lowest tier that is a person's label."""


@dataclass(frozen=True)
class Measured:
    """``figures`` are the rates of a report, ``failed`` the share of planned judgments that
    failed; ``leniency`` is None for a run that is its own baseline. ``digest`` is that of the
    ``references``."""

    run: Run
    baseline: Run | None
    policy: GatePolicy
    figures: Mapping[str, Any]
    failed: Mapping[str, Any]
    leniency: Mapping[str, Any] | None
    references: Frozen
    digest: str

    @property
    def checks(self) -> list[Check]:
        return gating.checks(self.policy, self.figures, self.failed, self.leniency)

    @property
    def result(self) -> str:
        return gating.result(self.checks)


def measure(version: RubricVersion, calibration_set: CalibrationSet) -> Measured:
    """Refused where nothing can be measured: a recorded version, which has no policy; no complete
    run; no graded statement with a label by a person."""
    policy = rubrics.verified_definition(version).gate
    run = _latest_complete(version, calibration_set)
    major = version.contract_major
    resolved = references.resolve(calibration_set, run.revision, major, HUMAN)
    loaded = loading.load(run, resolved.frozen)
    figures = agreement.rates(loaded.columns, loaded.pair_kinds)
    if not figures["compared"]:
        raise Refused(
            f"nothing can be measured: no statement that run {run.pk} graded has a blind label "
            "by a person"
        )
    baseline = baseline_of(run)
    failed = agreement.failed(loaded.columns)
    leniency = _leniency(baseline, run)
    return Measured(
        run, baseline, policy, figures, failed, leniency, resolved.frozen, resolved.digest
    )


def full(version: RubricVersion, measured: Measured) -> dict[str, Any]:
    """What ``gate --json`` prints."""
    run, baseline = measured.run, measured.baseline
    return {
        "result": measured.result,
        "checks": [check.as_json() for check in measured.checks],
        "set": {"slug": run.set.slug, "revision": run.revision},
        "rubric": rubrics.identity(version),
        "run": {"id": run.pk},
        "baseline": {"run": baseline.pk, "rubric": str(baseline.rubric_version)}
        if baseline
        else None,
        "reference": {"minimum": HUMAN, "digest": measured.digest},
    }


def report_of(measured: Measured) -> Report | None:
    """The latest report against these very references, whatever tier it was asked down to: its
    lists are what is behind the numbers. None where there is none."""
    frozen = measured.references
    # A digest is of the tier asked for too; equal references are equal bytes whatever it was.
    same = Q(snapshot__digest=measured.digest) | Q(snapshot__statements=frozen.packed())
    made = Report.objects.filter(same, run=measured.run, round=measured.run.round)
    light = made.select_related("snapshot").defer("figures", "snapshot__statements")
    latest = light.order_by("-pk").iterator()
    return next((one for one in latest if one.snapshot.answers == frozen.answers), None)


def _latest_complete(version: RubricVersion, calibration_set: CalibrationSet) -> Run:
    run = runs.latest_complete(version, calibration_set)
    if run is not None:
        return run
    partial = runs.latest_finished(version, calibration_set)
    told = f"; run {partial.pk} is partial, too much of it failed" if partial else ""
    raise Refused(f"{version} has no complete run on {calibration_set}{told}")


def _leniency(baseline: Run | None, run: Run) -> Mapping[str, Any] | None:
    if baseline is None or baseline.pk == run.pk:
        return None
    compared = comparing.compare(baseline, run, minimum=HUMAN)
    if not compared.comparable:
        raise Refused(f"the baseline cannot be read against: {compared.figures['reason']}")
    found: Mapping[str, Any] = compared.figures["lenient"]
    return found
