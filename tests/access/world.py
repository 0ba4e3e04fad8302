"""One of everything that a route can name, in a set with people of every role."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from calibration import judging, reports, rubrics, runs
from calibration.drafting import drafts
from calibration.models import Report, RubricDraft, Run
from calibration.planner import Asked, planned
from calibration.reports.looks import HOLDOUT
from calibration.runs import probes
from grounding.rubrics import load_rubric
from labeling import queues
from labeling.adjudications import disputes
from labeling.adjudications.adjudication_forms import over_text
from labeling.authoring.caseforms import fields, opening
from labeling.desk import drafts as labeling_drafts
from labeling.desk import parts
from labeling.models import (
    Assignment,
    Case,
    Invitation,
    Label,
    Queue,
    Remark,
    Role,
    Statement,
)
from labeling.people import invitations
from labeling.queues import remarks
from labeling.values import Part
from tests import cast
from tests.cast import Cast
from tests.sheets import forgotten

SHIPPED = Path(settings.BASE_DIR) / "calibration" / "rubrics" / "groundedness@1.0.0.yaml"

ROLES = ("anonymous", "stranger", "ex_member", "annotator", "lead", "admin")
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")

# Routes whose number is a report's.
REPORTING = (
    "report",
    "disagreements",
    "report-queue",
    "report-statements",
    "report-pairs",
    "report-production",
    "report-ratings",
    "report-rating-pairs",
    "report-annotators",
    "report-answers",
    "report-answer",
    "report-download",
)
# Routes whose number is a queue's.
OF_A_QUEUE = (
    "queue-next",
    "label",
    "queue",
    "queue-state",
    "queue-revise",
    "queue-progress",
    "queue-list",
    "lease-release",
    "flag-settle",
    "queue-quality",
    "queue-left-out",
    "queue-gold",
)
OPENING = {
    "title": "Another round",
    "kind": "all",
    "overlap": 2,
    "order": "random",
    "lease_minutes": 30,
    "gold": "none",
}


AT_THE_DESK = (
    "label",
    "draft-save",
    "label-discard",
    "label-undo",
    "label-skip",
    "label-flag",
    "label-snippets",
    "label-parts",
    "label-part",
    "remark-withdraw",
)
DOING = {
    "label-skip": {"skipped_reason": "Later."},
    "label-flag": {"flagged_reason": "A passage is cut off."},
    "label-snippets": {"do": "keep"},
    "label-parts": {"add": "1"},
    "label-part": {"text": "A premise.", "keep": "1"},
    "remark-withdraw": {"kind": "flagged"},
}


@dataclass
class World:
    people: Cast
    statement: Statement
    run: Run
    waiting: Run
    probe: Run
    report: Report
    draft: RubricDraft
    queue: Queue
    token: str
    flag: Remark
    revealed: Queue

    def user(self, role: str) -> User | AnonymousUser:
        return AnonymousUser() if role == "anonymous" else getattr(self.people, role)

    @cached_property
    def _own(self) -> dict[str, int]:
        """The number in the path of each route whose number is neither a run's nor a report's.
        Asked of the database once: the matrix asks for it thousands of times."""
        pks = {
            "case": self.statement.case_id,
            "case-edit": self.statement.case_id,
            "partner": self.statement.case_id,
            "partner-write": self.statement.case_id,
            "judgment": self.run.judgments.values_list("pk", flat=True)[0],
            "run-cancel": self.waiting.pk,
            "probe-moved": self.probe.pk,
            "holdout-looks": self.statement.pk,
            "queue-revealed": self.revealed.pk,
            "promote": split_label(self.people).pk,
            "invitation-withdraw": Invitation.objects.values_list("pk", flat=True)[0],
        }
        pks |= dict.fromkeys(AT_THE_DESK, self.queue.pk)
        drafts = ("draft", "draft-trial", "draft-release", "draft-discard", "draft-yaml")
        pks |= dict.fromkeys(drafts, self.draft.pk)
        return pks | dict.fromkeys(OF_A_QUEUE, self.queue.pk)

    def names(self, route: str) -> dict[str, Any]:
        """What stands in the route's path, as keyword arguments of `reverse`."""
        others = self.report.pk if route in REPORTING else self.run.pk
        return {
            "slug": self.people.set.slug,
            "key": self.statement.key,
            "pair_id": "jobs-001",
            "revision": 1,
            "name": "groundedness",
            "version": "1.0.0",
            "format": "csv" if route == "annotator-labels" else "json",
            "number": 0,
            "token": self.token,
            "case": self.statement.case_id,
            "pk": self._own.get(route, others),
        }

    def body(self, route: str) -> dict[str, Any]:
        """A form that the route would take from someone who may send it."""
        desk = {"statement": str(self.statement.key), "submission": str(uuid4()), "number": 1}
        if route in AT_THE_DESK:
            return desk | {"rationale": "Again.", "edition": 1} | DOING.get(route, {})
        return {
            "lease-release": {"assignment": self.flag.assignment_id},
            "flag-settle": {"flag": self.flag.pk},
            "queue-open": OPENING,
            "report-queue": OPENING,
            "queue-state": {"action": "pause"},
            "queue-revise": {"guideline": "Read slowly."},
            "members": {"username": "second", "role": "lead"},
            "member-end": {"username": "second"},
            "invitations": {"role": "annotator", "days": 7},
            "invitation": dict.fromkeys(("password1", "password2"), "two odd socks")
            | {"username": "newcomer"},
            "runs": {"rubric_version": self.run.rubric_version_id, "repeats": 1},
            "train-judge": {"reference": "author"},
            "report-create": {"minimum": "author"},
            "judge-checks": {"kind": "length"},
            "drafts": {"based_on": self.run.rubric_version_id},
            "draft": {"edition": 1, "title": "Another"},
            "draft-trial": {"edition": 1, "set": self.people.set.slug},
            "draft-release": {"edition": 1, "title": "Another"},
            "draft-discard": {"edition": 1},
            "pair-write": {"pair_id": "new", "a.case_id": "new-a"},
            "case-write": {"a.case_id": "new"},
        }.get(route) or self._read_first(route)

    def _read_first(self, route: str) -> dict[str, Any]:
        """A form that says what its page showed."""
        forms: dict[str, Callable[[], dict[str, Any]]] = {
            "plan-queue": lambda: {**OPENING, "planned": self._planned()},
            "pair-edit": lambda: self._opened("a", "b"),
            "case-edit": lambda: self._opened("a"),
            "partner-write": lambda: self._opened("a"),
            "adjudicate": self._decision,
            "adjudicate-bulk": self._majority,
            "promote": self._promotion,
        }
        return forms[route]() if route in forms else {}

    def _planned(self) -> str:
        return planned.seal(self.people.set, [self.statement.pk], Asked())

    def _promotion(self) -> dict[str, str]:
        digest = split_label(self.people).statement.case.digest
        return {"a.case_id": "silent-3", "a.opened": digest}

    def _opened(self, *sides: str) -> dict[str, str]:
        """The form of a pair, or of one side of it, as it is opened."""
        cases = Case.objects.live().filter(set=self.people.set, pair_id="jobs-001")
        typed, _ = opening.open_cases(cases.order_by("position")[: len(sides)])
        return fields.posted_of(typed)

    def _decision(self) -> dict[str, Any]:
        return {
            "statement": str(self.statement.key),
            "submission": str(uuid4()),
            "over": over_text(disputes.of_statement(self.statement).over),
            "claim_class": "interpretation",
            "verdict": "not_applicable",
            "rationale": "A view.",
        }

    def _majority(self) -> dict[str, Any]:
        over = over_text(disputes.of_statement(self.statement).over)
        return {
            "submission": str(uuid4()),
            "chosen": f"{self.statement.key}:{over}",
            "rationale": "Two of three.",
        }

    def url(self, route: str) -> str:
        wanted = parameters(route)
        path = reverse(route, kwargs={k: v for k, v in self.names(route).items() if k in wanted})
        # A run beside itself: two equal columns, and every part of the page.
        beside = f"?first={self.run.pk}&second={self.run.pk}"
        asked = {
            "compare-statements": beside,
            "version-moved": beside,
            "version-statements": f"?runs={self.run.pk}",
        }
        return path + asked.get(route, "")


