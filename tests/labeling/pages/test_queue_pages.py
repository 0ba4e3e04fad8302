"""The pages of queues: opened and ended by leads, listed for annotators, revealed to them."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from labeling import labels, queues
from labeling.models import Adjudication, Case, Label, Queue, Slot, Statement
from labeling.queues import Terms
from labeling.queues.selections import Kind, Selection
from labeling.sets import exposures
from labeling.values import LabelValues, Part
from tests.access.world import OPENING
from tests.calibration.pages.reading import Page
from tests.cast import Cast, handed, queue_over
from tests.labeling.queues.queue_scene import scene
from tests.labeling.queues.test_claims import OPINION

pytestmark = pytest.mark.django_db


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def lead(people: Cast) -> Client:
    return client_of(people.lead)


@pytest.fixture
def annotator(people: Cast) -> Client:
    return client_of(people.annotator)


def to(route: str, *args: object) -> str:
    return reverse(route, args=["small", *args])


def first(people: Cast) -> Statement:
    return Statement.objects.filter(case__set=people.set).order_by("pk")[0]


def label(people: Cast, user: User, queue: Queue, values: LabelValues = OPINION) -> Label:
    assignment = handed(first(people), user, queue)
    live = labels.live_of(assignment)
    replaces = live.pk if live else None
    return labels.submit(assignment, values, submission=uuid4(), replaces=replaces)


# ---- Opening


def test_a_queue_is_opened_as_the_form_says(lead: Client, people: Cast) -> None:
    guideline = "# Read\r\n\r\nTwice."
    form = OPENING | {"overlap": 3, "lease_minutes": 45, "order": "fewest", "seed": 7}
    answer = lead.post(to("queue-open"), form | {"guideline": guideline})
    queue = Queue.objects.get()
    assert answer["Location"] == to("queue", queue.pk)
    assert (queue.title, queue.overlap, queue.lease_seconds) == ("Another round", 3, 2700)
    assert (queue.order, queue.seed, queue.opened_by) == ("fewest", 7, people.lead)
    assert queue.guideline == "# Read\n\nTwice."
    assert Slot.objects.filter(queue=queue).count() == 33


@pytest.mark.parametrize(
    ("changes", "field", "message"),
    [
        ({"title": ""}, "title", "required"),
        ({"overlap": 0}, "overlap", "greater than or equal to 1"),
        ({"overlap": 21}, "overlap", "less than or equal to 20"),
        ({"kind": "tag"}, "tag", "needed"),
        ({"kind": "pair_kind", "pair_kind": "no such kind"}, "pair_kind", "not one of"),
        ({"kind": "statements"}, "kind", "not one of"),
        ({"kind": "disputed"}, "kind", "no statement was found"),
        ({"lease_minutes": "soon"}, "lease_minutes", "whole number"),
        ({"seed": -1}, "seed", "greater than or equal to 0"),
        ({"gold": "drawn", "gold_count": 900, "gold_every": 5}, "gold_count", "have an answer"),
        ({"gold": "drawn", "gold_count": 1, "gold_every": 1}, "gold_every", "equal to 2"),
        ({"gold": "tag", "gold_every": 5}, "gold_tag", "needed"),
    ],
)
def test_what_is_wrong_stands_beside_its_field_and_nothing_typed_is_lost(
    lead: Client, people: Cast, changes: dict, field: str, message: str
) -> None:
    Adjudication.objects.all().delete()
    Label.objects.all().delete()
    typed = OPENING | {"guideline": "Typed at length."} | changes
    answer = lead.post(to("queue-open"), typed)
    assert answer.status_code == 422
    form = answer.context["form"]
    assert message in " ".join(form.errors[field])
    body = answer.content.decode()
    assert f'id="id_{field}_error"' in body
    assert "Typed at length." in body
    for name in ("title", "lease_minutes", "overlap"):
        assert str(form[name].value()) == str(typed[name])
    assert not Queue.objects.exists()


def test_choices_of_tags_and_kinds_are_those_of_the_set(lead: Client, people: Cast) -> None:
    form = lead.get(to("queue-open")).context["form"]
    tags = {tag for case in Case.objects.filter(set=people.set) for tag in case.tags}
    assert {value for value, _ in form.fields["tag"].choices} == {"", *tags}
    kinds = set(Case.objects.filter(set=people.set).values_list("pair_kind", flat=True)) - {None}
    assert {value for value, _ in form.fields["pair_kind"].choices} == {"", *kinds}


def test_how_many_statements_there_are_is_said_before_opening(lead: Client, people: Cast) -> None:
    assert "<strong>11</strong> statements found" in lead.get(to("queue-open")).content.decode()
    kind = Case.objects.filter(set=people.set).exclude(pair_kind=None)[0].pair_kind
    asked = {"kind": "pair_kind", "pair_kind": kind, "overlap": 3, "do": "check"}
    count = Statement.objects.filter(case__set=people.set, case__pair_kind=kind).count()
    # Before it has a title; as a page without script, as a fragment with it.
    for headers in ({}, {"HX-Request": "true"}):
        answer = lead.post(to("queue-open"), asked | {"guideline": "*Soon*"}, headers=headers)
        body = answer.content.decode()
        assert answer.status_code == 200
        assert f"<strong>{count}</strong> statement" in body
        assert f"<strong>{3 * count}</strong> labels" in body
        assert "<em>Soon</em>" in body
        assert ("<html" in body) == (not headers)
    assert not Queue.objects.exists()


def test_the_form_of_a_count_is_no_error_yet(lead: Client) -> None:
    asked = {"kind": "tag", "overlap": 2, "do": "check"}
    body = lead.post(to("queue-open"), asked, headers={"HX-Request": "true"}).content.decode()
    assert "Choose which statements" in body


def test_gold_statements_are_drawn_by_the_seed_that_the_page_shows(
    lead: Client, people: Cast
) -> None:
    form = OPENING | {"gold": "drawn", "gold_count": 1, "gold_every": 5}
    lead.post(to("queue-open"), form)
    queue = Queue.objects.get()
    assert queue.gold.get().tier in ("adjudicated", "consensus")
    assert (queue.gold_every, Slot.objects.filter(queue=queue).count()) == (5, 20)
    body = lead.get(to("queue", queue.pk)).content.decode()
    assert f"seed {queue.seed}" in body
    assert "one statement in 5" in body


def test_each_number_of_a_queue_s_places_opens_its_list(people: Cast, lead: Client) -> None:
    made = scene(people)
    page = Page(lead.get(to("queue", made.queue.pk)).content)
    numbers = [(at, shown) for at, shown in page.links if "/list/?" in at]
    buckets = [at.partition("?bucket=")[2] for at, _ in numbers]
    assert buckets == ["filled", "leased", "free", "superseded", "statements"]
    for at, shown in numbers:
        assert lead.get(at).context["page"].paginator.count == int(shown), at
    assert {int(shown) for _, shown in numbers} > {2, 6}


def test_another_set_s_queue_is_not_to_be_had_through_one_s_own(lead: Client, people: Cast) -> None:
    """Row A5: the path names a set that one leads, the number another set's queue."""
    theirs = Queue.objects.create(
        set=people.elsewhere, title="Theirs", contract_version="1.0.0", contract_major=1,
        contract={}, selection={"kind": "all", "value": ""}, overlap=1, lease_seconds=60,
        order="random", seed=1, opened_by=people.stranger,
    )  # fmt: skip
    assert lead.get(to("queue", theirs.pk)).status_code == 404
    assert lead.post(to("queue-state", theirs.pk), {"action": "pause"}).status_code == 404
    assert lead.post(to("queue-revise", theirs.pk), {"guideline": "Mine."}).status_code == 404
    theirs.refresh_from_db()
    assert theirs.state == "open"
    assert not Queue.objects.filter(previous=theirs).exists()


