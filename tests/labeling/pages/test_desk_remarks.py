"""Unsure, skip and flag at the desk, and their lists (row L11)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from labeling import queues
from labeling.models import Assignment, Label, Remark, Slot
from tests.labeling.pages.cast import Cast, desk_of, filled

SignIn = Callable[[User], Client]
LIST = "/sets/jobs/remarks/"


@pytest.fixture
def ann(cast: Cast, signed_in: SignIn) -> Client:
    return signed_in(cast.annotator)


def form(cast: Cast, **changes: Any) -> dict[str, Any]:
    return filled(cast.statement) | {"number": 1, "edition": 0} | changes


def listed(client: Client, kind: str = "") -> list[str]:
    page = client.get(LIST, {"kind": kind} if kind else {})
    return [remark.kind for remark in page.context["page"]]


def test_a_skipped_statement_is_left_with_its_draft_and_can_be_taken_up_again(
    cast: Cast, ann: Client
) -> None:
    to = desk_of(cast.statement)
    sent = form(cast, skipped_reason="I know the <author>.", rationale="So far.")
    answer = ann.post(f"{to}skip/", sent, follow=True)
    assert answer.redirect_chain[-1][0] == desk_of(cast.second)
    assert "Skipped." in answer.content.decode()
    assert not Label.objects.exists()
    assert not Slot.objects.filter(
        assignment__statement=cast.statement, assignment__annotator__user=cast.annotator
    ).exists()
    page = ann.get(LIST).content.decode()
    assert "I know the &lt;author&gt;." in page
    assert ">Skipped: 1<" in page
    assert listed(ann) == listed(ann, "skipped") == ["skipped"]
    assert listed(ann, "flagged") == []
    assert ann.get(to).context["form"]["rationale"].value() == "So far."
    for _ in range(2):
        assert ann.post(f"{to}withdraw/", {"kind": "skipped"})["Location"] == LIST
    assert listed(ann) == []
    assert ann.post(f"/sets/jobs/queues/{cast.queue.pk}/next/")["Location"] == to


def test_without_a_reason_nothing_is_skipped_or_flagged_and_the_form_is_intact(
    cast: Cast, ann: Client
) -> None:
    for act, field in (("skip", "skipped_reason"), ("flag", "flagged_reason")):
        sent = form(cast, **{field: " "}, rationale="Still here.")
        response = ann.post(f"{desk_of(cast.statement)}{act}/", sent)
        assert response.status_code == 422
        page = response.content.decode()
        assert "Still here." in page
        assert f'id="error-{field}"' in page
    assert not Remark.objects.exists()
    assert Assignment.objects.get(
        statement=cast.statement, annotator__user=cast.annotator
    ).slot.until


def test_a_flag_goes_with_the_work_on_its_case(cast: Cast, ann: Client) -> None:
    to = desk_of(cast.statement)
    sent = form(cast, flagged_reason="A passage is cut off.", rationale="So far.")
    answer = ann.post(f"{to}flag/", sent, follow=True)
    assert answer.redirect_chain[-1][0] == to
    assert answer.context["form"]["rationale"].value() == "So far."
    labelled = form(cast, unsure="on", replaces="", edition=1)
    assert ann.post(to, labelled).status_code == 302
    assert listed(ann) == ["unsure", "flagged"]
    assert Label.objects.get().verdict == "supported"
    edited = ann.get(to).context["form"]
    assert edited["unsure"].value()
    ann.post(to, form(cast, replaces=edited["replaces"].value()))
    assert listed(ann) == ["flagged"]


def test_lists_are_ones_own_filtered_by_what_is_listed_and_in_pages(
    cast: Cast, ann: Client, signed_in: SignIn
) -> None:
    ann.post(f"{desk_of(cast.statement)}flag/", form(cast, flagged_reason="other-canary"))
    other = signed_in(cast.other)
    assert "other-canary" not in other.get(LIST).content.decode()
    assert "At the desk you can say" in other.get(LIST).content.decode()
    for query in ({"kind": "verdict"}, {"order_by": "assignment__label"}, {"page": "x"}):
        assert ann.get(LIST, query).status_code == 400
    assert ann.get(LIST, {"page": "2"}).status_code == 404
    other.post(f"{desk_of(cast.statement)}withdraw/", {"kind": "flagged"})
    assert listed(ann) == ["flagged"]
    assert ann.post(f"{desk_of(cast.statement)}withdraw/", {"kind": "label"}).status_code == 400
    work = Assignment.objects.get(statement=cast.statement, annotator__user=cast.annotator)
    Remark.objects.bulk_create(
        Remark(assignment=work, kind="skipped", withdrawn_at=None) for _ in range(1)
    )
    first = ann.get(LIST).context
    assert sum(first["counts"].values()) == first["page"].paginator.count == 2


def test_in_a_closed_queue_remarks_can_be_read(cast: Cast, ann: Client) -> None:
    ann.post(f"{desk_of(cast.statement)}flag/", form(cast, flagged_reason="Cut off."))
    queues.close(cast.queue)
    page = ann.get(LIST).content.decode()
    assert "Cut off." in page
    assert "Take back" not in page
    assert ann.post(f"{desk_of(cast.statement)}withdraw/", {"kind": "flagged"}).status_code == 409
