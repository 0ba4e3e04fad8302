"""Drafts: kept as typed, the newest first, never in the place of a label (row L8)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.http import QueryDict
from django.utils import timezone

from grounding.contract import ClaimClass, Verdict
from grounding.errors import BadInput
from labeling import labels
from labeling.desk import drafts
from labeling.desk.drafts import AlreadySubmitted, DraftConflict, LateDraft
from labeling.labels import LabelValues
from labeling.models import Assignment, Label, Slot, Statement
from labeling.queues import remarks
from tests.cast import Cast, handed, queue_over

OPINION = LabelValues(
    claim_class=ClaimClass.INTERPRETATION, verdict=Verdict.NOT_APPLICABLE, rationale="A view."
)


@pytest.fixture
def work(people: Cast) -> Assignment:
    statement = Statement.objects.filter(case__set=people.set).order_by("pk")[0]
    return handed(statement, people.annotator)


def typed(rationale: str, **more: Any) -> drafts.Typed:
    return {"rationale": rationale, "evidence": [], "part": []} | more


def save(work: Assignment, text: str, form: UUID, number: int, edition: int) -> Assignment:
    return drafts.save(work, typed(text), form=form, number=number, edition=edition)


def stored(work: Assignment) -> str | None:
    draft = Assignment.objects.get(pk=work.pk).draft
    return draft and draft["rationale"]


def test_the_newest_save_of_a_form_wins_in_whatever_order_they_arrive(work: Assignment) -> None:
    form = uuid4()
    save(work, "third", form, 3, 0)
    for number in (2, 1):
        with pytest.raises(LateDraft) as late:
            save(work, "earlier", form, number, 0)
        assert late.value.stored.draft["rationale"] == "third"
    assert stored(work) == "third"
    # A save that was sent again because its answer was lost is no conflict.
    assert save(work, "third", form, 3, 0).draft_edition == 1
    save(work, "fourth", form, 4, 0)
    assert stored(work) == "fourth"


def test_another_form_saves_over_the_draft_it_was_opened_on_and_over_no_other(
    work: Assignment,
) -> None:
    first, second = uuid4(), uuid4()
    opened_on = save(work, "from one tab", first, 1, 0).draft_edition
    with pytest.raises(DraftConflict) as conflict:
        save(work, "from another", second, 1, 0)
    assert conflict.value.stored.draft["rationale"] == "from one tab"
    assert conflict.value.typed["rationale"] == "from another"
    assert stored(work) == "from one tab"
    save(work, "from another", second, 1, opened_on)
    with pytest.raises(DraftConflict):
        save(work, "from one tab again", first, 2, opened_on)
    assert stored(work) == "from another"


def test_a_draft_never_takes_the_place_of_a_label(work: Assignment) -> None:
    form, token = uuid4(), uuid4()
    save(work, "before", form, 1, 0)
    label = labels.submit(work, OPINION, submission=token)
    assert stored(work) is None
    with pytest.raises(AlreadySubmitted):
        save(work, "late, of the form that was sent", token, 9, 0)
    with pytest.raises(DraftConflict):
        save(work, "late, of another form", form, 9, 0)
    assert stored(work) is None
    assert labels.live_of(work) == label


def test_a_save_renews_the_lease_and_says_when_the_place_is_gone(
    people: Cast, work: Assignment
) -> None:
    past = timezone.now() - timedelta(seconds=1)
    Slot.objects.filter(assignment=work).update(until=past)
    assert drafts.lease_of(save(work, "one", form := uuid4(), 1, 0)) == "held"
    assert Slot.objects.get(assignment=work).until > timezone.now()
    Slot.objects.filter(assignment=work).update(assignment=None, until=None)
    assert drafts.lease_of(save(work, "two", form, 2, 0)) == "lost"
    assert stored(work) == "two"


def test_a_label_that_is_being_changed_has_its_place_for_good(work: Assignment) -> None:
    labels.submit(work, OPINION, submission=uuid4())
    changing = save(work, "changed", uuid4(), 1, 1)
    assert drafts.lease_of(changing) == "held"
    assert Slot.objects.get(assignment=work).until is None


def test_undo_keeps_the_label_superseded_and_its_content_as_the_draft(work: Assignment) -> None:
    unsure = LabelValues(**(vars(OPINION) | {"unsure": True, "confidence": 0.5}))
    label = labels.submit(work, unsure, submission=uuid4())
    work.refresh_from_db()
    undone = drafts.undo(work)
    label.refresh_from_db()
    assert label.superseded_at is not None
    assert labels.live_of(work) is None
    assert undone.draft["rationale"] == "A view."
    assert (undone.draft["unsure"], undone.draft["replaces"]) == ("on", "")
    assert not remarks.is_unsure(work)
    assert Slot.objects.get(assignment=work).until is not None
    again = labels.submit(work, unsure, submission=uuid4())
    assert list(Label.objects.filter(annotator=work.annotator)) == [label, again]


def test_only_the_draft_that_was_seen_can_be_thrown_away(work: Assignment) -> None:
    form = uuid4()
    edition = save(work, "mine", form, 1, 0).draft_edition
    with pytest.raises(DraftConflict):
        drafts.discard(work, form=uuid4(), edition=edition - 1)
    assert stored(work) == "mine"
    drafts.discard(work, form=uuid4(), edition=edition)
    assert stored(work) is None
    with pytest.raises(DraftConflict):
        save(work, "in flight when it was thrown away", form, 2, 0)


def test_whatever_is_typed_is_kept_as_it_is(work: Assignment) -> None:
    posted = QueryDict(mutable=True)
    posted.update({"claim_class": "colour", "verdict": "maybe", "confidence": "a lot"})
    posted.update({"rationale": "  two\r\nlines 👩‍🔧 ", "unknown": "not kept"})
    posted.setlist("evidence", ["no JSON", "{}"])
    drafts.save(work, drafts.typed_in(posted), form=uuid4(), number=1, edition=0)
    draft = Assignment.objects.get(pk=work.pk).draft
    assert (draft["claim_class"], draft["verdict"]) == ("colour", "maybe")
    assert (draft["confidence"], draft["rationale"]) == ("a lot", "  two\nlines 👩‍🔧 ")
    assert draft["evidence"] == ["no JSON", "{}"]
    assert "unknown" not in draft


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("rationale", ["a\x00b"]),
        ("rationale", ["a" * 1_000_001]),
        ("evidence", ["{}"] * 101),
        ("part", ["{}"] * 51),
    ],
)
def test_what_no_database_could_keep_is_refused(name: str, values: list[str]) -> None:
    posted = QueryDict(mutable=True)
    posted.setlist(name, values)
    with pytest.raises(BadInput):
        drafts.typed_in(posted)


def test_a_form_without_anything_in_it_is_no_draft(people: Cast, work: Assignment) -> None:
    drafts.save(work, typed("", speech_act="assertion"), form=uuid4(), number=1, edition=0)
    assert Assignment.objects.get(pk=work.pk).draft is None
    # Over a label an emptied form is something.
    other = Statement.objects.filter(case__set=people.set).order_by("pk")[1]
    labelled = handed(other, people.annotator, queue_over(people.set))
    label = labels.submit(labelled, OPINION, submission=uuid4())
    drafts.save(labelled, typed("", replaces=str(label.pk)), form=uuid4(), number=1, edition=1)
    assert Assignment.objects.get(pk=labelled.pk).draft is not None
