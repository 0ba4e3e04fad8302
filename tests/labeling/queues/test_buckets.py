"""Counts of a queue and the lists behind them (rows L11, L12)."""

from __future__ import annotations

import pytest
from django.db import connection
from django.utils import timezone

from labeling.models import Remark, Slot
from labeling.queues import buckets, progress
from labeling.queues.buckets import BUCKETS, MINE, Unit
from tests.cast import Cast
from tests.kept_rows import put_back
from tests.labeling.queues.queue_scene import Scene, scene


@pytest.fixture
def made(people: Cast) -> Scene:
    return put_back("scene in a queue", lambda: scene(people))


def test_each_bucket_counts_what_happened(made: Scene) -> None:
    gone = made.s[-1].case.statements.count()
    left = 10 - gone
    assert buckets.counts(made.queue) == {
        "places": 2 * left,
        # Two on s0 and on s1, one on s2 and on s4.
        "filled": 6,
        # Of the second on s2, and on s3, where the label was taken back.
        "leased": 2,
        "free": 2 * left - 8,
        "statements": left,
        "fully_labelled": 2,
        "partly_labelled": 2,
        "untouched": left - 4,
        "superseded": gone,
        # s0 twice, s1 thrice, s2, s4 and the gold one.
        "labelled": 8,
        # The second on s2, both on s3, the first on s4.
        "unlabelled": 4,
        "unsure": 1,
        "skipped": 1,
        "flagged": 1,
        "late": 1,
        "taken_back": 1,
    }


@pytest.mark.parametrize("bucket", BUCKETS)
def test_a_number_is_the_length_of_its_list(made: Scene, bucket: str) -> None:
    assert buckets.counts(made.queue)[bucket] == len(buckets.rows(made.queue, bucket))
    by_annotator = buckets.counts_by_annotator(made.queue)
    for annotator in (made.first, made.second):
        listed = buckets.rows(made.queue, bucket, annotator)
        if BUCKETS[bucket].unit is not Unit.STATEMENTS:
            assert by_annotator[annotator.pk][bucket] == len(listed)


def test_places_and_statements_add_up(made: Scene) -> None:
    counted = buckets.counts(made.queue)
    assert counted["places"] == counted["filled"] + counted["leased"] + counted["free"]
    assert (
        counted["statements"]
        == counted["fully_labelled"] + counted["partly_labelled"] + counted["untouched"]
    )


def test_a_statement_counts_once_whichever_of_its_places_are_left(made: Scene) -> None:
    before = buckets.counts(made.queue)
    Slot.objects.filter(queue=made.queue, statement=made.s[5], number=0).delete()
    after = buckets.counts(made.queue)
    assert after["statements"] == before["statements"]
    assert after["places"] == before["places"] - 1


def test_the_statements_behind_the_buckets(made: Scene) -> None:
    def behind(bucket: str) -> list[int]:
        return [row.statement_id for row in buckets.rows(made.queue, bucket)]

    s = [one.pk for one in made.s]
    assert behind("fully_labelled") == s[:2]
    assert behind("partly_labelled") == [s[2], s[4]]
    assert behind("unsure") == [s[2]]
    assert behind("skipped") == behind("flagged") == [s[4]]
    assert behind("late") == [s[1]]
    assert behind("taken_back") == [s[3]]
    assert behind("leased") == [s[2], s[3]]
    assert s[-1] in behind("superseded")


def test_a_list_may_be_of_one_annotator(made: Scene) -> None:
    assert [one.statement for one in buckets.rows(made.queue, "labelled", made.second)] == [
        made.s[0], made.s[1], made.s[4],
    ]  # fmt: skip
    theirs = buckets.rows(made.queue, "fully_labelled", made.first)
    assert [one.statement for one in theirs] == made.s[:2]


def test_a_withdrawn_remark_counts_no_more(made: Scene) -> None:
    Remark.objects.update(withdrawn_at=timezone.now())
    counted = buckets.counts(made.queue)
    assert [counted[name] for name in ("unsure", "skipped", "flagged")] == [0, 0, 0]


def test_an_annotator_s_own_counts_and_lists_are_of_their_own_work(
    people: Cast, made: Scene
) -> None:
    assert progress.own(made.queue, people.annotator) == {
        "labelled": 4,
        "unlabelled": 2,
        "unsure": 1,
        "skipped": 1,
        "flagged": 0,
        "taken_back": 0,
    }
    for bucket in MINE:
        listed = buckets.rows(made.queue, bucket, made.first)
        assert len(listed) == progress.own(made.queue, people.annotator)[bucket]
        assert {one.annotator for one in listed} <= {made.first}


def test_who_has_no_work_yet_has_noughts(people: Cast, made: Scene) -> None:
    assert set(progress.own(made.queue, people.admin).values()) == {0}


def test_labels_of_replaced_cases_do_not_make_mine_more_than_there_is(
    people: Cast, made: Scene
) -> None:
    mine = progress.of_all([made.queue], people.annotator)[made.queue.pk]
    assert mine.mine == progress.own(made.queue, people.annotator)["labelled"]


@pytest.mark.skipif(connection.vendor != "sqlite", reason="other databases plan by statistics")
def test_what_was_taken_back_is_found_without_reading_all_that_its_annotator_said(
    made: Scene,
) -> None:
    assert (
        "label_history (annotator_id=? AND statement_id=?)"
        in buckets.rows(made.queue, "taken_back").explain()
    )