# ---- The page of one queue


def test_a_queue_is_paused_opened_again_closed_and_revealed_from_its_page(
    lead: Client, people: Cast
) -> None:
    queue = queue_over(people.set)
    for action, state in [("pause", "paused"), ("reopen", "open"), ("close", "closed")]:
        answer = lead.post(to("queue-state", queue.pk), {"action": action})
        assert answer["Location"] == to("queue", queue.pk)
        queue.refresh_from_db()
        assert queue.state == state
    lead.post(to("queue-state", queue.pk), {"action": "reveal"})
    queue.refresh_from_db()
    assert queue.revealed_at is not None
    assert lead.post(to("queue-state", queue.pk), {"action": "reopen"}).status_code == 409
    assert lead.post(to("queue-state", queue.pk), {"action": "burn"}).status_code == 400


def test_a_queue_chosen_by_what_judges_did_says_that_it_stays_out_of_headlines(
    lead: Client, people: Cast
) -> None:
    chosen = Selection(
        Kind.STATEMENTS, "disagreements of report 1", [first(people).pk], "judge_disagreement"
    )
    queue = queues.open_queue(people.set, people.lead, Terms(title="Risky"), chosen)
    body = lead.get(to("queue", queue.pk)).content.decode()
    assert "stay out of headlines" in body
    assert "statements among the disagreements of report 1" in body
    other = lead.get(to("queue", queue_over(people.set).pk)).content.decode()
    assert "stay out of headlines" not in other


