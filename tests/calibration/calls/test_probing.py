"""Probes whose judge asks a provider: what is sent, what is told before, what comes of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from calibration import judging, rubrics, runs
from calibration.models import Run
from calibration.readings import probed
from calibration.runs import estimates, probes
from labeling.models import Membership, Role
from tests.calibration.calls import author
from tests.calibration.calls.author import Author
from tests.calibration.calls.scene import Start
from tests.provider import Asked, Provider
from tests.provider.answering import read_json

pytestmark = pytest.mark.django_db

KINDS = ("aggregated_claim", "verdict_injection")


def judged(run: Run) -> Run:
    judging.judge_batch(run.pk, worker="w")
    run.refresh_from_db()
    return run


def shown_to(provider: Provider) -> list[list[str]]:
    """The passages of each request that has any, in the order in which they were sent."""
    asked = [list(read_json(json.loads(one.body)).passages.values()) for one in provider.received]
    return [passages for passages in asked if passages]


@pytest.mark.parametrize("kind", probes.KINDS)
def test_a_judge_that_calls_is_sent_the_case_told_otherwise(
    start: Start, provider: Provider, tmp_path: Path, kind: str
) -> None:
    cases = author.shipped(*KINDS)
    provider.answerer = Author(cases, {})
    held = author.imported(tmp_path, cases)
    run = judged(runs.start(held, author.version(), probe=probes.probe(kind)))
    told = probes.records_of(run, list(run.judgments.values_list("case_pk", flat=True)))
    sent = {tuple(passages) for passages in shown_to(provider)}
    assert sent == {tuple(one.text for one in record.context) for record in told.values()}
    plain = {tuple(passage["text"] for passage in case["context"]) for case in cases}
    assert not sent & plain
    assert runs.status(run) == "complete"


class First(Author):
    """Reads the first passage that it is shown: where that is not the case's own first, nothing
    is borne out."""

    def _said(self, text: str, asked: Asked) -> dict[str, Any]:
        said = super()._said(text, asked)
        firsts = {case["context"][0]["text"] for case in self.cases}
        if asked.passages and next(iter(asked.passages.values())) not in firsts:
            return said | {"verdict": "unsupported", "evidence": []}
        return said


@pytest.mark.parametrize("reader", [Author, First])
def test_a_judge_that_reads_the_first_passage_alone_is_moved_by_their_order(
    start: Start, provider: Provider, tmp_path: Path, reader: type[Author]
) -> None:
    """And one that reads them all is not: the control."""
    cases = author.shipped("aggregated_claim")
    provider.answerer = reader(cases, {})
    held, version = author.imported(tmp_path, cases), author.version()
    plain = judged(runs.start(held, version))
    probe = judged(runs.start(held, version, probe=probes.probe("order")))
    found = probed.figures(probe, plain)
    told = probes.records_of(probe, list(probe.judgments.values_list("case_pk", flat=True)))
    firsts = {case["case_id"]: case["context"][0]["text"] for case in cases}
    buried = {one.case_id for one in told.values() if one.context[0].text != firsts[one.case_id]}
    supported = plain.judgments.filter(statement__case__case_id__in=buried, verdict="supported")
    assert supported.count() > 0
    assert found["incomplete"] == 0
    assert found["strict"] == (supported.count() if reader is First else 0)
    assert found["lenient"] == 0


def test_what_a_probe_will_take_is_told_before_it_starts(
    start: Start, provider: Provider, tmp_path: Path
) -> None:
    cases = author.shipped(*KINDS)
    provider.answerer = Author(cases, {})
    held, version = author.imported(tmp_path, cases), author.version()
    definition = rubrics.definition_of(version)
    plain = estimates.of(definition, held, 1)
    longer = estimates.of(definition, held, 1, probes.probe("length", characters=5_000))
    fewer = estimates.of(definition, held, 1, probes.probe("order"))
    assert longer.calls == plain.calls
    assert longer.input_tokens > plain.input_tokens
    assert 0 < fewer.calls < plain.calls, "cases with one passage are not judged again"

    lead = User.objects.create_user("leo")
    Membership.objects.create(set=held, user=lead, role=Role.LEAD)
    client = Client()
    client.force_login(lead)
    url = reverse("judge-checks", args=[held.slug, version.name, version.version])
    form = {"kind": "length", "seed": "2", "characters": "600"}
    told = client.post(url, form)
    assert told.status_code == 200
    assert "Start, for about this" in told.content.decode()
    assert not Run.objects.exists()
    assert provider.calls == 0
    other = {**form, "characters": "700", "seen": "length-2-600"}
    assert client.post(url, other).status_code == 200, "what was told was for another probe"
    assert not Run.objects.exists()
    assert client.post(url, {**form, "seen": "length-2-600"}).status_code == 302
    assert Run.objects.get().probe["characters"] == 600
