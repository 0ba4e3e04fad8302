"""What a lead sees of a run's calls, without JavaScript: estimate, spending, attempts, rounds."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from calibration import judging, reports, rubrics, runs
from calibration.calls.permits import provider as provider_of
from calibration.models import Attempt, Holder, Run
from calibration.runs import rounds
from calibration.runs.spending import Budget
from labeling.models import CalibrationSet, Role
from labeling.people import accounts
from tests.calibration.calls import scene
from tests.calibration.calls.scene import Start, lamps
from tests.calibration.pages.reading import Page, rows_behind
from tests.provider import Provider

pytestmark = pytest.mark.django_db


@pytest.fixture
def held(start: Start, tmp_path: Path) -> CalibrationSet:
    return lamps(tmp_path, 6, statements=2)


@pytest.fixture
def lead(held: CalibrationSet) -> Client:
    user, _ = accounts.create("dana")
    accounts.join(held, user, Role.LEAD)
    client = Client()
    client.force_login(user)
    return client


def page(client: Client, route: str, *parts: Any, **query: str) -> Page:
    answer = client.get(reverse(route, args=parts), query)
    assert answer.status_code == 200
    return Page(answer.content)


def test_a_run_that_calls_is_started_only_once_its_estimate_was_seen(
    lead: Client, held: CalibrationSet, provider: Provider
) -> None:
    version = rubrics.release(scene.definition()).rubric_version
    url = reverse("runs", args=[held.slug])
    form = {"rubric_version": version.pk, "repeats": 2, "max_calls": 500}
    shown = Page(lead.post(url, form).content)
    assert not Run.objects.exists()
    assert "About 24 calls" in shown.plain
    assert "USD" in shown.plain
    seen = next(tag["value"] for tag in shown.tags("input") if tag.get("name") == "seen")
    other = Page(lead.post(url, form | {"seen": seen, "repeats": 3}).content)
    assert "About 36 calls" in other.plain, "another plan needs another look"
    assert not Run.objects.exists()
    assert lead.post(url, form | {"seen": seen}).status_code == 302
    run = Run.objects.get()
    assert (run.budget_calls, run.budget_tokens, run.repeats) == (500, None, 2)
    assert provider.calls == 0


def test_the_estimate_is_near_what_the_run_takes(
    start: Start, held: CalibrationSet, provider: Provider
) -> None:
    from calibration.runs import estimates, spending

    expected = estimates.of(scene.definition(), held, 1)
    spent = spending.of(start(held))
    assert expected.calls == spent.calls == 12
    assert 0.5 < (expected.input_tokens + expected.output_tokens) / spent.tokens < 2


def test_money_is_no_budget_where_the_rubric_states_no_prices(
    lead: Client, held: CalibrationSet
) -> None:
    version = rubrics.release(scene.load_rubric(scene.SHIPPED.read_text())).rubric_version
    url = reverse("runs", args=[held.slug])
    answer = lead.post(url, {"rubric_version": version.pk, "max_cost": "5"})
    assert answer.status_code == 400
    assert "states no prices" in Page(answer.content).plain
    assert not Run.objects.exists()


def test_the_page_of_a_run_says_what_its_calls_took(
    start: Start, held: CalibrationSet, lead: Client
) -> None:
    run = start(held, budget=Budget(calls=100, cost=50.0))
    shown = page(lead, "run", held.slug, run.pk)
    assert "12 calls" in shown.plain
    assert "12 of 100" in shown.plain
    assert "50 USD" in shown.plain
    url = shown.link("12 calls")
    listed = Page(lead.get(url).content)
    assert "12 calls made" in listed.plain
    rows = [link for link, _ in listed.links if "#attempt-" in link]
    assert len(rows) == 12


def test_while_it_runs_the_page_says_what_is_in_flight_and_that_all_are_held_off(
    start: Start, held: CalibrationSet, lead: Client
) -> None:
    from datetime import timedelta
    from uuid import uuid4

    from django.utils import timezone

    run = start(held, judged=False)
    endpoint = provider_of("openai http://127.0.0.1:1/v1")
    endpoint.quiet_until = timezone.now() + timedelta(minutes=1)
    endpoint.save()
    lease = timezone.now() + timedelta(minutes=1)
    for busy in (3, 4):
        Holder.objects.create(
            provider=endpoint, run=run, token=uuid4(), held=5, busy=busy, lease_until=lease
        )
    shown = page(lead, "run-progress", held.slug, run.pk)
    assert "7, of 10 that may be at once" in shown.plain
    assert "asked for quiet until" in shown.plain


def test_a_lexical_run_shows_no_calls(lead: Client, held: CalibrationSet, rubric: Any) -> None:
    run = runs.start(held, rubric)
    judging.judge_batch(run.pk, worker="w")
    assert "Calls" not in page(lead, "run", held.slug, run.pk).plain
    assert "has called nobody" in page(lead, "run-calls", held.slug, run.pk).plain


def test_a_judgment_shows_what_was_sent_and_what_came_back(
    start: Start, held: CalibrationSet, lead: Client
) -> None:
    run = start(held)
    row = run.judgments.order_by("pk")[0]
    shown = page(lead, "judgment", held.slug, row.pk)
    assert "Lamp 0 burns for 0 hours." in shown.plain
    assert "HTTP status 200" in shown.plain
    assert "not_stated" in shown.plain
    assert "USD" in shown.plain
    assert scene.KEY not in shown.text
    digests = set(row.attempt_rows.values_list("request_digest", flat=True))
    assert all(str(digest) in shown.text for digest in digests)


def test_a_budget_that_is_spent_is_told_and_can_be_raised(
    start: Start, held: CalibrationSet, lead: Client, settings: Any
) -> None:
    settings.JUDGE_CONCURRENCY = 1
    run = start(held, budget=Budget(calls=5))
    shown = page(lead, "run", held.slug, run.pk)
    assert "The budget is spent." in shown.plain
    assert "budget of 5 calls" in shown.plain
    again = reverse("run-rerun", args=[held.slug, run.pk])
    assert lead.post(again, {"max_calls": "nonsense"}).status_code == 400
    assert lead.post(again, {"max_calls": "100"}).status_code == 302
    judging.judge_batch(run.pk, worker="w")
    after = page(lead, "run", held.slug, run.pk).plain
    assert "The budget is spent." not in after
    assert "round 2" in after
    assert lead.post(again).status_code == 409, "nothing failed"


def _two_rounds(start: Start, held: CalibrationSet, provider: Provider) -> Run:
    provider.plan = lambda call: "off_menu" if b"Lamp 3 burns" in call.body else None
    run = start(held)
    assert runs.outcomes(run)["invalid"] == 2
    reports.create(run)
    provider.plan = lambda call: None
    rounds.rerun(run)
    judging.judge_batch(run.pk, worker="w")
    run.refresh_from_db()
    return run


def test_the_lists_behind_a_report_of_an_earlier_round_stay_as_they_were(
    start: Start, held: CalibrationSet, provider: Provider, lead: Client
) -> None:
    run = _two_rounds(start, held, provider)
    report = run.reports.get()
    assert runs.outcomes(run)["graded"] == 12
    shown = page(lead, "report", held.slug, report.pk)
    lists = {text: url for url, text in shown.links if "/judgments/" in url and text.isdigit()}
    behind = {url: int(text) for text, url in lists.items()}
    assert 2 in behind.values()
    assert 10 in behind.values()
    for url, count in behind.items():
        assert "round=1" in url
        assert rows_behind(lead, url) == count, url
    failed = next(url for url, count in behind.items() if count == 2)
    assert "Invalid" in Page(lead.get(failed).content).plain.title()
    newer = reports.create(run)
    assert newer.figures["outcomes"]["graded"] == 12
    links = [url for url, _ in page(lead, "report", held.slug, newer.pk).links]
    assert not any("round=" in url for url in links)


def test_a_run_is_taken_up_again_on_the_command_line(
    start: Start, held: CalibrationSet, provider: Provider, capsys: pytest.CaptureFixture[str]
) -> None:
    import json

    provider.plan = lambda call: "off_menu" if b"Lamp 3 burns" in call.body else None
    run = start(held)
    call_command("start_run", "--rerun", str(run.pk), "--json")
    said = capsys.readouterr()
    answer = json.loads(said.out)
    assert (answer["run"], answer["status"]) == (run.pk, "running")
    assert answer["outcomes"]["graded"] == 10
    assert "round 2: 2 failed judgments" in said.err


def test_the_command_says_what_to_expect_and_keeps_the_budget(
    held: CalibrationSet, capsys: pytest.CaptureFixture[str]
) -> None:
    version = rubrics.release(scene.definition()).rubric_version
    call_command("start_run", str(version), held.slug, "--max-tokens", "9000", "--max-cost", "2.5")
    assert "expected: about 12 calls" in capsys.readouterr().err
    run = Run.objects.get()
    assert (run.budget_calls, run.budget_tokens, run.budget_cost) == (None, 9000, 2.5)


def test_attempts_and_what_was_sent_survive_export_and_import(
    start: Start, held: CalibrationSet, provider: Provider, tmp_path: Path
) -> None:
    from calibration.runs import spending
    from tests.calibration.bundles.test_bundles_roundtrip import again

    run = _two_rounds(start, held, provider)
    spent, key = spending.of(run), run.key
    first, second = again(held.slug, tmp_path)
    for name in ("attempts.jsonl", "judgments.jsonl"):
        assert (first / name).read_bytes() == (second / name).read_bytes()
    text = (first / "attempts.jsonl").read_text()
    assert scene.KEY not in text
    assert '"sent":"' in text.replace('": "', '":"')
    there = Run.objects.get(key=key)
    assert there.round == 2
    assert spending.of(there) == spent
    assert Attempt.objects.filter(judgment__run=there, round=2).count() == 4


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"sent": "{not json"}, "sent"),
        ({"sent": "[" * 100_000}, "sent"),
        ({"sent": '{"model":"another"}'}, "request_digest"),
        ({"sent": '{ "model": "a model" }'}, "request_digest"),
        ({"request_digest": None}, "request_digest"),
        ({"request_digest": "sha256:abc"}, "request_digest"),
        ({"http_status": 2**31}, "http_status"),
        ({"round": 2**31}, "round"),
        ({"cost": -1.0}, "cost"),
        ({"cached": 1}, "cached"),
    ],
)
def test_an_attempt_that_does_not_hold_together_is_refused_by_line_and_field(
    held: CalibrationSet, changes: dict[str, Any], field: str
) -> None:
    from calibration.bundles.recorded_reading import attempts_by_key
    from grounding.digests import digest
    from grounding.errors import BadInput
    from grounding.interchange.models import Attempt as Record
    from grounding.interchange.reading import read_records

    body = {"model": "a model"}
    row = {
        "rubric": "r",
        "version": "1.0.0",
        "case_id": "c",
        "statement_id": "s",
        "number": 1,
        "outcome": "graded",
        "request_digest": digest({"dialect": "openai", "body": body}),
        "sent": '{"model":"a model"}',
    }

    def read(given: dict[str, Any]) -> Any:
        stream = io.BytesIO(json.dumps(given).encode() + b"\n")
        records = read_records(stream, Record, source="attempts.jsonl")
        return attempts_by_key(records, source="attempts.jsonl")

    assert read(row)
    with pytest.raises(BadInput) as refused:
        read(row | changes)
    assert (refused.value.field, refused.value.line) == (field, 1)
