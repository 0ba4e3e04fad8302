"""Queues: what they are opened over, revised (row L16), revealed, and kept when cases change."""

from __future__ import annotations

from collections import Counter
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from grounding.contract import CONTRACT
from grounding.errors import BadInput, Refused
from labeling import authoring, exchange, labels, queues
from labeling.authoring import Written
from labeling.labels import LabelConflict
from labeling.models import (
    Assignment,
    CalibrationSet,
    Case,
    Expectation,
    GoldStatement,
    Label,
    Queue,
    QueueOrder,
    Slot,
    Statement,
)
from labeling.queues import Terms, buckets, claims, progress, selections
from labeling.queues.buckets import Unit
from labeling.queues.selections import Kind, Selection
from labeling.references import stood
from labeling.sets import annotators
from tests.cast import Cast, handed, queue_over
from tests.labeling.queues.test_claims import OPINION, in_no_haste, walked

pytestmark = pytest.mark.django_db


def labelled(statement: Statement, user: User, queue: Queue) -> Label:
    return labels.submit(handed(statement, user, queue), OPINION, submission=uuid4())


def statements(people: Cast) -> list[Statement]:
    live = Statement.objects.filter(case__set=people.set, case__superseded_in=None)
    return list(live.order_by("pk"))


def slots_of(queue: Queue) -> Counter[int]:
    return Counter(Slot.objects.filter(queue=queue).values_list("statement", flat=True))


