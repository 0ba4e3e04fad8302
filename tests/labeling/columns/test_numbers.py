"""Columns of numbers out of either database, and what is made of them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from django.db.models import Q, TextField
from django.db.models.functions import Cast

from grounding.contract import ClaimClass, Verdict
from labeling.columns.arrays import Packed, pack
from labeling.columns.frozen import Frozen
from labeling.columns.numbers import (
    NOTHING,
    code_of,
    different,
    documents,
    flag_of,
    listed,
    numbers,
    places_of,
    truth_of,
)
from labeling.models import Case, Expectation, Statement

VERDICTS = tuple(Verdict)


@pytest.mark.django_db
@pytest.mark.usefixtures("small_set")
def test_a_column_holds_what_the_rows_hold() -> None:
    pks, verdicts = numbers(Expectation.objects.all(), "pk", code_of("verdict", VERDICTS))
    stated = dict(Expectation.objects.values_list("pk", "verdict"))
    words = [None if code == NOTHING else VERDICTS[code] for code in verdicts.tolist()]
    assert dict(zip(pks.tolist(), words, strict=True)) == stated
    assert len(stated) > 5


@pytest.mark.django_db
@pytest.mark.usefixtures("small_set")
def test_yes_no_and_unsaid_are_three_numbers() -> None:
    chosen = list(Case.objects.order_by("pk")[:3])
    for case, said in zip(chosen, (True, False, None), strict=True):
        Case.objects.filter(pk=case.pk).update(answerable=said)
    pks, told = numbers(
        Case.objects.filter(pk__in=[case.pk for case in chosen]), "pk", truth_of("answerable")
    )
    assert told[np.argsort(pks)].tolist() == [1, 0, NOTHING]


@pytest.mark.django_db
@pytest.mark.usefixtures("small_set")
def test_codes_of_a_row_come_apart_as_they_went_together() -> None:
    columns = (
        code_of("claim_class", tuple(ClaimClass)),
        "pk",
        code_of("verdict", VERDICTS),
        flag_of(Q(verdict="supported")),
        "contract_major",
        truth_of("statement__case__answerable"),
    )
    rows = Expectation.objects.all()
    Expectation.objects.filter(pk=rows.order_by("pk")[0].pk).update(claim_class=None, verdict=None)
    together = np.column_stack(numbers(rows, *columns))
    alone = [numbers(rows, "pk", one)[1] for one in columns]
    assert sorted(together.tolist()) == sorted(np.column_stack(alone).tolist())
    assert NOTHING in together[:, 0]


@pytest.mark.django_db
def test_more_codes_than_go_into_one_number_are_refused() -> None:
    with pytest.raises(ValueError, match="one number"):
        numbers(Expectation.objects.all(), "pk", *[code_of("verdict", VERDICTS)] * 28)


@pytest.mark.django_db
@pytest.mark.usefixtures("small_set")
def test_a_null_is_refused_and_not_left_out() -> None:
    Statement.objects.update(span_start=None, span_end=None)
    with pytest.raises(ValueError, match="has no number"):
        numbers(Statement.objects.all(), "pk", "span_start")


@pytest.mark.django_db
def test_no_rows_are_columns_of_nothing() -> None:
    pks, positions = numbers(Statement.objects.all(), "pk", "position")
    assert (pks.size, positions.size) == (0, 0)


@pytest.mark.django_db
@pytest.mark.usefixtures("small_set")
def test_a_choice_among_nothing_is_columns_of_nothing() -> None:
    nothing = Case.objects.filter(pk__in=[])
    assert [column.tolist() for column in numbers(nothing, "pk", "position")] == [[], []]
    assert documents(nothing, "pk", "case_id") == ([], [])


@pytest.mark.django_db
@pytest.mark.usefixtures("small_set")
def test_texts_and_documents_are_read_as_they_are_stored() -> None:
    """Quotes, line ends, other letters and null; and a document beside a text of the same."""
    chosen = list(Case.objects.order_by("pk")[:3])
    words = ('"], [', "a\n\u2028\\é 漢", None)
    for case, said in zip(chosen, words, strict=True):
        Case.objects.filter(pk=case.pk).update(question=said, tags=[said or "", "x, y"])
    rows = Case.objects.filter(pk__in=[case.pk for case in chosen])
    pks, questions, tags, written = documents(
        rows, "pk", "question", "tags", Cast("tags", TextField())
    )
    held = zip(pks, questions, tags, map(json.loads, written), strict=True)
    assert sorted(held) == [
        (case.pk, said, [said or "", "x, y"], [said or "", "x, y"])
        for case, said in zip(chosen, words, strict=True)
    ]
    assert documents(Case.objects.filter(pk=-1), "pk", "question") == ([], [])


@pytest.mark.django_db
@pytest.mark.usefixtures("small_set")
def test_keys_in_any_number_are_one_parameter() -> None:
    pks = list(Statement.objects.values_list("pk", flat=True))
    wanted = [*pks[:3], *range(10**9, 10**9 + 40_000)]
    found = Statement.objects.filter(listed(wanted)).values_list("pk", flat=True)
    assert sorted(found) == sorted(pks[:3])


@pytest.mark.parametrize("scale", [3, 2**40], ids=["small", "beyond 64 bits together"])
def test_different_rows_are_those_that_numpy_finds(scale: int) -> None:
    rng = np.random.default_rng(1)
    table = rng.integers(-1, 3, (500, 4)) * scale
    rows, which = different(table)
    assert (rows[which] == table).all()
    assert rows.tolist() == np.unique(table, axis=0).tolist()


def test_a_key_that_is_not_there_is_an_error_and_not_its_neighbour() -> None:
    keys = np.array([7, 3, 5])
    assert places_of(keys, np.array([3, 7, 3])).tolist() == [1, 0, 1]
    for missing in (4, 99):
        with pytest.raises(ValueError, match="not there"):
            places_of(keys, np.array([missing]))


def test_what_is_packed_is_read_with_the_words_of_its_day() -> None:
    kept = Packed(
        pack(
            {"verdict": np.array([2, -1, 0]), "case": np.array([2**40, 1, 300])},
            {"verdict": ["a", "b", "c"]},
        )
    )
    assert kept.codes("case").tolist() == [2**40, 1, 300]
    assert [kept.word("verdict", place) for place in range(3)] == ["c", None, "a"]
    assert kept.code("verdict", "b") == 1


def test_references_in_columns_are_those_of_the_mapping() -> None:
    rows = {
        "12": ["single", None, "supported"],
        "7": ["consensus", "external", "unsupported", "date"],
        "30": ["single", None, "supported"],
    }
    frozen = Frozen.of(rows)
    assert frozen.rows() == rows
    assert len(frozen.answers) == 2
    assert Frozen.unpacked(frozen.packed(), frozen.answers).rows() == rows
    of = frozen.of_statements(np.array([30, 8, 31, 1, 7]))
    assert [None if at == NOTHING else frozen.answers[at] for at in of.tolist()] == [
        rows["30"],
        None,
        None,
        None,
        rows["7"],
    ]
    assert Frozen.of({}).of_statements(np.array([1])).tolist() == [NOTHING]
