"""A set as it stood at a revision: the columns hold what the rows say, and go on holding it."""

from __future__ import annotations

import json

import numpy as np
import pytest
from django.utils import timezone

from grounding.contract import ClaimClass, ClaimType, SpeechAct, Verdict
from labeling.columns import cited
from labeling.columns.cited import Cited
from labeling.columns.numbers import NOTHING, Codes
from labeling.models import CalibrationSet, Case, Expectation, RevisionSheet, Statement
from labeling.references import stood
from labeling.references.stood import Stood

pytestmark = pytest.mark.django_db


def words(codes: Codes, vocabulary: object) -> list[str | None]:
    names = [*map(str, vocabulary), None]  # type: ignore[call-overload]
    return [names[code] for code in codes.tolist()]


def in_order(made: CalibrationSet, revision: int) -> list[Statement]:
    rows = Statement.objects.filter(case__in=Case.objects.at(revision).filter(set=made))
    return list(rows.select_related("case").order_by("case__position", "case_id", "position", "pk"))


def told_otherwise(made: CalibrationSet) -> None:
    """What the shipped cases do not have: a pool, a fact about it, tags, what is said of words."""
    first, second, third = Case.objects.filter(set=made).order_by("position")[:3]
    pool = [*first.context, {"id": "p8", "text": "Eight.", "source": None}]
    changed = {"retrieved": pool, "answerable": False, "answerable_from_retrieved": True}
    Case.objects.filter(pk=first.pk).update(**changed, tags=["b", "a", "b"])
    Case.objects.filter(pk=second.pk).update(tags=["a"], retrieved=[])
    Statement.objects.filter(case=third).update(claim_type="date", speech_act="refusal")


def test_statements_and_cases_stand_in_the_sets_order_with_what_they_state(
    small_set: CalibrationSet,
) -> None:
    told_otherwise(small_set)
    held, rows = stood.of(small_set, 1), in_order(small_set, 1)
    cases = list(Case.objects.filter(set=small_set).order_by("position", "pk"))
    assert held.statements.tolist() == [one.pk for one in rows]
    assert [cases[at] for at in held.case_of.tolist()] == [one.case for one in rows]
    assert words(held.claim_type, ClaimType) == [one.claim_type for one in rows]
    assert words(held.speech_act, SpeechAct) == [one.speech_act for one in rows]
    assert "date" in words(held.claim_type, ClaimType)
    assert held.cases.tolist() == [one.pk for one in cases]
    assert words(held.pair, held.pairs) == [one.pair_id for one in cases]
    assert words(held.kind, held.kinds) == [one.pair_kind for one in cases]
    assert held.ids() == [(one.case.case_id, one.statement_id) for one in rows]


def test_what_is_known_of_a_pool_is_counted(small_set: CalibrationSet) -> None:
    told_otherwise(small_set)
    held, first = stood.of(small_set, 1), Case.objects.get(set=small_set, position=0)
    facts = held.answerable, held.from_retrieved, held.captured, held.admitted, held.dropped
    kept, few = len(first.context), [column[:2].tolist() for column in facts]
    second = Case.objects.get(set=small_set, position=1).answerable
    assert few == [[0, int(bool(second))], [1, NOTHING], [1, 1], [kept, 0], [1, 0]]
    cases = Case.objects.filter(set=small_set).order_by("position", "pk")
    captured = [int(one.retrieved is not None) for one in cases]
    assert held.captured.tolist() == captured
    assert set(captured) == {0, 1}
    case, tag, names = held.tagged
    tags = [(int(place), names[code]) for place, code in zip(case, tag.tolist(), strict=True)]
    assert tags[:3] == [(0, "b"), (0, "a"), (1, "a")]


def test_an_author_counts_under_the_contract_of_their_day(small_set: CalibrationSet) -> None:
    some, other = Expectation.objects.filter(verdict__isnull=False).order_by("pk")[:2]
    Expectation.objects.filter(pk=some.pk).update(contract_major=2)
    Expectation.objects.filter(pk=other.pk).update(claim_class=None, verdict=None)
    held = stood.of(small_set, 1)
    for major in (1, 2, 3):
        claim_class, verdict = held.expected(major)
        found = dict(zip(held.statements.tolist(), words(verdict, Verdict), strict=True))
        classes = dict(zip(held.statements.tolist(), words(claim_class, ClaimClass), strict=True))
        stated = Expectation.objects.filter(contract_major=major, verdict__isnull=False)
        assert {pk: said for pk, said in found.items() if said} == dict(
            stated.values_list("pk", "verdict")
        )
        assert {pk: said for pk, said in classes.items() if said} == dict(
            stated.values_list("pk", "claim_class")
        )


