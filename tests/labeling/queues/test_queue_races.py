"""Fifty annotators at once in one queue (row L4): no place is given twice, nothing is lost.

The controls switch off what is defended with, and see the race that it keeps out.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from grounding.contract import ClaimClass, Verdict
from labeling import labels, queues, sets
from labeling.labels import LabelValues
from labeling.models import (
    Annotator,
    CalibrationSet,
    Case,
    Label,
    Queue,
    Role,
    Slot,
    SlotQuerySet,
    Statement,
)
from labeling.people import accounts
from labeling.queues import Terms, claims
from labeling.queues.selections import Kind, Selection
from labeling.sets import annotators

OVERLAP = 3
OPINION = LabelValues(
    claim_class=ClaimClass.INTERPRETATION, verdict=Verdict.NOT_APPLICABLE, rationale="A view."
)
# In seconds: long enough for the slowest machine that is still alive.
PATIENCE = 3000


def crowd(annotators_count: int, pairs: int) -> tuple[Queue, list[Annotator]]:
    """A queue over ``pairs`` pairs of two statements a side, and those who work in it."""
    made = sets.get_or_create("crowd")
    _fill(made, pairs)
    users = [User.objects.create_user(f"ann-{n}") for n in range(annotators_count)]
    for user in users:
        accounts.join(made, user, Role.ANNOTATOR)
    terms = Terms(title="Crowd", overlap=OVERLAP, seed=7)
    queue = queues.open_queue(made, users[0], terms, Selection(Kind.ALL))
    return queue, [annotators.of(made, user) for user in users]


def _fill(calibration_set: CalibrationSet, pairs: int) -> None:
    cases = Case.objects.bulk_create(
        Case(
            set=calibration_set,
            case_id=f"case-{pair}-{side}",
            added_in=1,
            position=2 * pair + at,
            pair_id=f"pair-{pair}",
            context=[],
            answer="One. Two.",
            digest=f"{pair}{side}",
            content_digest=f"{pair}{side}",
        )
        for pair in range(pairs)
        for at, side in enumerate("ab")
    )
    Statement.objects.bulk_create(
        Statement(case=case, statement_id=f"s{n}", position=n, text=f"Statement {n}.")
        for case in cases
        for n in (1, 2)
    )


class Work:
    """What every annotator of a queue did, all at the same time until no place is free."""

    def __init__(self, queue: Queue, crowd: list[Annotator], *, patience: float = PATIENCE) -> None:
        self.queue, self.errors = queue, []
        self.labelled: list[int] = []
        self._until = time.monotonic() + patience
        self._together = threading.Barrier(len(crowd))
        threads = [threading.Thread(target=self._work, args=(one,)) for one in crowd]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _work(self, annotator: Annotator) -> None:
        self._together.wait()
        try:
            while time.monotonic() < self._until and self._one(annotator):
                pass
        except Exception as error:
            self.errors.append(error)
        finally:
            connection.close()

    def _one(self, annotator: Annotator) -> bool:
        """Whether there may be more for this annotator."""
        assignment = claims.next_for(self.queue, annotator)
        if assignment is not None:
            label = labels.submit(assignment, OPINION, submission=uuid4())
            self.labelled.append(label.pk)
            return True
        # What is left may be kept apart from the last one, or be given back.
        time.sleep(0.05)
        return (
            Slot.objects.filter(queue=self.queue)
            .exclude(until=None, assignment__isnull=False)
            .exists()
        )


def given(queue: Queue) -> Counter[int]:
    """How many labels each statement got."""
    rows = Label.objects.live().filter(queue=queue).values_list("statement_id", flat=True)
    return Counter(rows)


def require_order(work: Work, crowd: list[Annotator], statements: int) -> None:
    assert work.errors == []
    assert len(work.labelled) == len(set(work.labelled)) == OVERLAP * statements
    assert Label.objects.filter(queue=work.queue).count() == OVERLAP * statements
    assert given(work.queue) == dict.fromkeys(given(work.queue), OVERLAP)
    assert len(given(work.queue)) == statements
    by_one = Label.objects.filter(queue=work.queue).values_list("statement_id", "annotator_id")
    assert len(set(by_one)) == OVERLAP * statements
    assert Slot.objects.filled().filter(queue=work.queue).count() == OVERLAP * statements
    assert not Slot.objects.filter(queue=work.queue).leased(timezone.now()).exists()


@pytest.mark.django_db(transaction=True)
def test_a_dozen_annotators_at_once_exceed_no_overlap_and_lose_nothing() -> None:
    queue, everyone = crowd(12, pairs=10)
    require_order(Work(queue, everyone), everyone, statements=40)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_fifty_annotators_over_a_thousand_statements() -> None:
    queue, everyone = crowd(50, pairs=250)
    require_order(Work(queue, everyone), everyone, statements=1000)


@pytest.mark.django_db(transaction=True)
def test_without_the_claim_s_condition_the_same_work_exceeds_the_overlap(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(SlotQuerySet, "free", lambda slots, at: slots)
    queue, everyone = crowd(12, pairs=3)
    # Places that were taken away from those who held them are never all filled.
    work = Work(queue, everyone, patience=2)
    with pytest.raises(AssertionError):
        require_order(work, everyone, statements=12)
    assert max(given(queue).values()) > OVERLAP


@pytest.mark.django_db(transaction=True)
def test_two_that_found_the_same_free_place_do_not_both_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert sorted(map(bool, _both_claim(monkeypatch))) == [False, True]


@pytest.mark.django_db(transaction=True)
def test_without_the_condition_both_would_have_got_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The race is real: both had seen the place free before either took it."""
    monkeypatch.setattr(SlotQuerySet, "free", lambda slots, at: slots)
    assert list(map(bool, _both_claim(monkeypatch))) == [True, True]


def _both_claim(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    queue, everyone = crowd(2, pairs=1)
    slot = Slot.objects.filter(queue=queue)[0]
    assignments = [
        queue.assignments.create(
            statement=slot.statement, annotator=one, half=slot.half, rank=slot.rank
        )
        for one in everyone
    ]
    until = timezone.now() + timedelta(minutes=5)
    return _at_once(
        [lambda one=one: claims._claimed(slot, one, until=until) for one in assignments]
    )


def _at_once(acts: list[Callable[[], bool]]) -> list[bool]:
    start, results = threading.Barrier(len(acts)), [False] * len(acts)

    def run(at: int) -> None:
        start.wait()
        try:
            results[at] = acts[at]()
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(at,)) for at in range(len(acts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results
