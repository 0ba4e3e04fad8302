"""Runs and judgments as pages list them. Reads only; runs are written by `runs` alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils import timezone

from calibration.models import Judgment, JudgmentQuerySet, Report, RubricVersion, Run
from calibration.runs import counting
from calibration.runs.rounds import AsOf
from grounding.contract import Verdict
from grounding.interchange.models import Outcome
from labeling.models import CalibrationSet, Case
from labeling.web.parameters import ANY

WAITING, LEASED, FAILED = "waiting", "leased", "failed"
"""What no judgment stores: no outcome yet, free or held by a worker; any outcome but graded."""
OUTCOMES = [*(word.value for word in Outcome), FAILED, WAITING, LEASED]


@dataclass(frozen=True)
class RunRow:
    """A run with what its judgments count up to."""

    run: Run
    status: str
    outcomes: Mapping[str, int]

    @property
    def failures(self) -> list[tuple[str, int]]:
        """Each kind of failure that occurred."""
        kinds = [word.value for word in Outcome if word is not Outcome.GRADED]
        return [(kind, self.outcomes[kind]) for kind in kinds if self.outcomes[kind]]


def runs_on(calibration_set: CalibrationSet) -> QuerySet[Run]:
    return Run.objects.filter(set=calibration_set).select_related("rubric_version", "started_by")


def rows_of(runs: Sequence[Run]) -> list[RunRow]:
    return [RunRow(*counted) for counted in counting.each(runs)]


def filters_of(run: Run) -> dict[str, Sequence[str] | None]:
    """What a list of the run's judgments may be narrowed by."""
    return {
        "outcome": OUTCOMES,
        "repeat": [str(repeat) for repeat in range(run.repeats)],
        "evidence": ["without"],
        "verdict": [word.value for word in Verdict],
        "model": ANY,
        "named": ["no"],
        "round": [str(number) for number in range(1, run.round)],
    }


def reports_of(run: Run) -> QuerySet[Report]:
    """The frozen reports of a run, newest first, without their figures."""
    reports = Report.objects.filter(run=run).select_related("snapshot")
    return reports.defer("figures", "snapshot__statements").order_by("-pk")


class JudgmentList:
    """A run's judgments in the order of its plan, those of one outcome where asked for, as
    they are or as they were in an earlier round; as a paginator wants them."""

    def __init__(self, run: Run, filters: Mapping[str, str]) -> None:
        self._then = AsOf(run, int(filters.get("round", run.round)))
        self._rows = judgments_of(run, filters)

    def count(self) -> int:
        return self._rows.count()

    def __getitem__(self, part: slice) -> Sequence[Judgment]:
        return self._then.shown(self._rows[part])


def judgments_of(run: Run, filters: Mapping[str, str]) -> JudgmentQuerySet:
    found = Judgment.objects.filter(run=run)
    then = AsOf(run, int(filters.get("round", run.round)))
    if "repeat" in filters:
        found = found.filter(repeat=int(filters["repeat"]))
    if "evidence" in filters:
        found = found.filter(without_evidence=True, round__lte=then.round)
    found = _of_outcome(_told(found, filters), filters.get("outcome"), then)
    return found.select_related("statement__case").order_by("pk")


def _told(found: JudgmentQuerySet, filters: Mapping[str, str]) -> JudgmentQuerySet:
    """Those with this verdict, of the model that reported this name, or of one that reported
    none."""
    if "verdict" in filters:
        found = found.filter(verdict=filters["verdict"])
    if "model" in filters:
        found = found.filter(judge_model=filters["model"])
    return found.filter(judge_model__isnull=True) if "named" in filters else found


def _of_outcome(found: JudgmentQuerySet, outcome: str | None, then: AsOf) -> JudgmentQuerySet:
    if outcome == FAILED:
        return then.failed(found)
    if outcome == WAITING:
        return found.waiting(timezone.now())
    if outcome == LEASED:
        return found.filter(outcome__isnull=True, lease_until__gte=timezone.now())
    return then.with_outcome(found, outcome) if outcome else found


def repeats_of(judgment: Judgment) -> list[Judgment]:
    """The judgments of the same statement in the same run, itself among them; none where it was
    judged once."""
    if judgment.run.repeats == 1:
        return []
    same = Judgment.objects.filter(run=judgment.run_id, statement=judgment.statement_id)
    return list(same.order_by("repeat"))


def latest_on(case: Case) -> list[Judgment]:
    """The newest run's judgments on a case for each rubric version, statement by statement; of
    runs that measure, since a probe's judge was told another case."""
    found = (
        Judgment.objects.filter(statement__case=case, repeat=0, run__probe__isnull=True)
        .select_related("run__rubric_version", "statement")
        .defer("run__rubric_version__definition")
        # By columns: a relation would bring its own model's order, which runs the other way.
        .order_by("run__rubric_version_id", "statement__position", "-run_id")
    )
    newest: dict[tuple[int, int], Judgment] = {}
    for judgment in found:
        newest.setdefault((judgment.run.rubric_version_id, judgment.statement_id), judgment)
    return list(newest.values())


def runs_of(version: RubricVersion, sets: QuerySet[CalibrationSet]) -> QuerySet[Run]:
    """The runs of a rubric version on these sets, newest first."""
    return Run.objects.filter(rubric_version=version, set__in=sets).select_related("set")
