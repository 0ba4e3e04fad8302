"""Who leaves, steps down or is deactivated frees what was reserved; what they did stays (L15)."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from grounding.contract import ClaimClass, Verdict
from grounding.errors import Refused
from labeling import exchange, labels
from labeling.models import Annotator, Assignment, Label, Membership, Queue, Role, Slot
from labeling.people import accounts
from labeling.queues import claims
from labeling.sets import annotators
from labeling.values import LabelValues
from tests.cast import Cast, queue_over

OPINION = LabelValues(
    claim_class=ClaimClass.INTERPRETATION,
    verdict=Verdict.NOT_APPLICABLE,
    rationale="A view of one who left.",
)
DRAFT = {"rationale": "half a tho"}

Go = Callable[[Cast, User], object]


def by_command(people: Cast, user: User) -> None:
    deactivate(user.username)


GOING: dict[str, Go] = {
    "ended": lambda people, user: accounts.leave(people.set, user),
    "demoted": lambda people, user: accounts.join(people.set, user, Role.ANNOTATOR),
    "deactivated": lambda people, user: accounts.deactivate(user),
    "by command": by_command,
}


def deactivate(name: str) -> dict[str, object]:
    out = StringIO()
    call_command("deactivate_account", name, "--json", stdout=out, stderr=StringIO())
    return dict(json.loads(out.getvalue()))


def at_work(people: Cast, user: User, queue: Queue) -> tuple[Label, Assignment]:
    """One statement labelled, another reserved with a draft begun."""
    annotator = annotators.of(people.set, user)
    label = labels.submit(claims.next_for(queue, annotator), OPINION, submission=uuid4())
    begun = claims.next_for(queue, annotator)
    Assignment.objects.filter(pk=begun.pk).update(draft=DRAFT)
    return label, begun


def leased(annotator: Annotator) -> int:
    return Slot.objects.filter(assignment__annotator=annotator, until__isnull=False).count()


@pytest.mark.parametrize("how", GOING)
def test_places_are_free_again_labels_and_drafts_stay(people: Cast, how: str) -> None:
    queue = queue_over(people.set, overlap=1)
    label, begun = at_work(people, people.lead, queue)
    _, others = at_work(people, people.second, queue)
    GOING[how](people, people.lead)
    assert leased(label.annotator) == 0
    assert Slot.objects.filter(assignment__label=label, until=None).exists()
    assert leased(others.annotator) == 1
    begun.refresh_from_db()
    assert begun.draft == DRAFT
    assert Label.objects.live().filter(pk=label.pk).exists()


@pytest.mark.parametrize("how", GOING)
def test_what_was_freed_goes_to_the_next_and_the_label_is_exported(people: Cast, how: str) -> None:
    queue = queue_over(people.set, overlap=1)
    label, begun = at_work(people, people.lead, queue)
    GOING[how](people, people.lead)
    second = annotators.of(people.set, people.second)
    met = set()
    while (one := claims.next_for(queue, second)) is not None:
        met.add(one.statement_id)
        labels.submit(one, OPINION, submission=uuid4())
        Assignment.objects.filter(pk=one.pk).update(pair_id=None)  # in no haste about pairs
    assert begun.statement_id in met
    assert label.statement_id not in met
    exported = [record.model_dump() for record in exchange.label_records(people.set)]
    assert OPINION.rationale in json.dumps(exported, default=str)


def test_a_promotion_frees_nothing(people: Cast) -> None:
    label, _ = at_work(people, people.annotator, queue_over(people.set))
    accounts.join(people.set, people.annotator, Role.ANNOTATOR)
    accounts.join(people.set, people.annotator, Role.LEAD)
    assert leased(label.annotator) == 1


def test_the_command_shuts_out_of_every_set_and_says_what_it_freed(people: Cast) -> None:
    at_work(people, people.annotator, queue_over(people.set))
    client = Client()
    client.force_login(people.annotator)
    assert client.get("/sets/small/").status_code == 200
    assert deactivate("annotator") == {"username": "annotator", "active": False, "freed": 1}
    assert client.get("/sets/small/")["Location"].startswith("/sign-in/")
    assert Membership.objects.filter(user=people.annotator, active=True).exists()


@pytest.mark.parametrize("name", ["nobody", "admin", "annotator"])
def test_the_command_refuses_who_is_not_there_the_last_admin_and_a_second_time(
    people: Cast, name: str
) -> None:
    accounts.deactivate(people.annotator)
    with pytest.raises(CommandError) as caught:
        deactivate(name)
    assert caught.value.returncode == 3
    assert User.objects.get(username="admin").is_active


def test_a_deactivated_admin_is_none_who_could_let_others_in(people: Cast) -> None:
    accounts.join(people.set, people.lead, Role.ADMIN)
    accounts.deactivate(people.lead)
    with pytest.raises(Refused, match="last admin"):
        accounts.leave(people.set, people.admin)


@pytest.mark.parametrize("page", ["runs/", "cases/"])
def test_who_is_demoted_in_mid_session_is_refused_at_the_next_request(
    people: Cast, page: str
) -> None:
    client = Client()
    client.force_login(people.lead)
    assert client.get(f"/sets/small/{page}").status_code == 200
    accounts.join(people.set, people.lead, Role.ANNOTATOR)
    assert client.get(f"/sets/small/{page}").status_code == 404
    assert client.get("/sets/small/").status_code == 200


def test_a_deactivated_account_can_be_let_in_again(people: Cast) -> None:
    name = people.annotator.username
    client = Client()
    client.force_login(people.annotator)
    deactivate(name)
    assert client.get("/sets/").status_code == 302
    call_command("reactivate_account", name, stdout=StringIO())
    client.force_login(people.annotator)
    assert client.get(f"/sets/{people.set.slug}/").status_code == 200
    with pytest.raises(CommandError, match="is active"):
        call_command("reactivate_account", name, stdout=StringIO())
