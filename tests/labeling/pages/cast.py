"""A small set and the people around it, for tests of pages."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from django.contrib.auth.models import User
from django.urls import reverse

from labeling.models import (
    CalibrationSet,
    Case,
    Expectation,
    Membership,
    Queue,
    Role,
    Source,
    Statement,
)
from labeling.people import accounts
from tests.cast import handed, queue_over

PASSWORD = "correct-horse-battery-47"
PASSAGE = (
    "💊 The nightly report lists 3 failed jobs. 👩‍🔧 Two were skipped.\n"
    "التقرير الليلي: ثلاث مهام فاشلة. 夜間レポート：失敗したジョブは三件です。"
    "Retries ended at 04:10."
)
ANSWER = "The report contains three failed jobs. A retry runs a job again."
GLOSSARY = "Retry: to run an operation again after it has failed."


@dataclass
class Cast:
    set: CalibrationSet
    admin: User
    lead: User
    annotator: User
    other: User
    stranger: User
    statement: Statement
    second: Statement
    queue: Queue


def account(name: str) -> User:
    """An account without a password: hashing one for everyone is most of a test's time."""
    return User.objects.create_user(name)


def give_password(user: User) -> None:
    user.set_password(PASSWORD)
    user.save(update_fields=["password"])


def member(calibration_set: CalibrationSet, name: str, role: Role) -> User:
    user = account(name)
    accounts.join(calibration_set, user, role)
    return user


def case(calibration_set: CalibrationSet, case_id: str, **fields: Any) -> Case:
    given = {
        "question": "What does the report say?",
        "context": [{"id": "p1", "text": PASSAGE, "source": "origin-canary"}],
        "answer": ANSWER,
        "pair_id": "pair-canary",
        "pair_kind": "kind-canary",
        "tags": ["tag-canary"],
        "source": "source-canary",
        "licence": "licence-canary",
        "answerable": True,
    }
    return Case.objects.create(
        set=calibration_set,
        case_id=case_id,
        added_in=1,
        position=Case.objects.count(),
        digest=uuid4().hex,
        content_digest=uuid4().hex,
        **(given | fields),
    )


def statement(of: Case, text: str, span: tuple[int, int] | None) -> Statement:
    start, end = span or (None, None)
    made = Statement.objects.create(
        case=of,
        statement_id=f"s{of.statements.count() + 1}",
        position=of.statements.count(),
        text=text,
        span_start=start,
        span_end=end,
        speech_act="assertion",
    )
    Expectation.objects.create(
        statement=made,
        claim_class="subject_specific",
        verdict="supported",
        rationale="expected-canary",
    )
    return made


def assemble() -> Cast:
    made = CalibrationSet.objects.create(slug="jobs", title="Nightly jobs", revision=1)
    Source.objects.create(set=made, source_id="glossary", text=GLOSSARY)
    only = case(made, "case-canary-a")
    first = statement(only, "The report contains three failed jobs.", (0, 38))
    second = statement(only, "A retry runs a job again.", None)
    roles = (Role.ADMIN, Role.LEAD, Role.ANNOTATOR, Role.ANNOTATOR)
    names = {"admin": "ada", "lead": "leo", "annotator": "ann", "other": "bob"}
    people = {
        as_what: member(made, name, role)
        for (as_what, name), role in zip(names.items(), roles, strict=True)
    }
    cast = Cast(
        set=made,
        **people,
        stranger=account("stranger"),
        statement=first,
        second=second,
        queue=queue_over(made),
    )
    for user in (cast.annotator, cast.other, cast.lead, cast.admin):
        for one in (first, second):
            handed(one, user)
    return cast


def quote(text: str, *, passage: str = "p1", within: str = PASSAGE) -> str:
    """Evidence as a form sends it."""
    start = within.index(text)
    place = {"passage_id": passage, "source_id": None}
    return json.dumps(place | {"quote": text, "start": start, "end": start + len(text)})


def filled(of: Statement, **changes: Any) -> dict[str, Any]:
    """A form that the contract accepts."""
    return {
        "statement": str(of.key),
        "submission": str(uuid4()),
        "replaces": "",
        "claim_class": "subject_specific",
        "verdict": "supported",
        "evidence": [quote("3 failed jobs")],
        "rationale": "The count is stated.",
        "claim_type": "",
        "speech_act": "assertion",
        "confidence": "",
    } | changes


def desk_of(of: Statement) -> str:
    """The desk of a statement in the first queue that holds it."""
    queue = Queue.objects.filter(slots__statement=of).order_by("pk")[0]
    return reverse("label", args=[of.case.set.slug, queue.pk, of.key])


def roles_of(user: User) -> list[tuple[str, bool]]:
    return list(Membership.objects.filter(user=user).values_list("role", "active"))
