"""Agreement reports: computed once from a finished run and frozen references, then only read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.db.models import Count, Q, QuerySet

from calibration import (
    agreement,
    answer_lists,
    answersheets,
    confidences,
    counting,
    evidence,
    evidence_rows,
    floors,
    loading,
    making,
    pairs,
    rubrics,
    runs,
    selfcheck_rows,
    tag_rows,
    tags,
)
from calibration.agreement import DEFAULT_SEED, DIRECTIONS, IMPLEMENTATION, Figures
from calibration.columns import NOTHING
from calibration.loading import Loaded
from calibration.models import (
    AnswerSheet,
    Disagreement,
    EvidenceSheet,
    PairOutcome,
    Report,
    Run,
)
from calibration.published import figures_in_order, in_order
from calibration.selfcheck import Words
from grounding.contract import FAILING, ClaimClass, Verdict
from grounding.errors import BadInput, Refused
from labeling import references
from labeling.models import Case, ReferenceSnapshot, Statement

__all__ = [
    "DEFAULT_SEED",
    "DIRECTIONS",
    "TIERS",
    "create",
    "disagreement_counts",
    "disagreements",
    "figures",
    "full",
]

TIERS: Final = (*references.TIERS, references.DISPUTED, references.NONE)

_BATCH: Final = 2000

# Rows are listed under their most harmful direction; asked for a direction, a reader gets
# every row that the direction's rate counts.
_COUNTED: Final = {
    "lenient": Q(direction="lenient"),
    "class_escape": Q(direction="class_escape")
    | Q(
        ~Q(judgment__claim_class=ClaimClass.SUBJECT_SPECIFIC),
        direction="lenient",
        human_class=ClaimClass.SUBJECT_SPECIFIC,
        judgment__claim_class__isnull=False,
    ),
    "strict": Q(direction="strict")
    | Q(
        direction="class_escape",
        human_verdict=Verdict.SUPPORTED,
        judgment__verdict__in=sorted(FAILING),
    ),
    "other": Q(direction="other"),
}


def create(run: Run, *, minimum: str = references.AUTHOR, seed: int = DEFAULT_SEED) -> Report:
    """The agreement report of a finished run against the references as they are now.

    Asked again with nothing changed, it is the same report; each round of a run has its own.
    Refused where the run is not finished or is a probe, and where nothing was graded. A partial
    run is reported on, as partial.
    """
    agreement.require_seed(seed)
    status = _finished_status(run)
    contract_major = run.rubric_version.contract_major
    frozen = references.snapshot(run.set, run.revision, contract_major, minimum)
    return _existing(run, frozen, seed) or _compute(run, frozen, seed, status)


def figures(report: Report) -> Figures:
    """A report's figures with their keys in the published order, whatever the database."""
    return figures_in_order(report.figures)


