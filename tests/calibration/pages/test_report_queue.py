"""A list of disagreements becomes a queue, and the demo opens one to begin with."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from calibration import reports
from calibration.management.commands.demo import open_first_round
from labeling.models import CalibrationSet, Queue
from tests.access import world as worlds
from tests.cast import handed
from tests.labeling.queues.test_queues import labelled

pytestmark = pytest.mark.django_db


def test_the_statements_of_a_list_of_disagreements_are_had_labelled() -> None:
    world = worlds.build()
    client = Client()
    client.force_login(world.people.lead)
    listed = client.get(world.url("disagreements"), {"direction": "strict"}).content.decode()
    url = world.url("report-queue") + "?direction=strict"
    assert f'href="{url}"' in listed
    page = client.get(url).content.decode()
    wrong = reports.disagreeing(world.report, "strict")
    assert 0 < len(wrong) < len(reports.disagreeing(world.report))
    assert f"<strong>{len(wrong)}</strong> statement" in page
    assert "stay out of headlines" in page
    assert client.post(url, worlds.OPENING).status_code == 302
    queue = Queue.objects.get(title="Another round")
    assert set(queue.slots.values_list("statement", flat=True)) == set(wrong)
    assert queue.selected == "judge_disagreement"
    told = client.get(f"/sets/small/queues/{queue.pk}/").content.decode()
    assert f"disagreements of report {world.report.pk}, strict" in told
    statement = queue.slots.all()[0].statement
    handed(statement, world.people.second, queue)
    assert labelled(statement, world.people.second, queue).selected == "judge_disagreement"


def test_an_unknown_direction_is_refused() -> None:
    world = worlds.build()
    client = Client()
    client.force_login(world.people.lead)
    url = world.url("report-queue") + "?direction=sideways"
    assert client.get(url).status_code == 400
    assert client.post(url, worlds.OPENING).status_code == 400


def test_the_demo_opens_one_queue_however_often_it_runs(small_set: CalibrationSet) -> None:
    User.objects.create_user("lead")
    assert open_first_round(small_set) == open_first_round(small_set)
    queue = Queue.objects.get()
    assert (queue.title, queue.overlap, queue.gold.count()) == ("First round", 2, 0)
    assert queue.slots.count() == 22
