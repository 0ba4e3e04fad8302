"""What each reported model said in each run, as `drift` takes it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np
from django.db.models import Max

from calibration.agreement.columns import NOTHING
from calibration.models import Judgment, JudgmentQuerySet, Run
from calibration.versions.book import Book
from calibration.versions.drift import Telling
from grounding.interchange.models import Outcome


class _Named(NamedTuple):
    run: int
    model: str | None
    at: datetime | None


def of(book: Book, runs: Sequence[Run]) -> list[Telling]:
    """Of complete runs. Two queries, however many runs and models: which model each judgment is
    of is looked up only in runs where several reported themselves."""
    by_pk = {run.pk: run for run in runs}
    latest = Max("judged_at")
    rows = _graded(list(by_pk)).values_list("run_id", "judge_model").annotate(latest)
    named = [_Named(*row) for row in rows]
    pks = [one.run for one in named]
    said_by = _by_model(book, [pk for pk in by_pk if pks.count(pk) > 1])
    return [_telling(book, by_pk[one.run], one, said_by) for one in named]


def _telling(
    book: Book, run: Run, named: _Named, said_by: dict[tuple[int, str | None], list[int]]
) -> Telling:
    verdicts = book.verdicts(run)
    own = said_by.get((named.run, named.model))
    if own is not None:
        places = book.ground.places(np.array(own, dtype=np.int64))
        alone = np.full(len(book.ground), NOTHING)
        alone[places] = verdicts[places]
        verdicts = alone
    at = named.at or run.finished_at or run.started_at
    return Telling(str(run.rubric_version), run.pk, named.model, at, verdicts)


def _by_model(book: Book, runs: Sequence[int]) -> dict[tuple[int, str | None], list[int]]:
    """Of runs in which several models answered, the statements that each answered."""
    found: dict[tuple[int, str | None], list[int]] = {}
    rows = _graded(runs).values_list("run_id", "judge_model", "statement_id")
    for pk, model, statement in rows.iterator(chunk_size=10_000):
        found.setdefault((pk, model), []).append(statement)
    return found


def _graded(runs: Sequence[int]) -> JudgmentQuerySet:
    graded = Judgment.objects.filter(run__in=runs, repeat=0, outcome=Outcome.GRADED.value)
    return graded.order_by()