def split_label(people: Cast) -> Label:
    """The one label of the small set that splits something off."""
    labels = Label.objects.filter(
        statement__case__set=people.set, statement__case__case_id="silent-3"
    )
    return next(label for label in labels if label.premises)


def build() -> World:
    people = cast.assemble(cast.small())
    version = rubrics.release(load_rubric(SHIPPED.read_text())).rubric_version
    run = runs.start(people.set, version)
    judged(run)
    probe = runs.start(people.set, version, probe=probes.probe("length"))
    judged(probe)
    statement = Statement.objects.filter(case__set=people.set).order_by("pk")[0]
    Case.objects.filter(pk=statement.case_id).update(tags=[HOLDOUT])
    forgotten()
    queue = cast.queue_over(people.set)
    for user in (people.annotator, people.lead, people.admin):
        at_desk(cast.handed(statement, user))
    return World(
        people=people,
        statement=statement,
        run=run,
        waiting=runs.start(people.set, version),
        probe=probe,
        report=reports.create(run),
        draft=drafts.begin(version, people.lead),
        queue=queue,
        token=invitations.invite(people.set, people.admin, Role.ANNOTATOR),
        flag=Remark.objects.get(assignment__annotator__user=people.annotator),
        revealed=_revealed(people),
    )


def _revealed(people: Cast) -> Queue:
    """A queue of before, whose labels those who labelled in it may see."""
    queue = cast.queue_over(people.set, title="Round of before")
    queues.close(queue)
    queues.reveal(queue)
    return Queue.objects.get(pk=queue.pk)


def at_desk(assignment: Assignment) -> None:
    """A draft with a part in it, and a remark."""
    typed = {"rationale": "So far.", "part": [parts.value_of(Part("A premise."))]}
    labeling_drafts.save(assignment, typed, form=uuid4(), number=1, edition=0)
    remarks.flag(assignment, "The passage is cut off.")


def judged(run: Run) -> None:
    """Every planned judgment of the run, by the judge itself."""
    while runs.status(run) == "running":
        judging.judge_batch(run.pk, worker="tests")
        run.refresh_from_db()


@cache
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