def next_contract(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the product had moved to the next major version of its contract."""
    moved = CONTRACT.model_copy(update={"version": f"{CONTRACT.major + 1}.0.0"})
    for module in (queues, selections, progress):
        monkeypatch.setattr(module, "CONTRACT", moved)


# ---- What a queue is opened over


def wide(count: int) -> CalibrationSet:
    """A set of so many cases of one statement each; every third tagged, every second of a kind,
    the first four labelled by two who agree on the first two alone."""
    made = CalibrationSet.objects.create(slug="wide", revision=1)
    cases = Case.objects.bulk_create(
        Case(
            set=made,
            case_id=f"c{number}",
            added_in=1,
            position=number,
            pair_kind="even" if number % 2 == 0 else None,
            context=[],
            answer="One thing.",
            tags=["third", "é"] if number % 3 == 0 else [],
            digest=str(number),
            content_digest=str(number),
        )
        for number in range(count)
    )
    rows = Statement.objects.bulk_create(
        Statement(case=case, statement_id="s1", position=0, text="One thing.") for case in cases
    )
    Expectation.objects.bulk_create(
        Expectation(statement=row, claim_class="external", verdict="supported") for row in rows
    )
    pair = [made.annotators.create(code=code) for code in ("x", "y")]
    Label.objects.bulk_create(
        Label(
            statement=row,
            annotator=one,
            role="label",
            claim_class="external",
            verdict="supported" if one.code == "x" or number < 2 else "unsupported",
            origin="blind",
            contract_major=CONTRACT.major,
        )
        for number, row in enumerate(rows[:4])
        for one in pair
    )
    return made


SELECTIONS = {
    Kind.ALL: (Selection(Kind.ALL), 60),
    Kind.TAG: (Selection(Kind.TAG, "third"), 20),
    Kind.PAIR_KIND: (Selection(Kind.PAIR_KIND, "even"), 30),
    # All but the two agreed on and the two disputed: an author's expectation is no human answer.
    Kind.WITHOUT_REFERENCE: (Selection(Kind.WITHOUT_REFERENCE), 56),
    Kind.DISPUTED: (Selection(Kind.DISPUTED), 2),
}


@pytest.mark.parametrize("kind", SELECTIONS)
def test_each_selection_finds_its_statements(db: None, kind: Kind) -> None:
    selection, count = SELECTIONS[kind]
    assert len(selections.found(wide(60), selection)) == count


def test_no_query_takes_a_parameter_for_each_statement(db: None) -> None:
    """Statements chosen elsewhere among them: a database takes so many parameters and no more."""
    made = wide(60)
    every = Statement.objects.filter(case__set=made).values_list("pk", flat=True)
    chosen = Selection(Kind.STATEMENTS, statements=list(every))
    stood.of(made, made.revision)
    for selection in (*(one for one, _ in SELECTIONS.values()), chosen):
        with CaptureQueriesContext(connection) as queries:
            found = selections.found(made, selection)
            selections.with_answers(made, found)
        assert len(queries) <= 7
        assert max(one["sql"].count(",") for one in queries) < 20


def test_a_queue_over_more_statements_than_a_query_takes_parameters(
    people: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = wide(60)
    with CaptureQueriesContext(connection) as queries:
        queues.open_queue(made, people.lead, Terms(title="All", seed=1), Selection(Kind.ALL))
    reading = [one["sql"] for one in queries if one["sql"].startswith("SELECT")]
    # A hundred and twenty statements; what a query reads is a few columns.
    assert max(sql.count(",") for sql in reading) < 40
    assert Slot.objects.filter(queue__set=made).count() == 120


def test_gold_is_drawn_by_seed_from_what_is_agreed_on(db: None) -> None:
    made = wide(60)
    agreed = set(
        Statement.objects.filter(case__case_id__in=["c0", "c1"]).values_list("pk", flat=True)
    )
    assert set(selections.drawn(made, 2, seed=5)) == agreed
    drawn = {tuple(selections.drawn(made, 1, seed=seed)) for seed in range(20)}
    assert drawn == {(pk,) for pk in agreed}
    assert selections.drawn(made, 1, seed=3) == selections.drawn(made, 1, seed=3)
    with pytest.raises(BadInput, match="only 2 have an answer") as refused:
        selections.drawn(made, 3, seed=5)
    assert refused.value.field == "gold_count"


def test_gold_of_a_tag_takes_those_whose_answer_is_known(db: None) -> None:
    made = wide(12)
    # c0, c3, c6 and c9 are tagged: c3 is disputed, and without its expectation c9 is nothing.
    Expectation.objects.filter(statement__case__case_id="c9").delete()
    found = selections.tagged(made, "third")
    ids = Statement.objects.filter(pk__in=found).values_list("case__case_id", flat=True)
    assert sorted(ids) == ["c0", "c6"]


# ---- A next version


def test_a_next_version_asks_for_the_places_that_are_left(people: Cast) -> None:
    queue = queue_over(people.set, overlap=2, guideline="Old.")
    first, second, *rest = statements(people)
    for user in (people.annotator, people.second):
        labelled(first, user, queue)
    kept = labelled(second, people.annotator, queue)
    later = queues.revise(queue, people.lead, "New.")
    assert slots_of(later) == {second.pk: 1} | {one.pk: 2 for one in rest}
    assert queues.left(later) == (10, 19)
    queue.refresh_from_db()
    assert (queue.state, queue.guideline, later.guideline) == ("closed", "Old.", "New.")
    assert (later.version, later.previous, later.seed) == (2, queue, queue.seed)
    kept.refresh_from_db()
    assert (kept.queue, kept.superseded_at) == (queue, None)


def test_the_place_that_is_left_comes_after_first_places(
    people: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under fewest labels first, a statement with one label is not the first to be asked."""
    in_no_haste(monkeypatch)
    queue = queue_over(people.set, overlap=2, order=QueueOrder.FEWEST)
    begun = statements(people)[0]
    labelled(begun, people.second, queue)
    later = queues.revise(queue, people.lead, "New.")
    met = walked(later, annotators.of(people.set, people.annotator))
    assert met[-1].statement == begun


def test_nobody_is_asked_again_for_what_they_labelled_in_an_older_version(
    people: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_no_haste(monkeypatch)
    queue = queue_over(people.set, overlap=2)
    done = statements(people)[0]
    labelled(done, people.annotator, queue)
    later = queues.revise(queue, people.lead, "New.")
    met = walked(later, annotators.of(people.set, people.annotator))
    assert done not in {one.statement for one in met}
    assert len(met) == 10


def test_under_another_contract_every_place_is_asked_again_and_old_labels_stay(
    people: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_no_haste(monkeypatch)
    queue = queue_over(people.set, overlap=1)
    done = statements(people)[0]
    old = labelled(done, people.annotator, queue)
    next_contract(monkeypatch)
    later = queues.revise(queue, people.lead, queue.guideline)
    assert slots_of(later) == {one.pk: 1 for one in statements(people)}
    assert later.contract_major == CONTRACT.major + 1
    assert later.contract["version"] == f"{CONTRACT.major + 1}.0.0"
    met = walked(later, annotators.of(people.set, people.annotator))
    assert done in {one.statement for one in met}
    old.refresh_from_db()
    assert (old.superseded_at, old.contract_major) == (None, CONTRACT.major)
    both = Label.objects.live().filter(statement=done, annotator=old.annotator)
    assert {label.contract_major for label in both} == {CONTRACT.major, CONTRACT.major + 1}


def test_a_third_version_counts_labels_of_both_before_it(people: Cast) -> None:
    queue = queue_over(people.set, overlap=3)
    one = statements(people)[0]
    labelled(one, people.annotator, queue)
    second = queues.revise(queue, people.lead, "Two.")
    labelled(one, people.second, second)
    third = queues.revise(second, people.lead, "Three.")
    assert slots_of(third)[one.pk] == 1


def test_gold_whose_answer_does_not_hold_under_the_contract_is_labelled_like_the_rest(
    people: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = Expectation.objects.exclude(verdict=None).values_list("pk", flat=True)[:3]
    terms = Terms(title="With gold", overlap=1, gold_every=4, seed=1)
    gold = list(known)
    queue = queues.open_queue(people.set, people.lead, terms, Selection(Kind.ALL), gold=gold)
    later = queues.revise(queue, people.lead, "New.")
    assert set(later.gold.values_list("statement", flat=True)) == set(gold)
    assert not set(slots_of(later)) & set(gold)
    next_contract(monkeypatch)
    moved = queues.revise(later, people.lead, "New.")
    assert not moved.gold.exists()
    assert set(gold) <= set(slots_of(moved))


def test_what_cannot_be_revised_is_refused_and_stays_as_it_is(people: Cast) -> None:
    queue = queue_over(people.set, overlap=1, guideline="Same.")
    with pytest.raises(BadInput, match="neither") as refused:
        queues.revise(queue, people.lead, "Same.")
    assert refused.value.field == "guideline"
    for one in statements(people):
        labelled(one, people.annotator, queue)
    with pytest.raises(Refused, match="every place"):
        queues.revise(queue, people.lead, "Other.")
    queue.refresh_from_db()
    assert queue.state == "open"
    assert Queue.objects.count() == 1


def test_an_older_version_is_neither_revised_nor_opened_again(people: Cast) -> None:
    queue = queue_over(people.set)
    queues.revise(queue, people.lead, "New.")
    queue.refresh_from_db()
    for act in (lambda: queues.revise(queue, people.lead, "Newer."), lambda: queues.reopen(queue)):
        with pytest.raises(Refused, match="later version"):
            act()


def test_what_was_half_written_in_an_older_version_is_kept(people: Cast) -> None:
    queue = queue_over(people.set)
    begun = claims.next_for(queue, annotators.of(people.set, people.annotator))
    Assignment.objects.filter(pk=begun.pk).update(draft={"rationale": "Half"})
    queues.revise(queue, people.lead, "New.")
    begun.refresh_from_db()
    assert (begun.draft, begun.queue) == ({"rationale": "Half"}, queue)


# ---- Revealed


def test_only_a_closed_queue_is_revealed_once_and_for_good(people: Cast) -> None:
    queue = queue_over(people.set)
    with pytest.raises(Refused, match="only a closed"):
        queues.reveal(queue)
    queues.close(queue)
    queues.reveal(queue)
    queue.refresh_from_db()
    assert queue.revealed_at is not None
    with pytest.raises(Refused, match="only once"):
        queues.reveal(queue)
    for act in (lambda: queues.reopen(queue), lambda: queues.revise(queue, people.lead, "New.")):
        with pytest.raises(Refused, match="revealed"):
            act()


def test_a_queue_is_not_revealed_while_a_later_version_asks_on(people: Cast) -> None:
    queue = queue_over(people.set)
    later = queues.revise(queue, people.lead, "New.")
    with pytest.raises(Refused, match="later version"):
        queues.reveal(queue)
    queues.close(later)
    queues.reveal(queue)


# ---- When a case changes


def retagged(people: Cast, **changes: object) -> None:
    """A newer revision of the case of the first statement."""
    case = Case.objects.live().get(set=people.set, case_id="jobs-001-a")
    record = exchange.records_of([case])[0].model_copy(update=changes or {"tags": ("new",)})
    written = [Written(record, case.digest)]
    checked = authoring.check(people.set, written).token
    authoring.save(people.set, written, checked=checked)


def of_case(case_id: str) -> list[Statement]:
    live = Statement.objects.filter(case__case_id=case_id, case__superseded_in=None)
    return list(live.order_by("position"))


def test_places_and_work_follow_a_case_that_looks_the_same(people: Cast) -> None:
    queue = queue_over(people.set, overlap=2)
    old = of_case("jobs-001-a")[0]
    key = old.key
    label = labelled(old, people.annotator, queue)
    begun = handed(old, people.second, queue)
    Assignment.objects.filter(pk=begun.pk).update(draft={"rationale": "Half"})
    before = progress.of_all([queue], people.annotator)[queue.pk]
    retagged(people)
    new = of_case("jobs-001-a")[0]
    assert new.pk != old.pk
    assert slots_of(queue)[new.pk] == 2
    assert old.pk not in slots_of(queue)
    assert progress.of_all([queue], people.annotator)[queue.pk] == before
    assert buckets.counts(queue)["superseded"] == 0
    done = Assignment.objects.get(queue=queue, annotator=label.annotator)
    assert (done.statement, done.label.carried_from, done.label.queue) == (new, label, queue)
    # Who had it on their screen finds it at the same address, and goes on.
    assert Statement.objects.get(key=key) == new
    begun = Assignment.objects.get(pk=begun.pk)
    assert (begun.statement, begun.draft) == (new, {"rationale": "Half"})
    assert labels.submit(begun, OPINION, submission=uuid4()).statement == new
    assert Slot.objects.get(assignment=begun).until is None
    label.refresh_from_db()
    assert (label.statement, label.superseded_at) == (old, None)


def test_a_form_opened_before_its_label_was_carried_over_changes_that_label(
    people: Cast,
) -> None:
    queue = queue_over(people.set, overlap=2)
    opened = labelled(of_case("jobs-001-a")[0], people.annotator, queue)
    retagged(people)
    retagged(people, tags=("newer",))
    work = Assignment.objects.get(queue=queue, annotator=opened.annotator)
    changed = labels.submit(work, OPINION, submission=uuid4(), replaces=opened.pk)
    assert (labels.live_of(work), changed.statement) == (changed, of_case("jobs-001-a")[0])
    # Over what stands now another form is too late, and so is one opened over nothing.
    for replaces in (opened.pk, None):
        with pytest.raises(LabelConflict):
            labels.submit(work, OPINION, submission=uuid4(), replaces=replaces)


def test_gold_follows_a_case_that_looks_the_same(people: Cast) -> None:
    gold = of_case("jobs-001-a")[0]
    terms = Terms(title="With gold", gold_every=4)
    queue = queues.open_queue(people.set, people.lead, terms, Selection(Kind.ALL), gold=[gold.pk])
    retagged(people)
    assert GoldStatement.objects.get(queue=queue).statement == of_case("jobs-001-a")[0]


def test_places_of_a_case_that_reads_otherwise_are_counted_and_handed_out_no_more(
    people: Cast,
) -> None:
    queue = queue_over(people.set, overlap=2)
    old = of_case("jobs-001-a")
    before = buckets.counts(queue)
    retagged(people, question="Which jobs failed?")
    after = buckets.counts(queue)
    assert after["superseded"] == len(old)
    assert after["places"] == before["places"] - 2 * len(old)
    assert {one.pk for one in old} <= set(slots_of(queue))
    assert Statement.objects.get(pk=old[0].pk).key == old[0].key


def test_as_many_queries_carry_many_places_as_one(people: Cast) -> None:
    def queries(overlap: int) -> int:
        for _ in range(overlap):
            queue_over(people.set, overlap=overlap)
        with CaptureQueriesContext(connection) as found:
            retagged(people, tags=(f"t{overlap}",))
        return len(found)

    assert queries(1) == queries(4)


def test_places_say_who_has_them(people: Cast) -> None:
    queue = queue_over(people.set, overlap=1)
    first, second, third = statements(people)[:3]
    labelled(first, people.annotator, queue)
    handed(second, people.annotator, queue)
    handed(third, people.annotator, queue)
    # The last one's lease ran out: whoever comes may have it.
    Slot.objects.filter(queue=queue, statement=third).update(until=timezone.now())
    found = buckets.counts(queue, [Unit.PLACES])
    assert found == {"places": 11, "filled": 1, "leased": 1, "free": 9}
