"""Judging a run: claim, grade, record, ring for whoever goes on.

A judge that computes grades one case after the other, a batch at a time. A judge that waits
for a provider has many cases in flight at once (`inflight`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from time import monotonic
from typing import Final

from django.utils import timezone

from calibration import judges, rubrics
from calibration.judges import grading
from calibration.judges.grading import Grading
from calibration.judging import inflight
from calibration.loading import judged
from calibration.models import Run
from calibration.runs import claims, probes, results
from calibration.runs.claims import Claim, Result, Row
from calibration.runs.counting import mark_finished
from calibration.workers import beats, doorbell, stopping
from grounding.errors import Refused
from grounding.grades import Grade
from grounding.interchange import models as interchange

logger = logging.getLogger(__name__)

# How long results may stay unwritten, and a lease or a cancelled run unlooked at.
FLUSH_SECONDS: Final = 0.5

Grader = Callable[[interchange.Case, int], Sequence[Grade]]


def judge_batch(run_pk: int, *, worker: str) -> None:
    """Judge waiting rows of the run for a while, and ring again while any wait."""
    beats.beat(worker)
    run = Run.objects.select_related("rubric_version", "set").filter(pk=run_pk).first()
    if run is None:
        return
    if not stopping.asked():
        _judge(run, worker)
    if claims.waits(run_pk):
        doorbell.ring(run_pk)
    elif mark_finished(run_pk, timezone.now()):
        judged.keep(run_pk)


def _judge(run: Run, worker: str) -> None:
    """As the run's rubric was released, or, where that cannot be done here, say of every
    statement that it could not."""
    try:
        definition = rubrics.definition_of(run.rubric_version)
        if not grading.computes(definition):
            inflight.judge(run, definition, worker)
            return
        judge = judges.create(definition)
    except Refused as refusal:
        logger.error("run %s: %s", run.pk, refusal)
        reason = str(refusal)
        _judge_batch(run, lambda case, repeat: grading.unavailable(case, repeat, reason), worker)
        return
    sources = grading.sources_of(run.set)
    _judge_batch(run, Grading(definition, judge, sources, of=f"run {run.pk}").grade, worker)


def _judge_batch(run: Run, grade: Grader, worker: str) -> None:
    """Grade case by case. Every half second results are written, the lease is renewed and the
    worker shows itself; where nothing is left to renew, the rest is no longer its business."""
    claim = claims.claim(run.pk)
    if claim is None:
        return
    found: list[Result] = []
    looked = monotonic()
    for case, repeat, rows in _work(claim):
        if monotonic() - looked > FLUSH_SECONDS:
            claims.record(claim.token, found)
            beats.beat(worker)
            found, looked = [], monotonic()
            if stopping.asked():
                claims.release(claim.token)
                return
            if not claims.renew(claim.token):
                return
        found += results.of_grades(rows, grade(case, repeat))
    claims.record(claim.token, found)


def _work(claim: Claim) -> Iterator[tuple[interchange.Case, int, list[Row]]]:
    """Each claimed case and repeat with its rows."""
    cases = probes.records_of(claim.run, {row.case_pk for row in claim.rows})
    for (case_pk, repeat), rows in groupby(claim.rows, lambda row: (row.case_pk, row.repeat)):
        yield cases[case_pk], repeat, list(rows)
