"""The rows of `report_fixtures` in the database: a set, a blind label a statement, a finished run.

Import from fixtures or tests: models can be loaded only once Django is set up.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.utils import timezone

from calibration.models import Judgment, RubricVersion, Run
from labeling.models import Annotator, CalibrationSet, Case, Label, Statement
from tests.calibration.report_fixtures import CLASS_LETTERS, VERDICT_LETTERS, Row

CLASSES = ("subject_specific", "external", "interpretation")
VERDICTS = ("supported", "unsupported", "contradictory", "not_applicable")


def stated(letters: str) -> tuple[str | None, str | None]:
    """Class and verdict of two letters; a dot is None."""
    at_class, at_verdict = CLASS_LETTERS.find(letters[0]), VERDICT_LETTERS.find(letters[1])
    return (
        CLASSES[at_class] if at_class >= 0 else None,
        VERDICTS[at_verdict] if at_verdict >= 0 else None,
    )


def a_set(rows: Sequence[Row], slug: str = "made", kinds: Sequence[str] = ()) -> CalibrationSet:
    """One case and one label for each row that is alone; rows of one side share their case."""
    made = CalibrationSet.objects.create(slug=slug, revision=1)
    annotator = Annotator.objects.create(set=made, code="ann-1")
    cases: dict[object, Case] = {}
    for at, row in enumerate(rows):
        cases.setdefault(_place(at, row), _case(made, at, row, kinds))
    Case.objects.bulk_create(cases.values())
    statements = [_statement(cases[_place(at, row)], at, row) for at, row in enumerate(rows)]
    Statement.objects.bulk_create(statements)
    Label.objects.bulk_create(
        _label(statement, annotator, row.human)
        for statement, row in zip(statements, rows, strict=True)
        if row.human != ".."
    )
    return made


def _place(at: int, row: Row) -> object:
    return at if row.pair is None else (row.pair, row.side)


def _statement(case: Case, at: int, row: Row) -> Statement:
    return Statement(
        case=case,
        statement_id=f"s{at}",
        position=at,
        text=f"Statement {at}.",
        claim_type=row.claim_type,
        # An assertion is what a statement is that says nothing else.
        speech_act=None if row.speech_act == "assertion" else row.speech_act,
    )


def labelled(*statements: str, slug: str = "made") -> CalibrationSet:
    """A set in which annotator i gives statement s the i-th of its answers; a dash is none."""
    made = a_set([Row("..", "Ss")] * len(statements), slug=slug)
    raters = [Annotator.objects.get(set=made, code="ann-1")]
    for number in range(2, 5):
        raters.append(Annotator.objects.create(set=made, code=f"ann-{number}"))
    rows = Statement.objects.filter(case__set=made).order_by("position")
    Label.objects.bulk_create(
        _label(statement, rater, letters)
        for statement, answers in zip(rows, statements, strict=True)
        for rater, letters in zip(raters, answers.split(), strict=False)
        if letters != "-"
    )
    return made


def label(statement: Statement, annotator: Annotator, letters: str, **others: object) -> Label:
    made = _label(statement, annotator, letters, **others)
    made.save()
    return made


def _label(statement: Statement, annotator: Annotator, letters: str, **others: object) -> Label:
    claim_class, verdict = stated(letters)
    fields = {
        "role": "label",
        "origin": "blind",
        "contract_version": "1.0.0",
        "contract_major": 1,
        **others,
    }
    return Label(
        statement=statement, annotator=annotator, claim_class=claim_class, verdict=verdict, **fields
    )


def a_run(
    made: CalibrationSet, rows: Sequence[Row], version: str = "1.0.0", **others: object
) -> Run:
    """A finished run with the judgments of the rows, repeat 0."""
    rubric, _ = RubricVersion.objects.get_or_create(name="judge", version=version, recorded=True)
    statements = list(Statement.objects.filter(case__set=made).order_by("position"))
    fields = {"finished_at": timezone.now(), **others}
    run = Run.objects.create(
        set=made, revision=1, rubric_version=rubric, planned=len(rows), **fields
    )
    Judgment.objects.bulk_create(
        _judgment(run, statement, row) for statement, row in zip(statements, rows, strict=True)
    )
    return run


def _case(made: CalibrationSet, at: int, row: Row, kinds: Sequence[str]) -> Case:
    return Case(
        set=made,
        case_id=f"case-{at}",
        added_in=1,
        position=at,
        pair_id=None if row.pair is None else f"pair-{row.pair}",
        pair_kind=None if row.kind is None else kinds[row.kind],
        context=[{"id": "p1", "text": "A passage.", "source": None}],
        answer="An answer.",
        digest=f"sha256:{at}",
        content_digest=f"sha256:{at}",
    )


def _judgment(run: Run, statement: Statement, row: Row) -> Judgment:
    graded = len(row.judge) == 2
    claim_class, verdict = stated(row.judge) if graded else (None, None)
    return Judgment(
        run=run,
        statement=statement,
        case_pk=statement.case_id,
        outcome="graded" if graded else row.judge,
        claim_class=claim_class,
        verdict=verdict,
        judge_model="model-1" if graded else None,
        without_evidence=row.without_evidence,
        explanation="As it says.",
        judged_at=run.finished_at,
    )
