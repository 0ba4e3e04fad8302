"""What labels cite: the same whether it was kept in columns or is read out of the labels."""

from __future__ import annotations

import numpy as np
import pytest

from labeling.columns.cited import Cited
from labeling.columns.numbers import Codes
from labeling.models import Annotator, CalibrationSet, Label, LabelSheet, Statement
from labeling.references import cited_by_labels

pytestmark = pytest.mark.django_db


def quote(passage: str | None, start: int, source: str | None = None) -> dict[str, object]:
    return {"passage_id": passage, "source_id": source, "start": start, "end": start + 3}


@pytest.fixture
def cited(small_set: CalibrationSet) -> list[Label]:
    """Three labels that cite, by one annotator; a fourth cites nothing."""
    someone = Annotator.objects.create(set=small_set, code="someone")
    evidence = [[quote("p1", 0), quote("p2", 4)], [quote(None, 7, "p1")], [quote("p1", 9)], []]
    statements = Statement.objects.filter(case__set=small_set).order_by("pk")
    Label.objects.exclude(annotator=someone).update(evidence=[])
    return [
        Label.objects.create(
            statement=statement,
            annotator=someone,
            role="label",
            claim_class="subject_specific",
            verdict="supported",
            origin="blind",
            contract_major=1,
            evidence=one,
        )
        for statement, one in zip(statements, evidence, strict=False)
    ]


def told(found: Cited) -> list[tuple[object, ...]]:
    each = zip(*(column.tolist() for column in found.spans), strict=True)
    return sorted(((row, found.places[place], *rest) for row, place, *rest in each), key=str)


def stored(labels: list[Label]) -> list[tuple[object, ...]]:
    return sorted(
        (
            (one.pk, (quote["passage_id"], quote["source_id"]), quote["start"], quote["end"])
            for one in labels
            for quote in one.evidence
        ),
        key=str,
    )


def keys(labels: list[Label]) -> Codes:
    return np.array([one.pk for one in labels], dtype=np.int64)


@pytest.mark.parametrize("kept", [True, False])
def test_it_is_what_the_labels_hold_of_those_that_are_asked_for(
    small_set: CalibrationSet, cited: list[Label], kept: bool
) -> None:
    if kept:
        cited_by_labels.keep(small_set)
    for some in (cited[:3], cited[1:3], cited[:1]):
        found = cited_by_labels.of(small_set, keys(some))
        assert told(found) == stored(some)
        assert sorted(found.rows.tolist()) == [one.pk for one in some]


def test_labels_that_came_since_are_read_beside_what_is_kept(
    small_set: CalibrationSet, cited: list[Label], django_assert_num_queries: object
) -> None:
    cited_by_labels.keep(small_set)
    with django_assert_num_queries(1):  # type: ignore[operator]
        cited_by_labels.of(small_set, keys(cited[:3]))
    late = cited[3]
    late.pk, late.annotator = None, Annotator.objects.create(set=small_set, code="late")
    late.evidence = [quote("p2", 1), quote("p3", 2)]
    late.save()
    with django_assert_num_queries(2):  # type: ignore[operator]
        found = cited_by_labels.of(small_set, keys(cited))
    assert told(found) == stored(cited)
    assert len(set(found.places)) == len(found.places) == 4
    cited_by_labels.keep(small_set)
    assert told(cited_by_labels.of(small_set, keys(cited))) == stored(cited)
    assert LabelSheet.objects.count() == 1


def test_a_sheet_that_misses_a_label_or_is_of_another_format_hides_nothing(
    small_set: CalibrationSet, cited: list[Label], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A label may be older than the sheet by its number and come after it all the same."""
    with monkeypatch.context() as patch:
        patch.setattr(cited_by_labels, "FORMAT", 0)
        cited_by_labels.keep(small_set)
    assert told(cited_by_labels.of(small_set, keys(cited[:3]))) == stored(cited[:3])
    held = Label.objects.filter(pk=cited[0].pk)
    held.update(evidence=[])
    cited_by_labels.keep(small_set)
    held.update(evidence=cited[0].evidence)
    assert told(cited_by_labels.of(small_set, keys(cited[:3]))) == stored(cited[:3])
