"""Text from outside is text on every page of a lead, whatever it tries to be."""

from __future__ import annotations

import json
import re

import pytest
from django.urls import reverse

from calibration import reports, rubrics, runs
from calibration.models import Attempt, Judgment, Run, SentRequest
from grounding.rubrics import load_rubric
from labeling.models import Case, Label, Membership, Role
from tests.calibration.bundles.bundle_fixtures import plain_case
from tests.calibration.pages import sets
from tests.calibration.pages.reading import Page
from tests.sheets import forgotten

pytestmark = pytest.mark.django_db

HOSTILE = (
    "</p></script><script>alert(1)</script><img src=x onerror=alert(1)>"
    "\" autofocus onfocus='alert(1)' hx-get=/sign-out/ hx-on:load=alert(1) data-x=\""
    "{{ settings.SECRET_KEY }}{% url 'home' %}\u202eevil\u202c"
)
DIGEST = "sha256:" + "0" * 64
OURS = {"hx-get", "hx-trigger", "hx-swap"}


def plant(name: str) -> str:
    return f"{name} {HOSTILE}"


@pytest.fixture
def hostile(people, tmp_path):
    """A set, a rubric, labels, judgments and attempts with hostile text wherever text may be."""
    cases = [plain_case(number, **_texts()) for number in range(2)]
    for case in cases:
        case["context"].append({"id": "p2", "text": plant("passage"), "source": plant("origin")})
        statement = case["statements"][0]
        case["answer"], statement["text"] = plant("answer"), plant("statement")
        statement["span"] = None
        statement["expected"] |= {"rationale": plant("expected rationale")}
        statement["expected"]["evidence"].append({"passage_id": "p2", "quote": HOSTILE})
    cases[1]["statements"][0]["expected"] |= {"verdict": "unsupported"}
    measured = sets.imported("hostile", cases, tmp_path)
    Membership.objects.create(set=measured, user=people.lead, role=Role.LEAD)
    people.lead.username = HOSTILE[:150]
    people.lead.save()
    return measured


def _texts() -> dict:
    return {
        "pair_id": "pair",
        "pair_kind": plant("kind")[:128],
        "question": plant("question"),
        "tags": [plant("tag"), plant("label")[:150], plant("risk:high")[:150]],
        "source": plant("source"),
        "licence": plant("licence"),
    }


@pytest.fixture
def pages(hostile, people) -> dict[str, str]:
    definition = load_rubric(sets.SHIPPED.read_text("utf-8")).model_copy(
        update={"title": plant("title"), "notes": plant("notes"), "description": plant("about")}
    )
    version = rubrics.release(definition).rubric_version
    newer = definition.model_copy(update={"version": "1.0.1", "notes": plant("later notes")})
    rubrics.release(newer)
    run = sets.judged(runs.start(hostile, version, user=people.lead))
    failing = run.judgments.last()
    shown = run.judgments.exclude(pk=failing.pk).get()
    _judge(shown, failing)
    report = reports.create(run)
    newer = sets.judged(runs.start(hostile, rubrics.get("groundedness@1.0.1"), user=people.lead))
    _contradict(newer, shown)
    case = Case.objects.filter(set=hostile).first()
    slug = hostile.slug
    return {
        "cases": reverse("cases", args=[slug]),
        "pair": reverse("pair", args=[slug, "pair"]),
        "case": reverse("case", args=[slug, case.pk]),
        "lint": reverse("lint", args=[slug]),
        "compare": reverse("compare", args=[slug]) + f"?first={run.pk}&second={newer.pk}",
        "calls": reverse("run-calls", args=[slug, run.pk]),
        "runs": reverse("runs", args=[slug]),
        "run": reverse("run", args=[slug, run.pk]),
        "judgments": reverse("judgments", args=[slug, run.pk]),
        "judgment": reverse("judgment", args=[slug, shown.pk]),
        "failed": reverse("judgment", args=[slug, failing.pk]),
        "report": reverse("report", args=[slug, report.pk]),
        "disagreements": reverse("disagreements", args=[slug, report.pk]),
        "answers": reverse("report-answers", args=[slug, report.pk]),
        "answer": reverse("report-answer", args=[slug, report.pk, shown.statement.case_id]),
        "rubric": reverse("rubric-version", args=["groundedness", "1.0.1"]),
    }


def _judge(shown: Judgment, failing: Judgment) -> None:
    case = shown.statement.case
    Judgment.objects.filter(pk=shown.pk).update(
        outcome="graded",
        verdict="contradictory",
        claim_class="subject_specific",
        raw_verdict=plant("raw verdict"),
        explanation=plant("explanation"),
        judge_model=plant("model"),
        evidence=[
            {"passage_id": "p2", "source_id": None, "quote": HOSTILE, "start": None, "end": None}
        ],
        premises=[{"text": plant("premise"), "claim_class": None, "verdict": None}],
    )
    Judgment.objects.filter(pk=failing.pk).update(
        outcome="unreadable", verdict=None, claim_class=None, error=plant("error")
    )
    forgotten()
    Attempt.objects.filter(judgment__in=[shown, failing]).update(
        raw=plant("raw"),
        error=plant("attempt error"),
        judge_model=plant("attempt model"),
        request_digest=DIGEST,
        counts=True,
    )
    messages = [{"role": plant("role"), "content": plant("asked")}]
    body = json.dumps({"messages": messages, "stop": plant("setting")})
    SentRequest.objects.create(digest=DIGEST, body=body)
    assert Attempt.objects.exists()
    assert case is not None


