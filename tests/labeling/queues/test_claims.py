"""Places in a queue: claimed, renewed, given back, never two people's (rows L4, L5)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from grounding.contract import ClaimClass, Verdict
from grounding.errors import Refused
from labeling import labels, queues
from labeling.labels import LabelValues
from labeling.models import (
    Annotator,
    Assignment,
    CalibrationSet,
    Case,
    Expectation,
    Label,
    Queue,
    Remark,
    Slot,
    Statement,
)
from labeling.queues import Terms, claims
from labeling.queues.selections import Kind, Selection
from labeling.sets import annotators
from tests.cast import Cast, queue_over

OPINION = LabelValues(
    claim_class=ClaimClass.INTERPRETATION,
    verdict=Verdict.NOT_APPLICABLE,
    rationale="A view.",
)
# Of the orders that chance gives, the first three each time, the rest with the slow tests.
SEEDS = [*range(3), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 8))]


def of(people: Cast, user: User) -> Annotator:
    return annotators.of(people.set, user)


def submit(assignment: Assignment) -> Label:
    return labels.submit(assignment, OPINION, submission=uuid4())


def walked(queue: Queue, annotator: Annotator) -> list[Assignment]:
    done = []
    while (one := claims.next_for(queue, annotator)) is not None:
        submit(one)
        done.append(one)
    return done


def run_out(queue: Queue) -> None:
    past = timezone.now() - timedelta(seconds=1)
    Slot.objects.filter(queue=queue, until__isnull=False).update(until=past)


def in_no_haste(monkeypatch: pytest.MonkeyPatch) -> None:
    """Partners at the very end are served without a pause."""
    monkeypatch.setattr(claims, "APART", timedelta(0))


def test_every_statement_comes_once_and_the_next_stays_until_it_is_labelled(
    people: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_no_haste(monkeypatch)
    queue, annotator = queue_over(people.set), of(people, people.annotator)
    first = claims.next_for(queue, annotator)
    assert claims.next_for(queue, annotator) == first
    order = walked(queue, annotator)
    assert order[0] == first
    assert len({one.statement_id for one in order}) == len(order) == 11
    assert claims.next_for(queue, annotator) is None


def test_annotators_begin_at_different_places(people: Cast) -> None:
    # Places are drawn by primary key, which differs from run to run: two annotators meet at one
    # of eleven statements about once in eleven queues, and in all ten of them never.
    users = [of(people, user) for user in (people.annotator, people.second)]
    queues = [queue_over(people.set, seed=seed) for seed in range(10)]
    begun = [[claims.next_for(queue, user).statement_id for user in users] for queue in queues]
    assert any(one != other for one, other in begun)


def test_the_next_one_is_reserved_beside_the_one_on_the_screen(people: Cast) -> None:
    queue, annotator = queue_over(people.set), of(people, people.annotator)
    first = claims.next_for(queue, annotator)
    ahead = claims.next_for(queue, annotator, after=first.pk)
    assert ahead.statement_id != first.statement_id
    assert claims.next_for(queue, annotator, after=first.pk) == ahead
    submit(first)
    assert claims.next_for(queue, annotator) == ahead


@pytest.mark.parametrize("order", ["random", "fewest"])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_sides_of_a_pair_never_follow_one_another(people: Cast, seed: int, order: str) -> None:
    queue = queue_over(people.set, seed=seed, order=order, overlap=2)
    for user in (people.annotator, people.second):
        done = walked(queue, of(people, user))
        assert len(done) == 11
        for one, other in pairwise(done):
            here, there = one.statement.case, other.statement.case
            assert here.pair_id is None or here.pair_id != there.pair_id or here == there


def test_a_last_pair_alone_is_kept_apart_for_a_while(
    people: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = Statement.objects.filter(case__pair_id="jobs-001", statement_id="s1")
    only = Selection(Kind.STATEMENTS, statements=list(chosen.values_list("pk", flat=True)))
    queue = queues.open_queue(people.set, people.lead, Terms(title="Two"), only)
    annotator = of(people, people.annotator)
    submit(claims.next_for(queue, annotator))
    assert claims.next_for(queue, annotator) is None
    assert claims.partner_waits(queue, annotator)
    in_no_haste(monkeypatch)
    assert claims.next_for(queue, annotator) is not None


def test_no_more_places_than_the_overlap(people: Cast) -> None:
    queue = queue_over(people.set, overlap=1)
    first = walked(queue, of(people, people.annotator))
    assert len(first) == 11
    assert claims.next_for(queue, of(people, people.second)) is None
    assert not claims.partner_waits(queue, of(people, people.second))


def test_fewest_labels_first_hands_out_every_statement_before_any_twice(people: Cast) -> None:
    queue = queue_over(people.set, overlap=3, order="fewest")
    one, other = of(people, people.annotator), of(people, people.second)
    met = []
    for _ in range(5):
        for annotator in (one, other):
            assignment = claims.next_for(queue, annotator)
            submit(assignment)
            met.append(assignment.statement_id)
    assert len(set(met)) == 10


def test_a_lease_that_ran_out_goes_to_the_next_and_the_late_label_is_kept(people: Cast) -> None:
    queue = queue_over(people.set, overlap=1)
    late = claims.next_for(queue, of(people, people.annotator))
    run_out(queue)
    taken = {one.statement_id for one in walked(queue, of(people, people.second))}
    assert late.statement_id in taken
    label = submit(late)
    assert Label.objects.live().filter(queue=queue, statement=late.statement_id).count() == 2
    assert not Slot.objects.filter(assignment=late).exists()
    late.refresh_from_db()
    assert late.label == label


def test_a_lease_that_ran_out_untaken_is_still_its_holder_s(people: Cast) -> None:
    queue = queue_over(people.set, overlap=1)
    held = claims.next_for(queue, of(people, people.annotator))
    run_out(queue)
    assert claims.renew(held)
    assert Slot.objects.leased(timezone.now()).get().assignment == held
    submit(held)
    assert Slot.objects.filled().get().assignment == held


def test_who_lost_a_place_takes_another_free_one_of_the_statement(people: Cast) -> None:
    queue = queue_over(people.set, overlap=2)
    late = claims.next_for(queue, of(people, people.annotator))
    claims.release(late)
    submit(late)
    assert Slot.objects.filled().filter(statement=late.statement_id).get().assignment == late


def test_nobody_is_handed_what_they_labelled_in_another_queue(people: Cast) -> None:
    first = queue_over(people.set)
    done = [claims.next_for(first, of(people, people.annotator)) for _ in range(1)]
    submit(done[0])
    second = queue_over(people.set)
    met = walked(second, of(people, people.annotator))
    assert len(met) == 10
    assert done[0].statement_id not in {one.statement_id for one in met}


def test_what_was_skipped_is_not_handed_out_again_until_it_is_taken_back(people: Cast) -> None:
    queue, annotator = queue_over(people.set), of(people, people.annotator)
    skipped = claims.next_for(queue, annotator)
    claims.release(skipped)
    remark = Remark.objects.create(assignment=skipped, kind="skipped", reason="Not my field.")
    met = walked(queue, annotator)
    assert skipped.statement_id not in {one.statement_id for one in met}
    remark.withdrawn_at = timezone.now()
    remark.save()
    assert claims.next_for(queue, annotator) == skipped


def test_a_paused_queue_hands_out_nothing_new_and_takes_what_was_begun(people: Cast) -> None:
    queue, annotator = queue_over(people.set), of(people, people.annotator)
    begun = claims.next_for(queue, annotator)
    queues.pause(queue)
    assert claims.next_for(queue, annotator) == begun
    submit(begun)
    assert claims.next_for(queue, annotator) is None
    queues.reopen(queue)
    assert claims.next_for(queue, annotator) is not None


def test_a_closed_queue_takes_no_label_and_a_reopened_one_does(people: Cast) -> None:
    queue, annotator = queue_over(people.set), of(people, people.annotator)
    begun = claims.next_for(queue, annotator)
    queues.close(begun.queue)
    with pytest.raises(Refused, match="closed"):
        submit(begun)
    queues.reopen(begun.queue)
    assert submit(begun).queue == queue


def test_a_superseded_case_is_not_handed_out(people: Cast) -> None:
    queue = queue_over(people.set)
    Case.objects.filter(pair_id="jobs-001").update(superseded_in=2)
    met = walked(queue, of(people, people.annotator))
    assert {one.statement.case.superseded_in for one in met} == {None}
    assert met


def test_gold_statements_come_to_everyone_whatever_the_overlap(
    people: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_no_haste(monkeypatch)
    gold = list(Expectation.objects.exclude(verdict=None).values_list("pk", flat=True)[:3])
    terms = Terms(title="With gold", overlap=1, gold_every=4, seed=1)
    queue = queues.open_queue(people.set, people.lead, terms, Selection(Kind.ALL), gold=gold)
    assert Slot.objects.filter(queue=queue).count() == 8
    met = [walked(queue, of(people, user)) for user in (people.annotator, people.second)]
    assert [sum(one.gold for one in walk) for walk in met] == [3, 3]
    assert len(met[0]) == 11
    assert {one.statement_id for one in met[1] if not one.gold} == set()


def test_taking_a_label_back_gives_the_place_back_to_its_holder(people: Cast) -> None:
    queue, annotator = queue_over(people.set, overlap=1), of(people, people.annotator)
    first = claims.next_for(queue, annotator)
    made = submit(first)
    assert labels.take_back(first) == made
    assert not Label.objects.live().filter(annotator=annotator).exists()
    assert Label.objects.filter(annotator=annotator).count() == 1
    assert claims.next_for(queue, annotator) == first
    again = labels.submit(first, replace(OPINION, rationale="After all."), submission=uuid4())
    assert again.superseded_at is None


def test_a_label_keeps_the_queue_s_contract_and_why_it_was_selected(
    people: Cast, small_set: CalibrationSet
) -> None:
    chosen = Statement.objects.filter(case__set=small_set).values_list("pk", flat=True)[:1]
    selection = Selection(Kind.STATEMENTS, statements=list(chosen), selected="judge_disagreement")
    queue = queues.open_queue(people.set, people.lead, Terms(title="Risky"), selection)
    label = submit(claims.next_for(queue, of(people, people.annotator)))
    assert (label.selected, label.contract_version) == ("judge_disagreement", "1.0.0")
