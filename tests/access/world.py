"""One of everything that a route can name, in a set with people of every role."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from calibration import judging, reports, rubrics, runs
from calibration.models import Report, Run
from grounding.rubrics import load_rubric
from labeling.models import Statement
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

    def user(self, role: str) -> User | AnonymousUser:
        return AnonymousUser() if role == "anonymous" else getattr(self.people, role)

    def names(self, route: str) -> dict[str, Any]:
        """What stands in the route's path, as keyword arguments of `reverse`."""
        pks = {
            "case": self.statement.case_id,
            "judgment": self.run.judgments.values_list("pk", flat=True)[0],
            "run-cancel": self.waiting.pk,
        }
        reporting = route in REPORTING
        return {
            "slug": self.people.set.slug,
            "key": self.statement.key,
            "pair_id": "jobs-001",
            "name": "groundedness",
            "version": "1.0.0",
            "format": "json",
            "pk": pks.get(route, self.report.pk if reporting else self.run.pk),
        }

    def body(self, route: str) -> dict[str, Any]:
        """A form that the route would take from someone who may send it."""
        return {
            "label": {"statement": str(self.statement.key), "submission": str(uuid4())},
            "members": {"username": "second", "role": "lead"},
            "member-end": {"username": "second"},
            "runs": {"rubric_version": self.run.rubric_version_id, "repeats": 1},
            "report-create": {"minimum": "author"},
        }.get(route, {})

    def url(self, route: str) -> str:
        wanted = parameters(route)
        return reverse(route, kwargs={k: v for k, v in self.names(route).items() if k in wanted})


def build() -> World:
    people = cast.assemble(cast.small())
    version = rubrics.release(load_rubric(SHIPPED.read_text())).rubric_version
    run = runs.start(people.set, version)
    judged(run)
    return World(
        people=people,
        statement=Statement.objects.filter(case__set=people.set).order_by("pk")[0],
        run=run,
        waiting=runs.start(people.set, version),
        report=reports.create(run),
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
