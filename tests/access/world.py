"""One of everything that a route can name, in a set with people of every role."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from calibration import drafts, judging, reports, rubrics, runs
from calibration.models import Report, RubricDraft, Run
from grounding.rubrics import load_rubric
from labeling import invitations
from labeling.caseforms import fields, opening
from labeling.models import Case, Invitation, Queue, Role, Statement
from tests import cast
from tests.cast import Cast

SHIPPED = Path(settings.BASE_DIR) / "calibration" / "rubrics" / "groundedness@1.0.0.yaml"

ROLES = ("anonymous", "stranger", "ex_member", "annotator", "lead", "admin")
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")

# Routes whose number is a report's.
REPORTING = ("report", "disagreements", "report-statements", "report-pairs", "report-download")


@dataclass
class World:
    people: Cast
    statement: Statement
    run: Run
    waiting: Run
    report: Report
    draft: RubricDraft
    queue: Queue
    token: str

    def user(self, role: str) -> User | AnonymousUser:
        return AnonymousUser() if role == "anonymous" else getattr(self.people, role)

    def names(self, route: str) -> dict[str, Any]:
        """What stands in the route's path, as keyword arguments of `reverse`."""
        pks = {
            "case": self.statement.case_id,
            "case-edit": self.statement.case_id,
            "judgment": self.run.judgments.values_list("pk", flat=True)[0],
            "run-cancel": self.waiting.pk,
            "queue-next": self.queue.pk,
            "label": self.queue.pk,
            "invitation-withdraw": Invitation.objects.values_list("pk", flat=True)[0],
        }
        drafts = ("draft", "draft-trial", "draft-release", "draft-discard", "draft-yaml")
        pks |= dict.fromkeys(drafts, self.draft.pk)
        reporting = route in REPORTING
        return {
            "slug": self.people.set.slug,
            "key": self.statement.key,
            "pair_id": "jobs-001",
            "revision": 1,
            "name": "groundedness",
            "version": "1.0.0",
            "format": "json",
            "token": self.token,
            "pk": pks.get(route, self.report.pk if reporting else self.run.pk),
        }

    def body(self, route: str) -> dict[str, Any]:
        """A form that the route would take from someone who may send it."""
        return {
            "label": {"statement": str(self.statement.key), "submission": str(uuid4())},
            "members": {"username": "second", "role": "lead"},
            "member-end": {"username": "second"},
            "invitations": {"role": "annotator", "days": 7},
            "invitation": dict.fromkeys(("password1", "password2"), "two odd socks")
            | {"username": "newcomer"},
            "runs": {"rubric_version": self.run.rubric_version_id, "repeats": 1},
            "report-create": {"minimum": "author"},
            "drafts": {"based_on": self.run.rubric_version_id},
            "draft": {"edition": 1, "title": "Another"},
            "draft-trial": {"edition": 1, "set": self.people.set.slug},
            "draft-release": {"edition": 1, "title": "Another"},
            "draft-discard": {"edition": 1},
            "pair-write": {"pair_id": "new", "a.case_id": "new-a"},
            "case-write": {"a.case_id": "new"},
            "pair-edit": self._opened("a", "b"),
            "case-edit": self._opened("a"),
        }.get(route, {})

    def _opened(self, *sides: str) -> dict[str, str]:
        """The form of a pair, or of one side of it, as it is opened."""
        cases = Case.objects.live().filter(set=self.people.set, pair_id="jobs-001")
        typed, _ = opening.open_cases(cases.order_by("position")[: len(sides)])
        return fields.posted_of(typed)

    def url(self, route: str) -> str:
        wanted = parameters(route)
        return reverse(route, kwargs={k: v for k, v in self.names(route).items() if k in wanted})


def build() -> World:
    people = cast.assemble(cast.small())
    version = rubrics.release(load_rubric(SHIPPED.read_text())).rubric_version
    run = runs.start(people.set, version)
    judged(run)
    statement = Statement.objects.filter(case__set=people.set).order_by("pk")[0]
    queue = cast.queue_over(people.set)
    for user in (people.annotator, people.lead, people.admin):
        cast.handed(statement, user)
    return World(
        people=people,
        statement=statement,
        run=run,
        waiting=runs.start(people.set, version),
        report=reports.create(run),
        draft=drafts.begin(version, people.lead),
        queue=queue,
        token=invitations.invite(people.set, people.admin, Role.ANNOTATOR),
    )


def judged(run: Run) -> None:
    """Every planned judgment of the run, by the judge itself."""
    while runs.status(run) == "running":
        judging.judge_batch(run.pk, worker="tests")
        run.refresh_from_db()


def routes() -> dict[str, URLPattern]:
    """Every route of the URL table by name; one without a name goes by its pattern."""
    return dict(_walk(get_resolver().url_patterns))


def parameters(route: str) -> set[str]:
    return set(routes()[route].pattern.converters)


def _walk(patterns: list[URLPattern | URLResolver]) -> list[tuple[str, URLPattern]]:
    found: list[tuple[str, URLPattern]] = []
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            found += _walk(pattern.url_patterns)
        else:
            found.append((pattern.name or str(pattern.pattern), pattern))
    return found
