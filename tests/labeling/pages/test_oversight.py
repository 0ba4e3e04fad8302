"""A lead's pages about a queue's progress: each number opens its list (rows L11, L12)."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from labeling.models import Annotator, Assignment, Remark, Slot
from labeling.queues import oversight
from labeling.queues.buckets import BUCKETS
from labeling.sets import exposures
from labeling.web import parameters
from tests.calibration.pages.reading import Page
from tests.cast import Cast, handed
from tests.kept_rows import put_back
from tests.labeling.queues.queue_scene import Scene, given, scene

pytestmark = pytest.mark.django_db


@pytest.fixture
def made(people: Cast) -> Scene:
    return put_back("scene in a queue", lambda: scene(people))


@pytest.fixture
def lead(people: Cast) -> Client:
    client = Client()
    client.force_login(people.lead)
    return client


def url(made: Scene, route: str, query: str = "") -> str:
    return reverse(route, args=[made.queue.set.slug, made.queue.pk]) + query


def test_each_number_on_the_page_opens_a_list_of_that_length(lead: Client, made: Scene) -> None:
    page = Page(lead.get(url(made, "queue-progress")).content)
    numbers = [(to, shown) for to, shown in page.links if "/list/?" in to]
    three = 3 * len(oversight.COLUMNS)
    assert len(numbers) == len(BUCKETS) + three
    for to, shown in numbers:
        assert lead.get(to).context["page"].paginator.count == int(shown), to
    assert {int(shown) for _, shown in numbers} > {0, 1, 2, 6}


@pytest.mark.parametrize("bucket", BUCKETS)
def test_a_list_shows_as_many_rows_as_it_counts(
    lead: Client, made: Scene, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parameters, "PER_PAGE", 3)
    monkeypatch.setitem(parameters.page_of.__kwdefaults__, "per_page", 3)
    answer = lead.get(url(made, "queue-list", f"?bucket={bucket}"))
    pages = answer.context["page"].paginator.num_pages
    shown = []
    for number in range(1, pages + 1):
        query = f"?bucket={bucket}&page={number}"
        shown += list(lead.get(url(made, "queue-list", query)).context["page"])
    assert len(shown) == answer.context["page"].paginator.count


def test_the_page_says_how_long_labels_took_and_of_how_many(lead: Client, made: Scene) -> None:
    # The first labelled s0 to s2 in 8 s each, and the gold one and a replaced one unmeasured.
    text = Page(lead.get(url(made, "queue-progress")).content).plain
    assert "8.0 s n = 3 of 5" in text


def test_accounts_are_named_on_request_only(lead: Client, made: Scene, people: Cast) -> None:
    for route in ("queue-progress", "queue-list"):
        whole = lead.get(url(made, route, "?bucket=labelled" * (route == "queue-list")))
        named = lead.get(
            url(made, route, "?names=1" + "&bucket=labelled" * (route == "queue-list"))
        )
        assert made.first.code in whole.content.decode()
        assert "second" not in Page(whole.content).plain.split()
        assert "second" in Page(named.content).plain.split()


def test_a_list_reveals_labels_and_says_so_while_the_counts_reveal_none(
    lead: Client, made: Scene, people: Cast
) -> None:
    lead.get(url(made, "queue-progress"))
    assert not exposures.exposed(people.set, people.lead)
    lead.get(url(made, "queue-list"))
    assert exposures.exposed(people.set, people.lead)
    assert not exposures.saw_judges(people.set, people.lead)


def test_a_stale_lease_is_released_and_what_was_written_stays(
    lead: Client, made: Scene, people: Cast
) -> None:
    work = Assignment.objects.get(annotator=made.second, statement=made.s[2])
    Assignment.objects.filter(pk=work.pk).update(draft={"rationale": "half a tho"})
    answer = lead.post(url(made, "lease-release"), {"assignment": work.pk}, follow=True)
    assert "free again" in answer.content.decode()
    assert not Slot.objects.filter(assignment=work).exists()
    work.refresh_from_db()
    assert work.draft == {"rationale": "half a tho"}


def test_a_filled_place_is_not_released(lead: Client, made: Scene) -> None:
    work = Assignment.objects.get(annotator=made.first, statement=made.s[0])
    lead.post(url(made, "lease-release"), {"assignment": work.pk})
    assert Slot.objects.filter(assignment=work, until__isnull=True).exists()


def test_a_flag_is_settled_once_and_kept(lead: Client, made: Scene) -> None:
    flag = Remark.objects.get(kind="flagged")
    assert (
        "The passage is cut off."
        in lead.get(url(made, "queue-list", "?bucket=flagged")).content.decode()
    )
    lead.post(url(made, "flag-settle"), {"flag": flag.pk})
    flag.refresh_from_db()
    assert flag.withdrawn_at is not None
    assert lead.get(url(made, "queue-list", "?bucket=flagged")).context["page"].paginator.count == 0
    assert lead.post(url(made, "flag-settle"), {"flag": flag.pk}).status_code == 409


@pytest.mark.parametrize("given_", ["", "x", "999999", "²", "9" * 40])
def test_what_is_not_of_this_queue_does_not_exist(lead: Client, made: Scene, given_: str) -> None:
    assert lead.post(url(made, "lease-release"), {"assignment": given_}).status_code == 404
    assert lead.post(url(made, "flag-settle"), {"flag": given_}).status_code == 404


def test_only_a_flag_can_be_settled(lead: Client, made: Scene) -> None:
    skip = Remark.objects.get(kind="skipped")
    assert lead.post(url(made, "flag-settle"), {"flag": skip.pk}).status_code == 404


@pytest.mark.parametrize("query", ["?bucket=all", "?annotator=nobody", "?label__verdict=supported"])
def test_only_listed_filters_are_taken(lead: Client, made: Scene, query: str) -> None:
    assert lead.get(url(made, "queue-list", query)).status_code == 400


def test_an_annotator_gets_none_of_it(made: Scene, people: Cast) -> None:
    client = Client()
    client.force_login(people.annotator)
    for route in ("queue-progress", "queue-list"):
        assert client.get(url(made, route)).status_code == 404


def test_queries_do_not_grow_with_the_queue(lead: Client, made: Scene, people: Cast) -> None:
    pages = ["queue-progress", *(f"queue-list?bucket={bucket}" for bucket in BUCKETS)]

    def counted() -> list[int]:
        found: list[Any] = []
        for page in pages:
            route, _, query = page.partition("?")
            lead.get(url(made, route, f"?{query}"))
            with CaptureQueriesContext(connection) as queries:
                lead.get(url(made, route, f"?{query}"))
            found.append(len(queries))
        return found

    few = counted()
    for number in range(6):
        user = type(people.lead).objects.create_user(f"more-{number}")
        Annotator.objects.create(set=people.set, user=user, code=f"more-{number}")
        for statement in made.s[5 + number % 2 : 7 + number % 2 : 2]:
            if Slot.objects.filter(queue=made.queue, statement=statement, assignment=None).exists():
                Remark.objects.create(
                    assignment=handed(statement, user, made.queue), kind="flagged", reason="No."
                )
                given(statement, user, made.queue)
    assert counted() == few
