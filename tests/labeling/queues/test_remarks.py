"""Unsure, skipped, flagged, each apart from the verdict (row L11); snippets of one's own."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

import pytest

from grounding.contract import ClaimClass, Verdict
from grounding.errors import BadInput, NotFound, Refused
from labeling import labels, queues
from labeling.desk import snippets
from labeling.labels import LabelConflict, LabelValues
from labeling.models import Assignment, Queue, Remark, RemarkKind, Slot, Snippet
from labeling.queues import buckets, claims, progress, remarks
from labeling.sets import annotators
from tests.cast import Cast, queue_over

OPINION = LabelValues(
    claim_class=ClaimClass.INTERPRETATION, verdict=Verdict.NOT_APPLICABLE, rationale="A view."
)
UNSURE = replace(OPINION, unsure=True)


@pytest.fixture
def queue(people: Cast) -> Queue:
    return queue_over(people.set)


@pytest.fixture
def work(people: Cast, queue: Queue) -> Assignment:
    return claims.next_for(queue, annotators.of(people.set, people.annotator))


def listed(people: Cast) -> dict[str, int]:
    """How many each list holds, which must be what is counted."""
    counts = remarks.counts(people.set, people.annotator)
    for kind, count in counts.items():
        assert remarks.mine(people.set, people.annotator, kind).count() == count
    return counts


def test_unsure_goes_with_the_label_and_goes_when_a_later_version_is_sure(
    people: Cast, work: Assignment
) -> None:
    first = labels.submit(work, UNSURE, submission=uuid4())
    assert listed(people) == {"unsure": 1, "skipped": 0, "flagged": 0}
    assert first.verdict == "not_applicable"
    second = labels.submit(work, UNSURE, submission=uuid4(), replaces=first.pk)
    assert listed(people)["unsure"] == Remark.objects.count() == 1
    labels.submit(work, OPINION, submission=uuid4(), replaces=second.pk)
    assert listed(people)["unsure"] == 0
    assert Remark.objects.get().withdrawn_at is not None


def test_a_form_that_was_sent_and_says_it_is_unsure_now_is_not_dropped(work: Assignment) -> None:
    token = uuid4()
    label = labels.submit(work, OPINION, submission=token)
    assert labels.submit(work, OPINION, submission=token) == label
    with pytest.raises(LabelConflict) as conflict:
        labels.submit(work, UNSURE, submission=token)
    assert conflict.value.proposed.unsure


def test_what_is_skipped_is_free_for_others_and_does_not_come_again(
    people: Cast, queue: Queue, work: Assignment
) -> None:
    slot = Slot.objects.get(assignment=work)
    remarks.skip(work, "  I know the author. ")
    slot.refresh_from_db()
    assert (slot.assignment, slot.until) == (None, None)
    assert remarks.mine(people.set, people.annotator)[0].reason == "I know the author."
    following = claims.next_for(queue, work.annotator)
    assert following.pk != work.pk
    claims.release(following)
    remarks.withdraw(work, RemarkKind.SKIPPED)
    assert claims.next_for(queue, work.annotator) == work
    assert listed(people)["skipped"] == 0


def test_a_label_made_after_all_ends_the_skip_and_a_labelled_statement_is_not_skipped(
    people: Cast, work: Assignment
) -> None:
    remarks.skip(work, "Later.")
    labels.submit(work, OPINION, submission=uuid4())
    assert listed(people)["skipped"] == 0
    with pytest.raises(Refused):
        remarks.skip(work, "Not this one.")
    assert Slot.objects.get(assignment=work).until is None


def test_a_flag_stands_beside_the_label_and_another_reason_takes_its_place(
    people: Cast, work: Assignment
) -> None:
    remarks.flag(work, "A passage is cut off.")
    assert remarks.flag(work, "A passage is cut off.") == Remark.objects.get()
    labels.submit(work, OPINION, submission=uuid4())
    remarks.flag(work, "The answer, too.")
    assert listed(people) == {"unsure": 0, "skipped": 0, "flagged": 1}
    assert [one.reason for one in remarks.mine(people.set, people.annotator)] == [
        "The answer, too."
    ]
    assert Remark.objects.count() == 2
    assert not remarks.mine(people.set, people.second).exists()


@pytest.mark.parametrize("reason", ["", " \n", "a" * 2001, "a\x00b"])
def test_a_skip_or_flag_without_a_reason_is_refused(work: Assignment, reason: str) -> None:
    for act, field in ((remarks.skip, "skipped_reason"), (remarks.flag, "flagged_reason")):
        with pytest.raises(BadInput) as refused:
            act(work, reason)
        assert refused.value.field == field
    assert not Remark.objects.exists()
    assert Slot.objects.filter(assignment=work).exists()


def test_in_a_closed_queue_nothing_is_said_or_taken_back(queue: Queue, work: Assignment) -> None:
    remarks.flag(work, "A passage is cut off.")
    queues.close(queue)
    work.queue.refresh_from_db()
    for act in (
        lambda: remarks.skip(work, "Late."),
        lambda: remarks.flag(work, "Late."),
        lambda: remarks.withdraw(work, RemarkKind.FLAGGED),
    ):
        with pytest.raises(Refused):
            act()
    assert Remark.objects.get().withdrawn_at is None


def test_why_nothing_is_left_is_said_in_plain_words(
    people: Cast, queue: Queue, work: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    annotator = work.annotator
    remarks.skip(work, "Later.")
    while (one := claims.next_for(queue, annotator)) is not None:
        labels.submit(one, OPINION, submission=uuid4())
    said = progress.why_nothing(queue, annotator)
    assert "skipped" in said or "pause" in said
    monkeypatch.setattr(claims, "partner_waits", lambda *_: True)
    assert "meet them fresh" in progress.why_nothing(queue, annotator)
    queues.pause(queue)
    assert "paused" in progress.why_nothing(queue, annotator)
    queues.close(queue)
    assert "closed" in progress.why_nothing(queue, annotator)


def test_a_label_beyond_what_was_asked_for_is_kept_and_counted(people: Cast) -> None:
    queue = queue_over(people.set, overlap=1)
    late = claims.next_for(queue, annotators.of(people.set, people.annotator))
    place = Slot.objects.get(assignment=late)
    other = Assignment.objects.create(
        queue=queue,
        statement=late.statement,
        annotator=annotators.of(people.set, people.second),
        half=0,
        rank=0,
    )
    Slot.objects.filter(pk=place.pk).update(assignment=other, until=None)
    assert not buckets.rows(queue, "late").exists()
    labels.submit(late, OPINION, submission=uuid4())
    assert list(buckets.rows(queue, "late")) == [late]
    assert not claims.has_place(late)
    assert progress.of_all([queue], people.annotator)[queue.pk].filled == 1


def test_snippets_are_ones_own_few_and_kept_once(people: Cast) -> None:
    mine = annotators.of(people.set, people.annotator)
    theirs = annotators.of(people.set, people.second)
    kept = snippets.save(mine, " The count is stated.\r\nTwice. ")
    assert kept.text == "The count is stated.\nTwice."
    assert snippets.save(mine, "The count is stated.\nTwice.") == kept
    assert snippets.appended(mine, kept.pk, "First. ") == "First.\nThe count is stated.\nTwice."
    assert snippets.appended(mine, kept.pk, "  ") == kept.text
    with pytest.raises(NotFound):
        snippets.appended(theirs, kept.pk, "")
    snippets.delete(theirs, kept.pk)
    assert list(snippets.mine(mine)) == [kept]
    Snippet.objects.bulk_create(Snippet(annotator=mine, text=f"{n}") for n in range(49))
    for text in ("one more", " ", "a" * 2001, "a\x00b"):
        with pytest.raises(BadInput):
            snippets.save(mine, text)
    snippets.delete(mine, kept.pk)
    snippets.save(mine, "one more")
