"""Law 6 on the annotator's pages: byte-identical whether or not anyone else has said anything."""

from __future__ import annotations

import re
from collections.abc import Callable

from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from calibration.models import Judgment, RubricVersion, Run
from labeling.models import Exposure, Label
from tests.labeling.pages.cast import Cast, desk_of, filled

SignIn = Callable[[User], Client]

_OWN = re.compile(r'name="(csrfmiddlewaretoken|submission)" value="[^"]*"')


def seen(client: Client, cast: Cast) -> list[tuple[int, dict[str, str], str]]:
    """Status, headers and body of every page of an annotator."""
    paths = [
        "/sets/",
        "/sets/jobs/",
        "/sets/jobs/queues/",
        desk_of(cast.statement),
        desk_of(cast.second),
        "/sets/jobs/labels/",
        "/sets/jobs/remarks/",
        "/sets/jobs/cases/",
        "/sets/jobs/members/",
    ]
    answers = [client.get(path) for path in paths]
    return [(a.status_code, dict(a.headers), _OWN.sub("", a.content.decode())) for a in answers]


def judge(cast: Cast) -> None:
    version = RubricVersion.objects.create(name="canary", version="1.0.0", recorded=True)
    run = Run.objects.create(
        set=cast.set, revision=1, rubric_version=version, planned=2, finished_at=timezone.now()
    )
    for of in (cast.statement, cast.second):
        Judgment.objects.create(
            run=run,
            statement=of,
            case_pk=of.case_id,
            outcome="graded",
            verdict="contradictory",
            claim_class="subject_specific",
            explanation="judge-canary",
        )


def test_pages_are_the_same_bytes_after_a_judge_and_others_have_spoken(
    cast: Cast, signed_in: SignIn
) -> None:
    client = signed_in(cast.annotator)
    client.post(desk_of(cast.second), filled(cast.second))
    # How many labels there are may show: what they say changes, not their number.
    for user in (cast.other, cast.lead):
        signed_in(user).post(desk_of(cast.statement), filled(cast.statement))
    seen(client, cast)  # takes the message of the label with it
    before = seen(client, cast)
    judge(cast)
    for user in (cast.other, cast.lead):
        replaces = Label.objects.live().get(annotator__user=user).pk
        changed = {"verdict": "contradictory", "rationale": "other-canary", "replaces": replaces}
        signed_in(user).post(desk_of(cast.statement), filled(cast.statement, **changed))
    assert Label.objects.live().filter(rationale="other-canary").count() == 2
    Exposure.objects.create(set=cast.set, user=cast.lead, to="report")
    after = seen(client, cast)
    assert after == before
    assert "canary" not in str(after)