def test_who_knows_what_a_queue_was_chosen_by_is_blind_no_longer(
    lead: Client, people: Cast
) -> None:
    lead.get(to("queue", queue_over(people.set).pk))
    lead.get(to("queue-open"))
    assert not exposures.exposed(people.set, people.lead)
    kind = Case.objects.filter(set=people.set).exclude(pair_kind=None)[0].pair_kind
    told = queues.open_queue(
        people.set, people.lead, Terms(title="Told"), Selection(Kind.PAIR_KIND, kind)
    )
    lead.get(to("queue", told.pk))
    assert exposures.exposed(people.set, people.lead)
    assert not exposures.saw_judges(people.set, people.lead)


def test_a_guideline_is_revised_on_a_page_that_says_what_is_left(
    lead: Client, people: Cast
) -> None:
    queue = queue_over(people.set, overlap=1, guideline="Old <b>.")
    label(people, people.annotator, queue)
    page = lead.get(to("queue-revise", queue.pk)).content.decode()
    assert "Old &lt;b&gt;." in page
    assert "10 statements, 10 labels" in page
    same = lead.post(to("queue-revise", queue.pk), {"guideline": "Old <b>."})
    assert same.status_code == 422
    seen = lead.post(to("queue-revise", queue.pk), {"guideline": "*New*", "do": "check"})
    assert "<em>New</em>" in seen.content.decode()
    answer = lead.post(to("queue-revise", queue.pk), {"guideline": "*New*"})
    later = Queue.objects.get(previous=queue)
    assert answer["Location"] == to("queue", later.pk)
    body = lead.get(to("queue", later.pk)).content.decode()
    assert "<em>New</em>" in body
    assert "First round, version 2" in body


def test_a_page_of_a_queue_takes_as_many_queries_however_large_it_is(
    lead: Client, people: Cast
) -> None:
    def queries(overlap: int) -> int:
        url = to("queue", queue_over(people.set, overlap=overlap).pk)
        lead.get(url)
        with CaptureQueriesContext(connection) as found:
            lead.get(url)
        return len(found)

    assert queries(1) == queries(8)


# ---- What annotators see


def test_the_list_says_what_is_mine_and_what_is_everyone_s_with_their_units(
    annotator: Client, people: Cast
) -> None:
    queue = queue_over(people.set, overlap=2)
    label(people, people.annotator, queue)
    label(people, people.second, queue)
    body = " ".join(annotator.get(to("queues")).content.decode().split())
    mine = f'<a href="{to("my-labels")}?queue={queue.pk}">1</a>'
    assert f"You have labelled <strong>{mine}</strong> of 11 statements." in body
    assert "In all 2 of 22 labels." in body
    listed = annotator.get(f"{to('my-labels')}?queue={queue.pk}").context["page"]
    assert listed.paginator.count == 1
    other = queue_over(people.set)
    assert annotator.get(f"{to('my-labels')}?queue={other.pk}").context["page"].paginator.count == 0
    assert annotator.get(f"{to('my-labels')}?queue=999").status_code == 400


def test_where_nothing_is_left_there_is_no_button(annotator: Client, people: Cast) -> None:
    one = Selection(Kind.STATEMENTS, statements=[first(people).pk])
    queue = queues.open_queue(people.set, people.lead, Terms(title="One", overlap=1), one)
    url = to("queue-next", queue.pk)
    assert url in annotator.get(to("queues")).content.decode()
    label(people, people.second, queue)
    body = annotator.get(to("queues")).content.decode()
    assert "Every place in it is filled" in body
    assert url not in body
    mine = client_of(people.second).get(to("queues")).content.decode()
    assert "You have labelled all of it." in mine


