"""Law 6 by crawling: everything an annotator can fetch, before and after judges and others
have spoken, is the same to the byte, and holds no trace of what they must not see.

Canaries stand in every field that is not for annotators. The crawl starts from every route of
the URL table, allowed or not, for every live statement, and follows every link it finds.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from calibration import bundles, reports, rubrics, runs
from grounding.contract import ClaimClass, SpeechAct, Verdict
from grounding.rubrics import load_rubric
from labeling import adjudications, labels, queues, sets
from labeling.adjudications import Opened, disputes
from labeling.models import CalibrationSet, Queue, Role, Statement
from labeling.people import accounts
from labeling.sets import exposures
from labeling.values import LabelValues
from tests import cast
from tests.access.matrix import MATRIX
from tests.access.world import SHIPPED, judged, parameters, routes
from tests.cast import handed

CANARY = "canary"
# The session's own: the CSRF token, and the token that makes a double click one label.
_OWN = re.compile(rb'name="(csrfmiddlewaretoken|submission)" value="[^"]*"')
_LINK = re.compile(rb'(?:href|action|hx-get|src)="(/[^"#]*)')

Seen = dict[str, tuple[int, dict[str, str], bytes]]


@pytest.fixture
def planted(db: None, tmp_path: Path) -> CalibrationSet:
    """Two pairs of cases with a canary in everything that only leads may see."""
    lines = [json.dumps(_case(pair, side)) for pair in (1, 2) for side in "ab"]
    (tmp_path / "cases.jsonl").write_text("\n".join(lines) + "\n")
    bundles.import_set("planted", tmp_path / "cases.jsonl")
    return sets.get("planted")


def test_an_annotator_sees_the_same_bytes_whatever_judges_and_others_say(
    planted: CalibrationSet,
) -> None:
    people = cast.assemble(planted)
    accounts.join(planted, people.second, Role.LEAD)
    for statement in Statement.objects.all():
        handed(statement, people.annotator)
    for statement in list(Statement.objects.all())[:2]:
        _label(statement, people.annotator, "mine")
    _others_say(people, "Not this.", Verdict.CONTRADICTORY)
    before = crawl(people.annotator, planted)
    _judge_and_label(planted, people)
    after = crawl(people.annotator, planted)
    _assert_nothing_came(before, after)


@pytest.mark.slow
def test_a_closed_queue_shows_nothing_of_what_others_said_until_it_is_revealed(
    planted: CalibrationSet,
) -> None:
    people = cast.assemble(planted)
    accounts.join(planted, people.second, Role.LEAD)
    for statement in Statement.objects.all():
        _label(statement, people.annotator, "mine")
    _others_say(people, "Not this.", Verdict.CONTRADICTORY)
    queue = Queue.objects.get(set=planted)
    queues.close(queue)
    before = crawl(people.annotator, planted)
    queues.reopen(queue)
    _judge_and_label(planted, people)
    queues.close(queue)
    after = crawl(people.annotator, planted)
    _assert_nothing_came(before, after)
    assert not exposures.exposed(planted, people.annotator)

    queues.reveal(queue)
    url = reverse("queue-revealed", args=["planted", queue.pk])
    shown = crawl(people.annotator, planted)[url][2]
    assert f"{CANARY}-other".encode() in shown
    for kept in ("judge", "kind", "tag", "case", "pair", "source"):
        assert f"{CANARY}-{kept}".encode() not in shown
    assert exposures.exposed(planted, people.annotator)


def test_the_crawl_finds_the_desk_of_every_statement_and_the_canaries_are_really_there(
    planted: CalibrationSet,
) -> None:
    """The control: a lead's crawl of the same set is full of canaries."""
    people = cast.assemble(planted)
    for statement in Statement.objects.all():
        handed(statement, people.annotator)
    _judge_and_label(planted, people)
    mine = crawl(people.annotator, planted)
    queue = Queue.objects.get(set=planted)
    for key in Statement.objects.values_list("key", flat=True):
        assert mine[f"/sets/planted/queues/{queue.pk}/label/{key}/"][0] == 200
    leads = crawl(people.lead, planted)
    bodies = b"".join(body for _, _, body in leads.values())
    for canary in ("expected", "kind", "tag", "judge", "other", "decided"):
        assert f"{CANARY}-{canary}".encode() in bodies, canary


def _assert_nothing_came(before: Seen, after: Seen) -> None:
    assert set(after) == set(before)
    assert [url for url in after if after[url] != before[url]] == []
    assert [url for url, (_, _, body) in after.items() if CANARY.encode() in body] == []