def full(report: Report, *, most: int | None = None) -> dict[str, Any]:
    """The whole report: its figures, the floors that stand beside it, how it was made, and every
    disagreement, of answers too, as ``report --format json`` prints it.

    With ``most`` it has that many disagreements and no more, for renderings that list some of
    them, and ``disagreements_in_all`` says how many there are.
    """
    rows = _listed(report).select_related("statement__case", "judgment")
    stored = _with_answers(report)
    return {
        **stored,
        "floor": {**stored["floor"], "judges": in_order(floors.beside(report))},
        "made": making.of(report),
        **({} if most is None else {"disagreements_in_all": report.disagreements.count()}),
        "disagreements": [_described(row) for row in rows[:most].iterator(chunk_size=_BATCH)],
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
    """A part of the list, with statement, expectation, case and judgment: all, or those that
    ``direction`` counts."""
    rows = Disagreement.objects.filter(report=report).order_by("position")
    rows = rows.select_related("statement__case", "statement__expectation", "judgment").defer(
        "statement__case__retrieved", "statement__case__answer"
    )
    if direction is not None:
        rows = rows.filter(_counted(direction))
    return list(rows[offset : offset + limit])


def disagreeing(report: Report, direction: str | None = None) -> list[int]:
    """The statements that `disagreements` lists, by primary key."""
    rows = Disagreement.objects.filter(report=report).order_by("position")
    if direction is not None:
        rows = rows.filter(_counted(direction))
    return list(rows.values_list("statement_id", flat=True))


def disagreement_counts(report: Report) -> dict[str, int]:
    """How many rows `disagreements` has for each direction, and in ``all``.

    A row may count in two directions, so these add up to more than all.
    """
    listed = report.disagreements.aggregate(
        all=Count("pk"), other=Count("pk", filter=Q(direction="other"))
    )
    stated = {name: report.figures[name]["count"] for name in DIRECTIONS if name != "other"}
    return {**stated, "other": listed["other"], "all": listed["all"]}


def _counted(direction: str) -> Q:
    try:
        return _COUNTED[direction]
    except KeyError:
        raise BadInput(
            f"a direction is one of {', '.join(DIRECTIONS)}", field="direction"
        ) from None


def _listed(report: Report) -> QuerySet[Disagreement]:
    """In their order, without the cases' long texts."""
    return (
        Disagreement.objects.filter(report=report)
        .order_by("position")
        .defer("statement__case__context", "statement__case__retrieved", "statement__case__answer")
    )


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


def _finished_status(run: Run) -> str:
    status = runs.status(run)
    if status not in ("complete", "partial"):
        raise Refused(f"run {run.pk} is {status}: only a finished run has a report")
    if run.probe is not None:
        raise Refused(f"run {run.pk} is a probe of cases told otherwise: it measures nothing")
    return status


def _existing(run: Run, frozen: ReferenceSnapshot, seed: int) -> Report | None:
    return Report.objects.filter(
        run=run, round=run.round, snapshot=frozen, seed=seed, implementation=IMPLEMENTATION
    ).first()


def _compute(run: Run, frozen: ReferenceSnapshot, seed: int, status: str) -> Report:
    loaded = loading.load(run, frozen.references)
    computed = agreement.figures(loaded.columns, loaded.pair_kinds, seed=seed)
    if not computed["outcomes"]["graded"]:
        raise Refused(f"nothing was graded in run {run.pk}: {_failures(computed['outcomes'])}")
    of_answers = answersheets.measure(run, loaded)
    cited = evidence_rows.of(run, loaded, frozen)
    fates = selfcheck_rows.fates(run, loaded)
    checked = selfcheck_rows.figures(run, loaded, fates, seed=seed)
    report = Report(
        run=run,
        round=run.round,
        snapshot=frozen,
        seed=seed,
        implementation=IMPLEMENTATION,
        figures={
            **_head(run, frozen, seed, status),
            **computed,
            **tags.figures(loaded.columns, tag_rows.of(run)),
            "confidence": confidences.figures(loaded.columns, loaded.confidence, seed=seed),
            "evidence": evidence.figures(loaded.columns, cited, seed=seed),
            **of_answers.figures,
            **checked,
        },
    )
    sheets = (
        AnswerSheet(report=report, columns=of_answers.columns),
        EvidenceSheet(report=report, columns=evidence_rows.columns_of(loaded, cited)),
    )
    return _stored(report, _list(report, loaded), _pairs(report, loaded, fates), sheets)


def _failures(outcomes: dict[str, int]) -> str:
    kinds = [f"{n} {name}" for name, n in outcomes.items() if n and name != "planned"]
    return f"of {outcomes['planned']} planned judgments, {', '.join(kinds) or 'none'}"


def _list(report: Report, loaded: Loaded) -> list[Disagreement]:
    listed = agreement.disagreements(loaded.columns)
    places = zip(listed.rows.tolist(), listed.directions.tolist(), strict=True)
    return [
        _disagreement(report, position, loaded, row, DIRECTIONS[direction])
        for position, (row, direction) in enumerate(places)
    ]


def _pairs(report: Report, loaded: Loaded, fates: Words) -> list[PairOutcome]:
    """What became of each pair, in the set's order."""
    paired = loaded.columns.where(loaded.columns.pair != NOTHING)
    outcomes = pairs.outcome_of_each(paired).tolist()
    each = zip(loaded.pairs, outcomes, fates.tolist(), strict=True)
    return [
        PairOutcome(
            report=report, position=position, pair_id=pair_id, outcome=outcome, twin=fate or None
        )
        for position, (pair_id, outcome, fate) in enumerate(each)
    ]


def _disagreement(
    report: Report, position: int, loaded: Loaded, row: int, direction: str
) -> Disagreement:
    reference = loaded.references[row]
    return Disagreement(
        report=report,
        position=position,
        direction=direction,
        statement_id=loaded.statements[row],
        judgment_id=loaded.judgments[row],
        human_class=reference.claim_class,
        human_verdict=reference.verdict,
        tier=reference.tier,
    )


def _stored(
    report: Report,
    listed: list[Disagreement],
    outcomes: list[PairOutcome],
    sheets: Sequence[AnswerSheet | EvidenceSheet],
) -> Report:
    """The report with its lists, all or nothing; where another caller was first, theirs."""
    try:
        with transaction.atomic():
            report.save(force_insert=True)
            Disagreement.objects.bulk_create(listed, batch_size=_BATCH)
            PairOutcome.objects.bulk_create(outcomes, batch_size=_BATCH)
            for sheet in sheets:
                sheet.save(force_insert=True)
    except IntegrityError:
        first = _existing(report.run, report.snapshot, report.seed)
        if first is None:
            raise
        return first
    return report


def _head(run: Run, frozen: ReferenceSnapshot, seed: int, status: str) -> Figures:
    version = run.rubric_version
    return {
        "set": {"slug": run.set.slug, "revision": run.revision},
        "rubric": rubrics.identity(version),
        "run": {"id": run.pk, "status": status, "judge_models": _judge_models(run)},
        "seed": seed,
        "reference": {
            "minimum": frozen.minimum,
            "digest": frozen.digest,
            "tiers": {tier: frozen.tiers.get(tier, 0) for tier in TIERS},
        },
    }


def _judge_models(run: Run) -> list[str]:
    return counting.judge_models(run, repeat=0)
