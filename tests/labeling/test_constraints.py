"""The contract as database constraints: raw rows, past every check in Python (law 3)."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import Model
from django.utils import timezone

from calibration.models import Judgment, RubricVersion, Run
from grounding.contract import ClaimClass, Verdict, allowed
from labeling.models import Annotator, CalibrationSet, Case, Expectation, Label, Statement

CELLS = list(product([None, *ClaimClass], Verdict))
FORBIDDEN = [cell for cell in CELLS if not allowed(*cell)]
ALLOWED = [cell for cell in CELLS if allowed(*cell)]


def insert(row: Model) -> None:
    """One row as SQL of our own; the database alone may object."""
    fields = [field for field in row._meta.concrete_fields if not field.primary_key or row.pk]
    columns = ", ".join(connection.ops.quote_name(str(field.column)) for field in fields)
    values = [field.get_db_prep_save(field.pre_save(row, True), connection) for field in fields]
    marks = ", ".join(["%s"] * len(values))
    table = connection.ops.quote_name(row._meta.db_table)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {table} ({columns}) VALUES ({marks})", values)


@pytest.fixture
def statement(db: None) -> Statement:
    calibration_set = CalibrationSet.objects.create(slug="bare", revision=1)
    case = Case.objects.create(
        set=calibration_set, case_id="c", added_in=1, position=0, context=[], answer="a",
        digest="d", content_digest="d",
    )  # fmt: skip
    return Statement.objects.create(case=case, statement_id="s", position=0, text="a")


def expectation(statement: Statement, **fields: Any) -> Expectation:
    return Expectation(statement=statement, **fields)


def label(statement: Statement, **fields: Any) -> Label:
    annotator, _ = Annotator.objects.get_or_create(set=statement.case.set, code="ann-1")
    given = {"role": "label", "origin": "blind", "verdict": "supported", "contract_major": 1}
    return Label(
        statement=statement, annotator=annotator, recorded_at=timezone.now(), **given | fields
    )


def judgment(statement: Statement, **fields: Any) -> Judgment:
    version, _ = RubricVersion.objects.get_or_create(name="r", version="1", recorded=True)
    run, _ = Run.objects.get_or_create(
        set=statement.case.set, revision=1, rubric_version=version, planned=1, key="k"
    )
    given = {"outcome": "graded"}
    return Judgment(run=run, statement=statement, case_pk=statement.case_id, **given | fields)


TABLES = [expectation, label, judgment]


@pytest.mark.parametrize("row", TABLES)
@pytest.mark.parametrize(("claim_class", "verdict"), FORBIDDEN)
def test_a_class_and_verdict_that_the_contract_forbids_are_refused(
    statement: Statement, row: Any, claim_class: ClaimClass, verdict: Verdict
) -> None:
    with pytest.raises(IntegrityError, match="contract_holds"):
        insert(row(statement, claim_class=claim_class.value, verdict=verdict.value))


@pytest.mark.parametrize("row", TABLES)
@pytest.mark.parametrize(("claim_class", "verdict"), ALLOWED)
def test_what_the_contract_allows_is_taken(
    statement: Statement, row: Any, claim_class: ClaimClass | None, verdict: Verdict
) -> None:
    insert(row(statement, claim_class=claim_class and claim_class.value, verdict=verdict.value))


@pytest.mark.parametrize("row", TABLES)
@pytest.mark.parametrize("fields", [{"verdict": "Supported"}, {"claim_class": "objective"}])
def test_a_word_off_the_menu_is_refused(
    statement: Statement, row: Any, fields: dict[str, str]
) -> None:
    with pytest.raises(IntegrityError, match="_known"):
        insert(row(statement, **{"verdict": "supported", **fields}))


@pytest.mark.parametrize(
    "fields",
    [
        {"outcome": "timeout", "verdict": "supported"},
        {"outcome": "refused", "claim_class": "external"},
        {"outcome": None, "verdict": "supported"},
        {"outcome": None, "claim_class": "external"},
        {"outcome": "graded"},
    ],
)
def test_a_failure_or_a_plan_is_never_a_verdict(
    statement: Statement, fields: dict[str, Any]
) -> None:
    with pytest.raises(IntegrityError, match="judgment_failure_is_no_verdict"):
        insert(judgment(statement, **fields))


@pytest.mark.parametrize(
    "fields",
    [{"role": "judge"}, {"origin": "guess"}, {"selected": "at_random"}, {"confidence": 1.5}],
)
def test_labels_keep_to_their_vocabulary(statement: Statement, fields: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError, match="label_"):
        insert(label(statement, **fields))


def test_one_live_label_for_each_statement_annotator_role_and_major(statement: Statement) -> None:
    insert(label(statement))
    insert(label(statement, role="adjudication"))
    insert(label(statement, contract_major=2))
    insert(label(statement, superseded_at=timezone.now()))
    with pytest.raises(IntegrityError):
        insert(label(statement))


def test_one_live_revision_of_a_case(statement: Statement) -> None:
    case = statement.case
    newer = {
        field.name: getattr(case, field.name)
        for field in Case._meta.concrete_fields
        if not field.primary_key
    }
    with pytest.raises(IntegrityError):
        insert(Case(**newer | {"added_in": 2}))
    with pytest.raises(IntegrityError, match="case_superseded_later"):
        insert(Case(**newer | {"case_id": "other", "added_in": 2, "superseded_in": 2}))


@pytest.mark.parametrize("span", [(None, 3), (3, None), (3, 3), (4, 3)])
def test_a_span_is_whole_or_absent(
    statement: Statement, span: tuple[int | None, int | None]
) -> None:
    start, end = span
    row = Statement(
        case=statement.case, statement_id="t", position=1, text="a", span_start=start, span_end=end
    )
    with pytest.raises(IntegrityError, match="statement_span_whole"):
        insert(row)
