"""The desk loses nothing, without a script: drafts, undo, late submits (L5 to L10)."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from labeling import queues
from labeling.models import Assignment, Label, Slot, Snippet
from labeling.queues import claims
from tests.labeling.pages.cast import Cast, desk_of, filled, quote

SignIn = Callable[[User], Client]
HX = {"HX-Request": "true"}
_OWN = re.compile(r'name="(csrfmiddlewaretoken|submission)" value="[^"]*"')


@pytest.fixture
def ann(cast: Cast, signed_in: SignIn) -> Client:
    return signed_in(cast.annotator)


def opened(client: Client, cast: Cast) -> dict[str, Any]:
    """What a browser would send from the desk as it stands, nothing more filled in."""
    form = client.get(desk_of(cast.statement)).context["form"]
    names = ("submission", "edition", "number", "replaces")
    sent = {name: str(form[name].value() or "") for name in names}
    return filled(cast.statement, **sent)


def work(cast: Cast) -> Assignment:
    return Assignment.objects.get(statement=cast.statement, annotator__user=cast.annotator)


def test_a_draft_is_saved_by_a_button_found_again_and_thrown_away_by_another(
    cast: Cast, ann: Client
) -> None:
    to = desk_of(cast.statement)
    form = opened(ann, cast) | {"rationale": "So far", "verdict": "", "confidence": "a lot"}
    answer = ann.post(f"{to}draft/", form | {"unsure": "on"})
    assert answer["Location"] == to
    page = ann.get(to)
    body = page.content.decode()
    assert f'Draft of <time datetime="{work(cast).draft_at:%Y-%m-%dT%H:%M}' in body
    found = page.context["form"]
    assert (found["rationale"].value(), found["confidence"].value()) == ("So far", "a lot")
    assert [item.text for item in page.context["sheet"].quotes] == ["3 failed jobs"]
    for control in ('name="unsure"', 'value="subject_specific"'):
        assert " checked" in body.split(control)[1].split(">")[0]
    assert Label.objects.count() == 0
    ann.post(f"{to}draft/discard/", opened(ann, cast))
    page = ann.get(to)
    assert "Draft of" not in page.content.decode()
    assert page.context["form"]["rationale"].value() is None


def test_a_script_is_told_what_stands(cast: Cast, ann: Client) -> None:
    to, form = f"{desk_of(cast.statement)}draft/", opened(ann, cast)
    headers = HX | {"Accept": "application/json"}

    def save(**changes: Any) -> Any:
        return ann.post(to, form | changes, headers=headers)

    said = save(number=2, rationale="second").json()
    assert (said["edition"], said["lease"]) == (1, "held")
    assert said["saved_at"]
    late = save(number=1, rationale="first")
    assert (late.status_code, late.json()["edition"]) == (200, 1)
    assert work(cast).draft["rationale"] == "second"
    other = save(number=1, rationale="other tab", submission=str(uuid4()))
    assert other.status_code == 409
    assert other.json()["draft"]["rationale"] == "second"
    ann.post(desk_of(cast.statement), form)
    sent = save(number=3, rationale="after it was sent")
    assert (sent.status_code, sent.json()["submitted"]) == (409, True)
    assert work(cast).draft is None
    assert save(statement=str(cast.second.key)).status_code == 404
    ann.logout()
    assert save(number=4).status_code == 401


def test_two_tabs_with_different_drafts_get_a_page_with_both_and_either_can_be_kept(
    cast: Cast, ann: Client
) -> None:
    to = desk_of(cast.statement)
    first, second = opened(ann, cast), opened(ann, cast)
    ann.post(f"{to}draft/", first | {"rationale": "from the first tab"})
    answer = ann.post(f"{to}draft/", second | {"rationale": "from the <b>second</b>\r\ntab"})
    assert answer.status_code == 409
    page = answer.content.decode()
    assert "from the first tab" in page
    assert "from the &lt;b&gt;second&lt;/b&gt;\ntab" in page
    assert work(cast).draft["rationale"] == "from the first tab"
    context = answer.context
    again = filled(cast.statement) | context["sent"]["typed"]
    again |= {"submission": str(context["submission"]), "edition": context["edition"], "number": 1}
    for value in again["evidence"]:
        assert value.replace('"', "&quot;") in page
    assert ann.post(f"{to}draft/", again)["Location"] == to
    assert work(cast).draft["rationale"] == "from the <b>second</b>\ntab"
    # The button of a page that was gone back to is no autosave that was overtaken.
    back = ann.post(f"{to}draft/", again | {"rationale": "written after going back"})
    assert back.status_code == 409
    assert "written after going back" in back.content.decode()


def test_after_signing_in_again_the_draft_is_there(
    cast: Cast, ann: Client, signed_in: SignIn
) -> None:
    form = opened(ann, cast) | {"rationale": "Nearly done."}
    ann.post(f"{desk_of(cast.statement)}draft/", form)
    ann.logout()
    inside = ann.post(desk_of(cast.statement), form, headers=HX)
    assert inside.status_code == 401
    assert "<form" not in inside.content.decode()
    assert Label.objects.count() == 0
    again = signed_in(cast.annotator).get(desk_of(cast.statement))
    assert again.context["form"]["rationale"].value() == "Nearly done."


def test_undo_is_offered_at_the_next_desk_and_leads_back_with_everything(
    cast: Cast, ann: Client
) -> None:
    to = desk_of(cast.statement)
    assert 'id="undo" method="post" action="" hidden' in ann.get(to).content.decode()
    following = ann.post(to, opened(ann, cast) | {"confidence": "0.5", "unsure": "on"})["Location"]
    assert following == desk_of(cast.second)
    page = ann.get(following).content.decode()
    assert f'action="{to}undo/">' in page
    assert f'Label saved. <q class="text" dir="auto">{cast.statement.text}' in page
    for _ in range(2):
        assert ann.post(f"{to}undo/")["Location"] == to
    page = ann.get(to)
    form = page.context["form"]
    assert (form["rationale"].value(), form["replaces"].value()) == ("The count is stated.", "")
    assert [item.text for item in page.context["sheet"].quotes] == ["3 failed jobs"]
    assert not Label.objects.live().exists()
    assert ">taken back<" in ann.get("/sets/jobs/labels/").content.decode()
    ann.post(to, opened(ann, cast) | {"rationale": "Better."})
    assert Label.objects.live().get().rationale == "Better."
    assert Label.objects.count() == 2


def test_a_label_that_came_too_late_is_kept_and_the_annotator_is_told(
    cast: Cast, ann: Client
) -> None:
    late = work(cast)
    Slot.objects.filter(statement=cast.statement, assignment__isnull=True).delete()
    Slot.objects.filter(assignment=late).update(assignment=None, until=None)
    Slot.objects.filter(statement=cast.statement, assignment__isnull=True).delete()
    answer = ann.post(desk_of(cast.statement), opened(ann, cast), follow=True)
    assert "kept as one more than was asked for" in answer.content.decode()
    assert Label.objects.live().count() == 1
    # Changing it is no news.
    changed = ann.post(desk_of(cast.statement), opened(ann, cast), follow=True)
    assert "one more than was asked for" not in changed.content.decode()


def test_a_script_is_sent_onward_and_told_of_the_late_label(cast: Cast, ann: Client) -> None:
    ahead = ann.post(
        f"/sets/jobs/queues/{cast.queue.pk}/next/", {"after": cast.statement.key}, headers=HX
    )
    assert (ahead.status_code, ahead["X-Next"]) == (204, desk_of(cast.second))
    sent = ann.post(desk_of(cast.statement), opened(ann, cast), headers=HX)
    assert (sent.status_code, sent["X-Next"], sent["X-Said"]) == (204, desk_of(cast.second), "")
    assert sent["X-Undo"] == f"{desk_of(cast.statement)}undo/"
    assert desk_of(cast.second) in sent["HX-Location"]
    second = desk_of(cast.second)
    Slot.objects.filter(statement=cast.second).delete()
    wrong = ann.post(second, {"statement": cast.second.key}, headers=HX)
    assert wrong.status_code == 422
    sent = ann.post(second, filled(cast.second), headers=HX)
    assert "one more than was asked for" in sent["X-Said"]
    assert sent["X-Next"] == "/sets/jobs/queues/"
    assert "Nothing is left for you here" in ann.get("/sets/jobs/queues/").content.decode()
    nonsense = ann.post(f"/sets/jobs/queues/{cast.queue.pk}/next/", {"after": "me"})
    assert nonsense.status_code == 400


def test_a_closed_queue_keeps_what_was_written_and_shows_ones_label_to_read(
    cast: Cast, ann: Client
) -> None:
    ann.post(desk_of(cast.second), filled(cast.second, rationale="my label"))
    form = opened(ann, cast) | {"rationale": "written too late"}
    queues.close(cast.queue)
    answer = ann.post(desk_of(cast.statement), form)
    assert answer.status_code == 409
    page = answer.content.decode()
    assert "This queue is closed; what you wrote is kept as a draft." in page
    assert "written too late" in page
    assert not Label.objects.filter(statement=cast.statement).exists()
    mine = ann.get(desk_of(cast.second)).content.decode()
    assert "my label" in mine
    assert "<textarea" not in mine
    assert ">Look at it<" in ann.get("/sets/jobs/labels/").content.decode()
    assert ann.post(f"{desk_of(cast.second)}undo/").status_code == 409
    queues.reopen(cast.queue)
    again = ann.get(desk_of(cast.statement))
    assert again.context["form"]["rationale"].value() == "written too late"


@pytest.mark.parametrize(
    ("measured", "stored"),
    [("12.5", 12.5), ("0", 0.0), ("-1", None), ("1e9", None), ("nan", None), ("soon", None)],
)
def test_the_time_spent_is_kept_where_it_can_be_true(
    cast: Cast, ann: Client, measured: str, stored: float | None
) -> None:
    began = timezone.now() - timedelta(minutes=1)
    Assignment.objects.update(started_at=began)
    ann.post(desk_of(cast.statement), filled(cast.statement, active_seconds=measured))
    assert Label.objects.get().active_seconds == stored


def test_every_fault_of_a_form_is_shown_at_once_each_with_its_link(cast: Cast, ann: Client) -> None:
    wrong = filled(
        cast.statement,
        claim_class="",
        verdict="",
        rationale="",
        confidence="a lot",
        evidence=[quote("3 failed jobs").replace("3 f", "4 f")],
    )
    page = ann.post(desk_of(cast.statement), wrong).content.decode()
    summary = page.split('id="errors"')[1].split("</div>")[0]
    for name in ("claim_class", "verdict", "evidence", "rationale", "confidence"):
        assert f'href="#field-{name}"' in summary, name
        assert f'id="error-{name}"' in page, name


def test_snippets_go_into_the_rationale_by_the_draft(
    cast: Cast, ann: Client, signed_in: SignIn
) -> None:
    to = desk_of(cast.statement)
    ann.post(f"{to}snippets/", opened(ann, cast) | {"do": "keep"})
    snippet = Snippet.objects.get()
    form = opened(ann, cast) | {"rationale": "First.", "do": "insert", "snippet": snippet.pk}
    assert ann.post(f"{to}snippets/", form)["Location"] == to
    page = ann.get(to)
    assert page.context["form"]["rationale"].value() == "First.\nThe count is stated."
    assert (
        f'<option value="{snippet.pk}" data-text="The count is stated.">' in page.content.decode()
    )
    other = signed_in(cast.other)
    assert "data-text" not in other.get(to).content.decode()
    assert other.post(f"{to}snippets/", form).status_code == 404
    unchosen = ann.post(f"{to}snippets/", opened(ann, cast) | {"do": "insert", "snippet": ""})
    assert unchosen.status_code == 422
    ann.post(f"{to}snippets/", opened(ann, cast) | {"do": "delete", "snippet": snippet.pk})
    assert not Snippet.objects.exists()


def test_gold_and_ordinary_statements_have_the_same_desk(cast: Cast, ann: Client) -> None:
    ordinary = _OWN.sub("", ann.get(desk_of(cast.statement)).content.decode())
    Slot.objects.filter(assignment=work(cast)).update(assignment=None, until=None)
    Assignment.objects.filter(pk=work(cast).pk).update(gold=True)
    assert _OWN.sub("", ann.get(desk_of(cast.statement)).content.decode()) == ordinary
    headers = HX | {"Accept": "application/json"}
    said = ann.post(f"{desk_of(cast.statement)}draft/", opened(ann, cast), headers=headers)
    assert said.json()["lease"] == "held"
    assert claims.has_place(work(cast))
