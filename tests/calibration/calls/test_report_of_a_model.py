"""The report of a judge that asks a language model says what that was told, word for word."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from markdown_it import MarkdownIt

from calibration import rendering, reports
from calibration.models import Report, Run
from grounding.judges import llm
from labeling.models import Expectation, Role, Statement
from labeling.people import accounts
from tests.calibration.calls.scene import Start, lamps
from tests.calibration.pages.reading import Page
from tests.calibration.rendering.test_rendering import Reader
from tests.provider import Provider

pytestmark = pytest.mark.django_db


@pytest.fixture
def report(start: Start, tmp_path: Path) -> Report:
    held = lamps(tmp_path, 3)
    Expectation.objects.bulk_create(
        Expectation(statement=one, claim_class="subject_specific", verdict="supported")
        for one in Statement.objects.all()
    )
    return reports.create(start(held))


@pytest.fixture
def told(report: Report, provider: Provider) -> list[str]:
    """The system's message of every request that reached the provider, once each."""
    bodies = [json.loads(one.body) for one in provider.received]
    return sorted({body["messages"][0]["content"] for body in bodies})


def in_json(report: Report, **_: Any) -> list[str]:
    printed = StringIO()
    call_command("report", str(report.run.rubric_version), "lamps", "--json", stdout=printed)
    prompts = json.loads(printed.getvalue())["made"]["prompts"]
    assert list(prompts) == ["classify", "verify"]
    return [*prompts.values()]


def in_markdown(report: Report, **_: Any) -> list[str]:
    source = rendering.render(reports.full(report, most=100), "md")
    tokens = MarkdownIt("commonmark").enable("table").parse(source)
    return [token.content.removesuffix("\n") for token in tokens if token.type == "fence"]


def in_html(report: Report, **_: Any) -> str:
    return Reader(rendering.render(reports.full(report, most=500), "html")).text


def in_text(report: Report, **_: Any) -> str:
    lines = rendering.render(reports.full(report, most=20), "text").splitlines()
    return "\n".join(line[4:] for line in lines if line.startswith("  | "))


def page_of(report: Report, client: Any) -> Page:
    lead = get_user_model().objects.create_user("lead")
    accounts.join(report.run.set, lead, Role.LEAD)
    client.force_login(lead)
    return Page(client.get(f"/sets/lamps/reports/{report.pk}/").content)


def on_the_page(report: Report, client: Any) -> str:
    return page_of(report, client).text


@pytest.mark.parametrize("shown_by", [in_json, in_markdown, in_html, in_text, on_the_page])
def test_what_every_request_carried_stands_in_it_whole(
    report: Report, told: list[str], client: Any, shown_by: Callable[..., Any]
) -> None:
    assert len(told) == 2
    shown = shown_by(report, client=client)
    for text in told:
        assert text in shown


def test_the_rubric_itself_stands_in_it_and_reads_back(report: Report) -> None:
    from grounding.rubrics import content_digest, load_rubric

    source = rendering.render(reports.full(report, most=100), "md")
    tokens = MarkdownIt("commonmark").enable("table").parse(source)
    *_, rubric = [token.content for token in tokens if token.type == "fence"]
    version = report.run.rubric_version
    assert load_rubric(rubric).digest == version.digest
    assert content_digest(load_rubric(rubric)) == content_digest(
        load_rubric(json.dumps(version.definition))
    )


def test_code_of_another_implementation_does_not_say_what_was_sent(
    report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llm, "IMPLEMENTATION", 2)
    made = reports.full(report)["made"]
    assert made["prompts"] == {}
    assert "by code of implementation 1; installed is 2" in made["asked"]
    shown = rendering.render(reports.full(report), "text")
    assert "The rubric's own prompt for the first pass\n  | Read the question first:" in shown


def test_a_run_that_two_models_answered_is_marked_mixed(
    start: Start, provider: Provider, tmp_path: Path, settings: Any, client: Any
) -> None:
    settings.JUDGE_CONCURRENCY = 1

    def changes(call: Any) -> None:
        provider.model = "monday" if call.number < 6 else "tuesday"

    provider.plan = changes
    run: Run = start(lamps(tmp_path, 6))
    report = reports.create(run)
    full = reports.full(report)
    assert full["made"]["mixed_models"]
    assert "monday, tuesday (mixed: 2 models answered)" in rendering.render(full, "text")
    assert "monday, tuesday mixed" in page_of(report, client).plain
