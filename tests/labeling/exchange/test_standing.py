"""Each label with used or excluded, and why (row C7; G7)."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from django.utils import timezone

from labeling import references
from labeling.exchange import standing
from labeling.models import Annotator, CalibrationSet, Case, Label, Statement
from tests.calibration.report_fixtures import Row
from tests.calibration.report_records import a_set, label

pytestmark = pytest.mark.django_db


@pytest.fixture
def made() -> CalibrationSet:
    """s0 agreed on by two of three, s1 one label, s2 disputed, s3 adjudicated, s4 replaced."""
    made = a_set([Row("..", "Ss")] * 5)
    one, two, three, judge = (
        Annotator.objects.get_or_create(set=made, code=code)[0]
        for code in ("ann-1", "ann-2", "ann-3", "adj")
    )
    s = list(Statement.objects.filter(case__set=made).order_by("position"))
    for annotator, letters in ((one, "Ss"), (two, "Ss"), (three, "Su")):
        label(s[0], annotator, letters)
    label(s[1], one, "Ss", superseded_at=timezone.now())
    label(s[1], one, "Su")
    label(s[2], one, "Ss")
    label(s[2], two, "Su")
    label(s[3], one, "Ss")
    label(s[3], two, "Es")
    label(s[3], judge, "Es", role="adjudication")
    label(s[4], one, "Ss")
    Case.objects.filter(pk=s[4].case_id).update(superseded_in=2)
    made.revision = 2
    made.save()
    return made


def stood(made: CalibrationSet, *, of: str | None = None) -> list[tuple[Any, ...]]:
    annotator = Annotator.objects.get(set=made, code=of) if of else None
    return [
        (row["statement_id"], row["annotator"], row["used"], row["why"], row["agrees"])
        for row in standing.rows(made, annotator)
    ]


def test_every_version_says_whether_it_is_used_and_why(made: CalibrationSet) -> None:
    assert stood(made) == [
        ("s0", "ann-1", True, "consensus", True),
        ("s0", "ann-2", True, "consensus", True),
        ("s0", "ann-3", True, "consensus", False),
        ("s1", "ann-1", False, "superseded", None),
        ("s1", "ann-1", True, "single", True),
        ("s2", "ann-1", False, "disputed", None),
        ("s2", "ann-2", False, "disputed", None),
        # Class and verdict both: the first has another class than what was decided.
        ("s3", "ann-1", True, "adjudicated", False),
        ("s3", "ann-2", True, "adjudicated", True),
        ("s3", "adj", True, "adjudicated", True),
        ("s4", "ann-1", False, "case_superseded", None),
    ]


def test_of_one_annotator_there_are_only_theirs(made: CalibrationSet) -> None:
    assert stood(made, of="ann-2") == [one for one in stood(made) if one[1] == "ann-2"]
    assert len(stood(made, of="ann-2")) == 3


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"origin": "revealed"}, "revealed"),
        ({"origin": "model"}, "model"),
        ({"selected": "production_risk"}, "selected"),
        ({"contract_version": "2.0.0", "contract_major": 2}, "other_contract"),
        ({"origin": "revealed", "superseded_at": timezone.now()}, "superseded"),
    ],
)
def test_what_does_not_count_says_why_and_changes_no_reference(
    made: CalibrationSet, fields: dict[str, Any], reason: str
) -> None:
    before = references.resolve(made, 2, 1)
    statement = Statement.objects.get(case__set=made, statement_id="s1")
    label(statement, Annotator.objects.get(set=made, code="ann-2"), "Sc", **fields)
    assert ("s1", "ann-2", False, reason, None) in stood(made)
    assert references.resolve(made, 2, 1) == before


def test_used_are_exactly_the_labels_that_the_references_are_made_of(made: CalibrationSet) -> None:
    """The control: without the used ones no statement has a reference, without one of the others
    every statement has the one it had."""
    before = references.resolve(made, 2, 1).references
    used = [row["used"] for row in standing.rows(made)]
    labels = list(Label.objects.order_by("statement__position", "pk"))
    disputed = {"s2"}
    for stays, one in zip(used, labels, strict=True):
        if not stays and one.statement.statement_id not in disputed:
            one.delete()
    assert references.resolve(made, 2, 1).references == before
    Label.objects.exclude(statement__statement_id__in=disputed).delete()
    assert references.resolve(made, 2, 1).references == {}


def test_a_table_holds_the_same_rows_and_runs_in_no_spreadsheet(made: CalibrationSet) -> None:
    Label.objects.update(rationale="=1+1")
    table, lines = io.StringIO(), io.StringIO()
    standing.write_csv(standing.rows(made), table)
    standing.write_jsonl(standing.rows(made), lines)
    read = list(csv.DictReader(io.StringIO(table.getvalue())))
    records = [json.loads(line) for line in lines.getvalue().splitlines()]
    assert len(read) == len(records) == 11
    assert {row["rationale"] for row in read} == {"'=1+1"}
    assert {row["rationale"] for row in records} == {"=1+1"}
    assert [row["why"] for row in read] == [row["why"] for row in records]
    assert {row["used"] for row in read} == {"true", "false"}
    assert set(read[0]) == set(records[0]) == set(standing.COLUMNS)


def test_it_takes_as_many_queries_for_many_labels_as_for_few(
    made: CalibrationSet, django_assert_num_queries: Any
) -> None:
    references.resolve(made, made.revision, 1)
    with django_assert_num_queries(4):
        few = len(list(standing.rows(made)))
    statement = Statement.objects.get(case__set=made, statement_id="s1")
    for number in range(40):
        label(statement, Annotator.objects.create(set=made, code=f"more-{number}"), "Ss")
    with django_assert_num_queries(4):
        assert len(list(standing.rows(made))) == few + 40