def test_what_authors_cite_is_known_with_its_place(small_set: CalibrationSet) -> None:
    some, other = Expectation.objects.order_by("pk")[:2]
    quotes = [("p1", None, 3, 9), (None, "s1", 0, 4)]
    evidence = [
        {"passage_id": passage, "source_id": source, "start": start, "end": end, "quote": "q"}
        for passage, source, start, end in quotes
    ]
    Expectation.objects.update(evidence=[])
    Expectation.objects.filter(pk=some.pk).update(evidence=evidence)
    Expectation.objects.filter(pk=other.pk).update(evidence=[{**evidence[0], "start": None}])
    held = stood.of(small_set, 1)
    authored = held.authored
    assert sorted(held.statements[authored.rows].tolist()) == sorted([some.pk, other.pk])
    spans = [
        (int(held.statements[row]), *authored.places[place], start, end)
        for row, place, start, end in zip(*map(np.ndarray.tolist, authored.spans), strict=True)
    ]
    assert spans == [(some.pk, *quote) for quote in quotes]


def test_names_are_sorted_as_the_digest_of_references_asks(small_set: CalibrationSet) -> None:
    odd = Case.objects.filter(set=small_set).order_by("-position")[0]
    Case.objects.filter(pk=odd.pk).update(case_id='a "quoted" \\ é')
    held, rows = stood.of(small_set, 1), in_order(small_set, 1)
    places, lines = held.named
    pairs = sorted((one.case.case_id, one.statement_id) for one in rows)
    assert [tuple(json.loads(f"[{line}]")) for line in lines] == pairs
    assert [held.ids()[at] for at in places.tolist()] == pairs


def test_a_revision_stays_as_it_was_when_the_set_moves_on(small_set: CalibrationSet) -> None:
    before = stood.of(small_set, 1).statements.tolist()
    gone = Case.objects.filter(set=small_set).order_by("position")[0]
    Case.objects.filter(pk=gone.pk).update(superseded_in=2)
    assert stood.of(small_set, 1).statements.tolist() == before
    RevisionSheet.objects.all().delete()
    assert stood.of(small_set, 1).statements.tolist() == before
    left = [one.pk for one in in_order(small_set, 1) if one.case_id != gone.pk]
    assert stood.of(small_set, 2).statements.tolist() == left != before


def test_what_is_kept_is_read_by_one_query_and_is_what_was_made(
    small_set: CalibrationSet, django_assert_num_queries: object
) -> None:
    made = stood.of(small_set, 1)
    with django_assert_num_queries(1):  # type: ignore[operator]
        kept = stood.of(small_set.pk, 1)
        assert kept.statements.tolist() == made.statements.tolist()
    assert RevisionSheet.objects.count() == 1


def test_a_sheet_of_another_format_is_not_read(
    small_set: CalibrationSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    stood.of(small_set, 1)
    RevisionSheet.objects.update(columns=b"of another release")
    with pytest.raises(ValueError, match=r"pickle|file"):
        _ = stood.of(small_set, 1).statements
    monkeypatch.setattr(stood, "FORMAT", stood.FORMAT + 1)
    assert stood.of(small_set, 1).statements.size == len(in_order(small_set, 1))
    assert RevisionSheet.objects.count() == 2


def test_a_set_without_a_case_is_columns_of_nothing(db: None) -> None:
    empty = CalibrationSet.objects.create(slug="empty", title="Empty", created_at=timezone.now())
    held: Stood = stood.of(empty, 0)
    assert (len(held), held.cases.size, held.ids(), list(held.pairs)) == (0, 0, [], [])
    assert held.authored.rows.size == held.authored.spans.row.size == 0


def test_evidence_of_two_sides_is_joined_with_one_code_for_a_place() -> None:
    def quotes(*each: tuple[str, int, int]) -> list[dict[str, object]]:
        return [
            {"passage_id": name, "source_id": None, "start": start, "end": end}
            for name, start, end in each
        ]

    one = Cited.of(np.array([0, 2]), [quotes(("p1", 0, 4)), quotes(("p2", 1, 2), ("p1", 5, 6))])
    other = Cited.of(np.array([2]), [quotes(("p2", 7, 9))])
    both = cited.joined(one, other)
    named = [
        (row, both.places[place][0], start, end)
        for row, place, start, end in zip(*map(np.ndarray.tolist, both.spans), strict=True)
    ]
    assert named == [(0, "p1", 0, 4), (2, "p2", 1, 2), (2, "p1", 5, 6), (2, "p2", 7, 9)]
    assert both.rows.tolist() == [0, 2, 2]
    # Row 0 becomes 1, row 2 becomes 0; of the new ones only row 0 is read.
    to = np.array([1, NOTHING, 0])
    moved = both.moved(to, np.array([True, True]), np.array([True, False]))
    assert moved.rows.tolist() == [1, 0, 0]
    assert set(moved.spans.row.tolist()) == {0}
    assert moved.spans.start.tolist() == [1, 5, 7]