def test_a_closed_queue_is_folded_with_a_way_to_my_labels(annotator: Client, people: Cast) -> None:
    queue = queue_over(people.set)
    label(people, people.annotator, queue)
    queues.close(queue)
    body = annotator.get(to("queues")).content.decode()
    assert "1 closed queue<" in body
    assert f"{to('my-labels')}?queue={queue.pk}" in body
    assert to("queue-next", queue.pk) not in body
    assert to("queue-revealed", queue.pk) not in body


def test_empty_lists_say_what_to_do_next(lead: Client, annotator: Client, people: Cast) -> None:
    assert to("queue-open") in lead.get(to("queues")).content.decode()
    body = annotator.get(to("queues")).content.decode()
    assert "a lead opens one" in body
    assert to("queue-open") not in body


# ---- Revealed


def test_a_revealed_queue_shows_my_statements_beside_the_others_unnamed(
    annotator: Client, people: Cast
) -> None:
    queue = queue_over(people.set)
    other = label(people, people.second, queue)
    Label.objects.filter(pk=other.pk).update(rationale="<b>Theirs</b>")
    label(people, people.annotator, queue)
    url = to("queue-revealed", queue.pk)
    assert annotator.get(url).status_code == 404
    queues.close(queue)
    assert annotator.get(url).status_code == 404
    assert not exposures.exposed(people.set, people.annotator)
    queues.reveal(queue)
    body = annotator.get(url).content.decode()
    assert "&lt;b&gt;Theirs&lt;/b&gt;" in body
    assert body.count("Another annotator") == 1
    for name in (people.second.username, other.annotator.code, first(people).case.case_id):
        assert f">{name}<" not in body
        assert f" {name} " not in body
    assert exposures.exposed(people.set, people.annotator)
    assert not exposures.saw_judges(people.set, people.annotator)
    assert (
        label(people, people.annotator, queue_over(people.set, title="Next")).origin == "revealed"
    )


def test_a_revealed_queue_shows_what_was_split_off(annotator: Client, people: Cast) -> None:
    queue = queue_over(people.set)
    for user, words in ((people.annotator, "I <i>split</i> this."), (people.second, "They did.")):
        part = Part(words, None, OPINION.claim_class, OPINION.verdict, "A premise.")
        label(people, user, queue, replace(OPINION, parts=(part,)))
    queues.close(queue)
    queues.reveal(queue)
    body = annotator.get(to("queue-revealed", queue.pk)).content.decode()
    assert "I &lt;i&gt;split&lt;/i&gt; this." in body
    assert "They did." in body
    assert body.count("1 part split off") == 2


def test_what_was_said_in_another_queue_is_not_shown(annotator: Client, people: Cast) -> None:
    queue, elsewhere = queue_over(people.set), queue_over(people.set, title="Running")
    label(people, people.annotator, queue)
    theirs = label(people, people.second, elsewhere)
    Label.objects.filter(pk=theirs.pk).update(rationale="Said elsewhere")
    queues.close(queue)
    queues.reveal(queue)
    body = annotator.get(to("queue-revealed", queue.pk)).content.decode()
    assert "Said elsewhere" not in body
    assert "nobody else labelled it here" in body


def test_a_revealed_page_takes_as_many_queries_for_many_statements_as_for_one(
    annotator: Client, people: Cast
) -> None:
    queue = queue_over(people.set)
    every = list(Statement.objects.filter(case__set=people.set))

    def queries() -> int:
        with CaptureQueriesContext(connection) as found:
            annotator.get(to("queue-revealed", queue.pk))
        return len(found)

    for user in (people.annotator, people.second):
        labels.submit(handed(every[0], user, queue), OPINION, submission=uuid4())
    queues.close(queue)
    queues.reveal(queue)
    queries()
    one = queries()
    Queue.objects.filter(pk=queue.pk).update(state="open", closed_at=None, revealed_at=None)
    queue.refresh_from_db()
    for statement in every[1:]:
        labels.submit(handed(statement, people.annotator, queue), OPINION, submission=uuid4())
    queues.close(queue)
    queues.reveal(queue)
    # One more where any label says more than words alone, however many do.
    assert queries() <= one + 1
