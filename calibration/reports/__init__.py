"""Agreement reports: computed once from a finished run and frozen references, then only read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from calibration import agreement, runs
from calibration.agreement import DEFAULT_SEED, DIRECTIONS, Figures
from calibration.models import Judgment, Report, Run
from calibration.reports import answer_lists, computing, floors, making, rating_sheets
from calibration.reports.computing import TIERS, Asked
from calibration.reports.error_sheets import Disagreement, ErrorSheet
from calibration.reports.published import figures_in_order, in_order
from grounding.errors import Refused
from labeling import references
from labeling.models import Case, Statement
from labeling.references import ratings

__all__ = [
    "DEFAULT_SEED",
    "DIRECTIONS",
    "TIERS",
    "create",
    "disagreement_counts",
    "disagreements",
    "figures",
    "first_disagreements",
    "full",
]

# What a page shows of each: to make objects of all columns takes longer than to ask for them.
_SHOWN: Final = Judgment.objects.select_related("statement__case", "statement__expectation").only(
    *("claim_class", "verdict", "explanation", "evidence"),
    *(f"statement__{name}" for name in ("statement_id", "text", "case")),
    *(f"statement__case__{name}" for name in ("case_id", "context", "set")),
    "statement__expectation__evidence",
)
_WITHOUT_TEXTS: Final = Judgment.objects.select_related("statement__case").defer(
    "statement__case__context", "statement__case__retrieved", "statement__case__answer"
)


def create(
    run: Run,
    *,
    minimum: str = references.AUTHOR,
    seed: int = DEFAULT_SEED,
    first: Callable[[Figures], None] = lambda figures: None,
) -> Report:
    """The agreement report of a finished run against the references and ratings as they are now.

    Asked again with nothing changed, it is the same report; each round of a run has its own.
    Refused where the run is not finished or is a probe, and where nothing was graded. A partial
    run is reported on, as partial. ``first`` is called with the first figures of a new report,
    while the others are still to be computed.
    """
    agreement.require_seed(seed)
    _require_measured(run)
    told = rating_sheets.told_of(run)
    frozen = references.snapshot(told, minimum)
    asked = Asked(run, frozen, told, ratings.of(told), seed)
    return computing.existing(asked) or computing.compute(asked, first)


def figures(report: Report) -> Figures:
    """A report's figures with their keys in the published order, whatever the database."""
    return figures_in_order(report.figures)


def full(report: Report, *, most: int | None = None) -> dict[str, Any]:
    """The whole report: its figures, the floors that stand beside it, how it was made, and every
    disagreement, of answers too, as ``report --format json`` prints it.

    With ``most`` it has that many disagreements and no more, for renderings that list some of
    them, and ``disagreements_in_all`` says how many there are.
    """
    errors, stored = ErrorSheet(report), _with_answers(report)
    rows = errors.rows(errors.places()[:most], _WITHOUT_TEXTS)
    return {
        **stored,
        "floor": {**stored["floor"], "judges": in_order(floors.beside(report))},
        "made": making.of(report),
        **({} if most is None else {"disagreements_in_all": len(errors.places())}),
        "disagreements": [_described(row) for row in rows],
    }


def _with_answers(report: Report) -> Figures:
    """The figures, with the answers decided otherwise and those that failed listed in their place;
    a report of before has neither."""
    told, sheet = figures(report), answer_lists.sheet_of(report)
    if sheet is None:
        return told
    cases = Case.objects.at(report.run.revision).filter(set=report.run.set_id).order_by()
    ids = dict(cases.values_list("pk", "case_id"))
    differing = answer_lists.differing(sheet, ids)
    return {
        **told,
        "answers": {**told["answers"], "disagreements": differing},
        "failure_source": {
            **told["failure_source"],
            "answers": answer_lists.ungrounded(sheet, ids),
        },
    }


def disagreements(
    report: Report, direction: str | None = None, *, offset: int = 0, limit: int = 50
) -> Sequence[Disagreement]:
    """A part of the list, all or those that ``direction`` counts, with what a page shows of
    statement, expectation, case and judgment."""
    errors = ErrorSheet(report)
    return errors.rows(errors.places(direction)[offset : offset + limit], _SHOWN)


def first_disagreements(
    report: Report, limit: int
) -> tuple[dict[str, int], dict[str, Sequence[Disagreement]]]:
    """`disagreement_counts`, and the first rows of each direction; two queries for all."""
    errors = ErrorSheet(report)
    places = {name: errors.places(name)[:limit] for name in DIRECTIONS}
    every = np.unique(np.concatenate(list(places.values())))
    held = dict(zip(every.tolist(), errors.rows(every, _SHOWN), strict=True))
    return errors.counts(), {
        name: [held[place] for place in each.tolist()] for name, each in places.items()
    }


def disagreeing(report: Report, direction: str | None = None) -> list[int]:
    """The statements that `disagreements` lists, by primary key."""
    return ErrorSheet(report).statements(direction)


def disagreement_counts(report: Report) -> dict[str, int]:
    """How many rows `disagreements` has for each direction, and in ``all``.

    A row may count in two directions, so these add up to more than all.
    """
    return ErrorSheet(report).counts()


def _described(row: Disagreement) -> dict[str, Any]:
    statement, judgment = row.statement, row.judgment
    return {
        "case_id": statement.case.case_id,
        "statement_id": statement.statement_id,
        "text": statement.text,
        "span": _span(statement),
        "human": {
            "claim_class": row.human_class,
            "verdict": row.human_verdict,
            "tier": row.tier,
        },
        "judge": {
            "claim_class": judgment.claim_class,
            "verdict": judgment.verdict,
            "raw_verdict": judgment.raw_verdict,
            "evidence": in_order(judgment.evidence),
            "explanation": judgment.explanation,
            "confidence": judgment.confidence,
            "judge_model": judgment.judge_model,
        },
        "direction": row.direction,
    }


def _span(statement: Statement) -> list[int | None] | None:
    """Where the statement stands in the answer, in code points; None where that is not stated."""
    if statement.span_start is None:
        return None
    return [statement.span_start, statement.span_end]


def _require_measured(run: Run) -> None:
    if run.finished_at is None or run.cancelled_at is not None:
        status = runs.status(run)
        if status not in ("complete", "partial"):
            raise Refused(f"run {run.pk} is {status}: only a finished run has a report")
    if run.probe is not None:
        raise Refused(f"run {run.pk} is a probe of cases told otherwise: it measures nothing")