def _contradict(newer: Run, shown: Judgment) -> None:
    """The other answer of what ``shown`` answers, so that one of the two broke."""
    expected = shown.statement.expectation
    newer.judgments.filter(statement=shown.statement).update(
        outcome="graded", claim_class=expected.claim_class, verdict=expected.verdict
    )
    forgotten()


SHOWN = {
    "compare": ["statement"],
    "cases": ["answer", "kind", "tag"],
    "answers": ["answer"],
    "answer": ["question", "passage", "origin", "answer", "statement", "explanation"],
    "pair": ["question", "passage", "origin", "answer", "statement", "expected rationale", "kind"],
    "case": [
        "question",
        "passage",
        "origin",
        "answer",
        "expected rationale",
        "tag",
        "source",
        "licence",
    ],
    "lint": [],
    "runs": [],
    "run": [],
    "judgments": ["statement", "explanation", "error"],
    "judgment": [
        "raw verdict",
        "explanation",
        "model",
        "premise",
        "raw",
        "attempt error",
        "asked",
        "setting",
    ],
    "calls": ["attempt error", "attempt model"],
    "failed": ["error", "raw", "attempt model"],
    "report": ["statement", "explanation", "kind", "model", "label", "high"],
    "disagreements": ["statement", "explanation"],
    "rubric": ["title", "about", "later notes", "notes"],
}


def test_nothing_hostile_becomes_an_element_or_an_attribute(lead, pages):
    for name, url in pages.items():
        response = lead.get(url)
        assert response.status_code == 200, name
        page = Page(response.content)
        for tag, attributes in page.elements:
            assert tag != "img", name
            handlers = [one for one in attributes if one.startswith("on") or one == "autofocus"]
            assert not handlers, (name, tag, handlers)
            moved = {one for one in attributes if one.startswith("hx-")} - OURS
            assert not moved, (name, tag, moved)
            assert tag != "script" or attributes.get("src", "").startswith("/static/"), name
        assert "style" not in {one for _, attributes in page.elements for one in attributes}, name


def test_all_of_it_is_shown_as_the_text_that_it_is(lead, pages):
    for name, url in pages.items():
        text = Page(lead.get(url).content).text
        for planted in SHOWN[name]:
            assert f"{planted} </p></script><script>alert(1)" in text, (name, planted)
        assert HOSTILE[:150] in text, f"{name}: the account's name"


def test_a_template_in_a_text_stays_a_template(lead, pages, settings):
    for name, url in pages.items():
        body = lead.get(url).content.decode()
        assert settings.SECRET_KEY not in body, name
    assert "{{ settings.SECRET_KEY }}" in Page(lead.get(pages["judgment"]).content).text


def test_what_reorders_the_line_is_marked_and_isolated(lead, pages):
    for name in ("pair", "case", "judgment", "judgments", "report", "rubric", "answer"):
        body = lead.get(pages[name]).content.decode()
        bare = re.sub(r'<span class="unseen reordering"[^>]*>.</span>', "", body)
        # Where a title or an attribute takes the text, its end is the end of the reach.
        flowing = re.sub(r"<title>.*?</title>|=\"[^\"]*\"", "", bare, flags=re.S)
        left = [one for one in flowing.split("\n") if "\u202e" in one and "<option" not in one]
        assert not left, (name, left[:1])


def test_downloads_of_hostile_text_are_attachments_with_plain_names(lead, pages, hostile):
    report = pages["report"]
    for form in ("json", "md", "html"):
        response = lead.get(f"{report}report.{form}".replace("reports/", "reports/", 1))
        assert response.status_code == 200
        header = response["Content-Disposition"]
        assert re.fullmatch(rf'attachment; filename="report-\d+\.{form}"', header)
    assert "<script" not in lead.get(f"{report}report.html").content.decode()


def test_a_set_with_an_odd_name_makes_a_plain_file_name(people, lead, tmp_path):
    measured = sets.imported("a:b.._c", sets.lamps(2), tmp_path)
    Membership.objects.create(set=measured, user=people.lead, role=Role.LEAD)
    response = lead.get(reverse("export-bundle", args=[measured.slug]))
    wanted = f'attachment; filename="a-b.._c-revision-{measured.revision}.zip"'
    assert response["Content-Disposition"] == wanted


def test_every_page_carries_the_policy_and_is_kept_by_no_cache(lead, pages):
    for name, url in pages.items():
        response = lead.get(url)
        policy = response["Content-Security-Policy"]
        assert "script-src 'self'" in policy, name
        assert "unsafe" not in policy, name
        assert response["X-Content-Type-Options"] == "nosniff", name
        assert response["Cache-Control"] == "no-store", name


def test_labels_are_text_too(people, lead, hostile, pages):
    statement = Case.objects.filter(set=hostile).first().statements.get()
    annotator = hostile.annotators.create(code="ann-1")
    Label.objects.create(
        statement=statement,
        annotator=annotator,
        role="label",
        verdict="unsupported",
        origin="blind",
        contract_major=1,
        rationale=plant("label rationale"),
    )
    page = Page(lead.get(pages["case"]).content)
    assert f"label rationale {HOSTILE[:40]}" in page.text
    assert not page.tags("img")