def crawl(user: object, calibration_set: CalibrationSet) -> Seen:
    """Every page that can be reached by any route or link, signed in as ``user``."""
    client = Client()
    client.force_login(user)
    waiting, seen = list(_starts(calibration_set)), {}
    while waiting:
        url = waiting.pop()
        if url in seen or url.startswith("/static/"):
            continue
        answer = client.get(url)
        body = b"" if answer.streaming else _OWN.sub(b"", answer.content)
        headers = {k: v for k, v in answer.headers.items() if k != "Expires"}
        seen[url] = (answer.status_code, headers, body)
        waiting += [link.decode().replace("&amp;", "&") for link in _LINK.findall(body)]
        if answer.status_code == 302:
            waiting.append(answer["Location"])
    return seen


def _starts(calibration_set: CalibrationSet) -> list[str]:
    """Every route that can be fetched, for everything that it could name; what is not there yet
    answers 404."""
    names = {
        "slug": ["planted"],
        "format": ["json", "csv", "jsonl"],
        "pair_id": ["pair-1", f"{CANARY}-pair-1"],
    }
    names |= {"name": ["groundedness"], "version": ["1.0.0"]}
    names["key"] = list(Statement.objects.values_list("key", flat=True))
    names["revision"] = [1]
    names["token"] = ["unknown"]
    names["number"] = [0, 1]
    names["pk"] = names["case"] = list(range(1, 5))
    found = []
    for route in (route for route, row in MATRIX.items() if "GET" in row):
        wanted = sorted(parameters(route))
        found += [
            reverse(route, kwargs=dict(zip(wanted, values, strict=True)))
            for values in _products([names[name] for name in wanted])
        ]
    assert len(found) > len(routes())
    return [url for url in found if url != reverse("sign-out")]


def _products(lists: list[list]) -> list[tuple]:
    if not lists:
        return [()]
    return [(head, *tail) for head in lists[0] for tail in _products(lists[1:])]


def _judge_and_label(planted: CalibrationSet, people: cast.Cast) -> None:
    version = rubrics.release(load_rubric(SHIPPED.read_text())).rubric_version
    run = runs.start(planted, version)
    judged(run)
    run.judgments.update(explanation=f"{CANARY}-judge")
    _others_say(people, f"{CANARY}-other", Verdict.UNSUPPORTED)
    for statement in Statement.objects.all():
        _decide(statement, people.lead, f"{CANARY}-decided")
    reports.create(run)


def _decide(statement: Statement, user: object, rationale: str) -> None:
    opened = Opened(disputes.of_statement(statement).over)
    values = _values(rationale, Verdict.CONTRADICTORY)
    adjudications.decide(statement, user, values, submission=uuid4(), opened=opened)


def _others_say(people: cast.Cast, rationale: str, verdict: Verdict) -> None:
    for statement in Statement.objects.all():
        _label(statement, people.second, rationale, verdict)


def _label(
    statement: Statement,
    user: object,
    rationale: str,
    verdict: Verdict = Verdict.UNSUPPORTED,
) -> None:
    assignment = handed(statement, user)
    live = labels.live_of(assignment)
    replaces = live.pk if live else None
    values = _values(rationale, verdict)
    labels.submit(assignment, values, submission=uuid4(), replaces=replaces)


def _values(rationale: str, verdict: Verdict) -> LabelValues:
    return LabelValues(
        claim_class=ClaimClass.SUBJECT_SPECIFIC,
        verdict=verdict,
        claim_type=None,
        speech_act=SpeechAct.ASSERTION,
        rationale=rationale,
        evidence=(),
        confidence=None,
    )


def _case(pair: int, side: str) -> dict:
    count = 3 if side == "a" else 5
    answer = f"Report {pair} lists {count} failed jobs."
    return {
        "case_id": f"{CANARY}-case-{pair}-{side}",
        "pair_id": f"{CANARY}-pair-{pair}",
        "pair_kind": f"{CANARY}-kind",
        "question": f"What does report {pair} list?",
        "context": [
            {"id": "p1", "text": f"Report {pair}: 3 failed jobs.", "source": f"{CANARY}-origin"}
        ],
        "retrieved": [{"id": "p9", "text": f"{CANARY}-pool", "source": None}],
        "answer": answer,
        "statements": [
            {
                "statement_id": "s1",
                "text": answer,
                "span": [0, len(answer)],
                "expected": {
                    "claim_class": "subject_specific",
                    "verdict": "supported" if side == "a" else "contradictory",
                    "rationale": f"{CANARY}-expected",
                    "evidence": [
                        {"passage_id": "p1", "quote": "3 failed jobs", "start": 10, "end": 23}
                    ],
                },
            }
        ],
        "answerable": True,
        "tags": [f"{CANARY}-tag"],
        "source": f"{CANARY}-source",
        "licence": f"{CANARY}-licence",
    }
