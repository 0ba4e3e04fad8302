"""Drafts in the browser, without a script: begun, edited, checked, tried, released."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from calibration import rubrics
from calibration.drafting import drafts, trials
from calibration.models import RubricDraft, RubricVersion
from grounding.rubrics import load_rubric
from labeling.models import Case, Exposure, Membership, Role
from labeling.sets import exposures
from tests.access.test_writes import stored
from tests.calibration.pages import sets
from tests.calibration.pages.reading import Page
from tests.calibration.pages.test_hostile_text import HOSTILE, plant
from tests.calibration.rubrics.test_rubrics import EXAMPLE
from tests.cast import Cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def version(people: Cast) -> RubricVersion:
    return sets.released()


@pytest.fixture
def draft(people: Cast, version: RubricVersion) -> RubricDraft:
    return drafts.begin(version, people.lead)


def url(draft: RubricDraft, route: str = "draft") -> str:
    return reverse(route, args=[draft.pk])


def filled(client: Client, draft: RubricDraft) -> dict[str, str]:
    """The form as a browser would send it back, from the page itself."""
    return Form(client.get(url(draft)).content).values


class Form(Page):
    """The values of the page's draft form."""

    def __init__(self, body: bytes) -> None:
        self.values: dict[str, str] = {}
        self._within = False
        self._area: str | None = None
        self._select: str | None = None
        super().__init__(body)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        super().handle_starttag(tag, attrs)
        given = dict(attrs)
        if tag == "form":
            self._within = given.get("class") == "draft"
        name = given.get("name")
        if not self._within or (tag != "option" and not name):
            return
        if tag == "input":
            self.values[name] = given.get("value") or ""
        elif tag == "textarea":
            self._area = name
            self.values[name] = ""
        elif tag == "select":
            self._select = name
        elif tag == "option" and self._select and "selected" in given:
            self.values[self._select] = given.get("value") or ""

    def handle_endtag(self, tag: str) -> None:
        super().handle_endtag(tag)
        if tag == "textarea" and self._area:
            # A browser leaves out the line end right after the tag.
            self.values[self._area] = self.values[self._area].removeprefix("\n")
            self._area = None
        if tag == "form":
            self._within = False

    def handle_data(self, data: str) -> None:
        super().handle_data(data)
        if self._area:
            self.values[self._area] += data


def now(draft: RubricDraft) -> dict[str, Any]:
    return drafts.definition_of(RubricDraft.objects.get(pk=draft.pk))


def test_the_next_version_is_drafted_from_the_page_of_a_version(
    lead: Client, version: RubricVersion
) -> None:
    page = lead.get(reverse("rubric-version", args=[version.name, version.version]))
    assert f'name="based_on" value="{version.pk}"' in page.content.decode()
    answer = lead.post(reverse("drafts"), {"based_on": version.pk})
    draft = RubricDraft.objects.get()
    assert answer["Location"] == url(draft)
    listed = Page(lead.get(reverse("drafts")).content)
    assert listed.link("groundedness@1.0.1") == url(draft)
    assert (reverse("drafts"), "Drafts") in Page(lead.get(reverse("rubrics")).content).links


def test_the_form_as_it_came_saves_the_same_draft(lead: Client, draft: RubricDraft) -> None:
    before = now(draft) | {"title": "\n\n two\n", "notes": "\nx", "examples": [EXAMPLE]}
    drafts.save(draft, before, draft.created_by, edition=1)
    assert lead.post(url(draft), filled(lead, draft)).status_code == 302
    assert now(draft) == before


def test_a_draft_is_edited_and_released_without_a_script(lead: Client, draft: RubricDraft) -> None:
    form = filled(lead, draft) | {"prompts.verify": "Look twice.", "do": "check"}
    checked = Page(lead.post(url(draft), form).content)
    assert "Needs a minor bump against groundedness@1.0.0: 1 field moved." in checked.plain
    assert "minor can move a verdict or a decision Prompts › verify from not set" in checked.plain
    assert checked.link("Prompts › verify") == "#f-prompts.verify"
    assert now(draft)["prompts"]["verify"] is None
    refused = lead.post(url(draft, "draft-release"), form)
    assert refused.status_code == 409
    text = Page(refused.content).plain
    assert "Not released. groundedness@1.0.1 is a patch step from 1.0.0, but a minor" in text
    assert "is needed: prompts.verify" in text
    form = Form(refused.content).values
    assert lead.post(url(draft), form | {"do": "renumber"}).status_code == 302
    answer = lead.post(url(draft, "draft-release"), filled(lead, draft))
    released = rubrics.get("groundedness@1.1.0")
    assert answer["Location"] == reverse("rubric-version", args=["groundedness", "1.1.0"])
    text = rubrics.definition_of(released).prompts.verify
    assert text == "Look twice."
    assert lead.get(url(draft))["Location"] == answer["Location"]


def test_what_moved_stands_at_its_field_and_an_empty_choice_says_what_it_means(
    lead: Client, draft: RubricDraft
) -> None:
    field = "contract.speech_acts.assertion.claim_class"
    form = filled(lead, draft)
    assert form[field] == ""
    page = lead.get(url(draft)).content.decode()
    assert '<option value="" selected>not set</option>' in page
    assert "not set leaves it to the classification pass" in page
    assert "---" not in lead.get(reverse("drafts")).content.decode()
    checked = lead.post(url(draft), form | {field: "external", "do": "check"}).content.decode()
    note = checked.partition(f'id="m-{field}">')[2].partition("</div></div>")[0]
    said = Page(note.encode()).plain
    assert said == "major from not set → to external"
    live = lead.post(
        url(draft), form | {field: "external", "do": "check"}, headers={"hx-request": "true"}
    ).content.decode()
    assert f'id="m-{field}" hx-swap-oob="true"><div class="moved-one">' in live
    needs = live.partition('id="needs"')[2].partition("</a>")[0]
    assert "Major bump: 1 field moved, number refused" in needs


def test_a_draft_begun_from_an_older_version_says_what_it_is_compared_with(
    lead: Client, draft: RubricDraft, version: RubricVersion
) -> None:
    form = filled(lead, draft)
    assert "The draft began from" not in Page(lead.get(url(draft)).content).plain
    lead.post(url(draft, "draft-release"), form | {"title": "Another"})
    lead.post(reverse("drafts"), {"based_on": version.pk})
    text = Page(lead.get(url(RubricDraft.objects.latest("pk"))).content).plain
    assert "The draft began from groundedness@1.0.0. It is compared with groundedness@1.0.1" in text
    assert "patch moves no verdict and no decision Title" in text


def test_a_save_that_comes_after_the_end_is_refused_and_what_was_sent_is_on_the_page(
    lead: Client, draft: RubricDraft
) -> None:
    form = filled(lead, draft) | {"title": "Late", "do": "save"}
    lead.post(url(draft, "draft-release"), filled(lead, draft))
    late = lead.post(url(draft), form)
    assert (late.status_code, Form(late.content).values["title"]) == (409, "Late")
    assert "Not saved. groundedness@1.0.1 is no longer open" in Page(late.content).plain
    assert now(draft)["title"] != "Late"


def test_the_check_as_one_types_answers_with_what_moved_and_the_fields_errors(
    lead: Client, draft: RubricDraft
) -> None:
    form = filled(lead, draft) | {"do": "check", "splitting.language": "de"}
    answer = lead.post(url(draft), form, headers={"hx-request": "true"}).content.decode()
    assert "<html" not in answer
    assert 'Needs a <strong class="bump">major</strong> bump' in answer
    form |= {"gate.failure_ceiling": "lots", "examples.rows": "0"}
    page = Page(lead.post(url(draft), form, headers={"hx-request": "true"}).content)
    said = {one["id"]: one for one in page.tags("p") if one.get("hx-swap-oob")}
    assert {"e-gate.failure_ceiling", "e-splitting.language"} <= set(said)
    assert "Input should be a valid number" in page.plain
    assert now(draft)["splitting"]["language"] == "en"


def test_what_is_wrong_is_kept_and_stands_at_its_field(lead: Client, draft: RubricDraft) -> None:
    form = filled(lead, draft) | {"gate.failure_ceiling": "lots", "version": "next"}
    assert lead.post(url(draft), form).status_code == 302
    body = lead.get(url(draft)).content.decode()
    assert 'value="lots"' in body
    at_the_field = body.split('id="e-gate.failure_ceiling">')[1].split("</p>")[0]
    assert at_the_field == "Input should be a valid number"
    assert "2 fields to be mended" in Page(body.encode()).plain


def test_examples_come_and_go_without_a_script(lead: Client, draft: RubricDraft) -> None:
    answer = lead.post(url(draft), filled(lead, draft) | {"do": "add:examples"})
    assert answer["Location"] == f"{url(draft)}#f-examples"
    form = filled(lead, draft) | {"examples.0.statement": "Three.", "title": "T"}
    lead.post(url(draft), form | {"do": "add:examples"})
    assert now(draft)["examples"] == [{"statement": "Three."}, {}]
    lead.post(url(draft), filled(lead, draft) | {"do": "remove:examples.1"})
    assert (now(draft)["examples"], now(draft)["title"]) == ([{"statement": "Three."}], "T")


def test_two_tabs_do_not_overwrite_each_other(lead: Client, draft: RubricDraft) -> None:
    first = filled(lead, draft)
    second = first | {"title": "Second", "do": "save"}
    lead.post(url(draft), first | {"title": "First", "do": "save"})
    for route in ("draft", "draft-release", "draft-discard"):
        answer = lead.post(url(draft, route), second)
        assert answer.status_code == 409
        page = Form(answer.content)
        assert "title Stored First Yours Second" in page.plain
        assert now(draft)["title"] == "First"
    assert page.values["title"] == "Second"
    assert lead.post(url(draft), page.values | {"do": "save"}).status_code == 302
    assert now(draft)["title"] == "Second"


def test_a_trial_grades_five_cases_and_stores_nothing_but_that_they_were_seen(
    people: Cast, lead: Client, draft: RubricDraft
) -> None:
    before = stored()
    form = filled(lead, draft) | {"set": people.set.slug, "title": "Unsaved"}
    answer = lead.post(url(draft, "draft-trial"), form)
    page = Page(answer.content)
    assert answer.status_code == 200
    assert "not a measurement" in page.plain
    assert len([one for one in page.elements if one[0] == "article"]) == 5
    assert page.plain.count("Judge subject-specific") >= 2
    assert exposures.exposed(people.set, people.lead)
    Exposure.objects.all().delete()
    assert stored() == before
    assert Form(answer.content).values["title"] == "Unsaved"


def test_a_trial_takes_the_cases_that_are_named(
    people: Cast, lead: Client, draft: RubricDraft
) -> None:
    form = filled(lead, draft) | {"set": people.set.slug}
    found = Page(lead.post(url(draft, "draft-trial"), form | {"cases": "jobs-001-b"}).content)
    assert [text for _, text in found.links if text.startswith("jobs-")] == ["jobs-001-b"]
    for wrong, said in (("nowhere", "no case nowhere"), ("a b c d e f", "at most 5 cases")):
        answer = lead.post(url(draft, "draft-trial"), form | {"cases": wrong})
        assert answer.status_code == 422
        assert said in Page(answer.content).plain


def test_a_trial_is_for_sets_that_one_leads_and_for_rubrics_that_can_run(
    people: Cast, lead: Client, signed_in: Any, draft: RubricDraft
) -> None:
    form = filled(lead, draft) | {"set": people.set.slug}
    stranger = signed_in(people.stranger)
    assert stranger.post(url(draft, "draft-trial"), form).status_code == 422
    Membership.objects.create(set=people.elsewhere, user=people.lead, role=Role.ANNOTATOR)
    elsewhere = form | {"set": people.elsewhere.slug}
    assert lead.post(url(draft, "draft-trial"), elsewhere).status_code == 422
    broken = form | {"gate.failure_ceiling": "lots"}
    assert lead.post(url(draft, "draft-trial"), broken).status_code == 422
    assert not Exposure.objects.exists()
    other = lead.post(url(draft, "draft-trial"), form | {"judge.implementation": "999"})
    assert other.status_code == 422
    assert "implementation 999" in Page(other.content).plain


def test_a_trial_ends_in_time_and_passes_over_what_is_too_long(
    people: Cast, draft: RubricDraft, monkeypatch: pytest.MonkeyPatch
) -> None:
    definition = rubrics.definition_of(draft.based_on)
    long = Case.objects.live().filter(set=people.set).order_by("position")[0]
    monkeypatch.setattr(trials, "MOST_CHARACTERS", len(long.answer) - 1)
    first = trials.try_out(definition, people.set, [long.case_id])[0]
    assert "too long for a trial" in (first.passed_over or "")
    monkeypatch.undo()
    monkeypatch.setattr(trials, "SECONDS", -1.0)
    tried = trials.try_out(definition, people.set)
    assert [one.passed_over for one in tried] == ["not tried: -1 seconds had passed"] * 5


def test_the_exposure_is_recorded_before_anything_is_graded(
    people: Cast, lead: Client, draft: RubricDraft, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("the judge is gone")

    monkeypatch.setattr(trials, "try_out", broken)
    form = filled(lead, draft) | {"set": people.set.slug}
    with pytest.raises(RuntimeError):
        lead.post(url(draft, "draft-trial"), form)
    assert exposures.exposed(people.set, people.lead)


def test_yaml_goes_out_and_comes_in_as_a_file_or_pasted(lead: Client, draft: RubricDraft) -> None:
    answer = lead.get(url(draft, "draft-yaml"))
    assert answer["Content-Disposition"].startswith(f'attachment; filename="draft-{draft.pk}-')
    assert load_rubric(answer.content.decode()).reference == "groundedness@1.0.1"
    for sent in ({"text": answer.content.decode()}, {"file": _file(answer.content)}):
        assert lead.post(reverse("drafts"), sent).status_code == 302
        assert now(RubricDraft.objects.latest("pk")) == now(draft)


def _file(content: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile("any.yaml", content)


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"text": "name: ["},
        {"text": "x: 1", "based_on": "1"},
        {"based_on": "999999"},
        {"file": SimpleUploadedFile("x.yaml", b"\xff")},
        {"file": SimpleUploadedFile("x.yaml", b"# " + b"x" * 1_048_577)},
    ],
)
def test_what_cannot_be_a_draft_is_said_and_what_was_pasted_stays(
    lead: Client, version: RubricVersion, sent: dict[str, Any]
) -> None:
    answer = lead.post(reverse("drafts"), sent)
    assert answer.status_code == 422
    assert b'class="error"' in answer.content
    if sent.get("text", "").startswith("name"):
        assert b"name: [</textarea>" in answer.content
        assert "line 1" in Page(answer.content).plain
    assert not RubricDraft.objects.exists()


def test_drafts_are_for_whoever_leads_a_set_and_belong_to_none(
    people: Cast, lead: Client, signed_in: Any, draft: RubricDraft
) -> None:
    form = filled(lead, draft) | {"do": "save", "title": "By another"}
    for user in (people.annotator, people.ex_member):
        assert signed_in(user).get(url(draft)).status_code == 404
        assert signed_in(user).post(url(draft), form).status_code == 404
    assert signed_in(people.stranger).post(url(draft), form).status_code == 302
    assert "by stranger" in Page(lead.get(url(draft)).content).plain
    lead.post(url(draft, "draft-discard"), {"edition": 2})
    assert lead.get(url(draft)).status_code == 404


@pytest.mark.parametrize(
    "sent",
    [{}, {"edition": "x"}, {"edition": "1", "do": "drop"}, {"edition": "1", "title": "a\x00b"}],
)
def test_a_form_that_is_none_of_ours_is_refused(
    lead: Client, draft: RubricDraft, sent: dict[str, str]
) -> None:
    before = now(draft)
    assert lead.post(url(draft), sent).status_code == 400
    assert now(draft) == before


def test_hostile_text_is_text_in_every_field_and_everywhere_it_is_told(
    people: Cast, lead: Client, draft: RubricDraft, settings: Any
) -> None:
    planted = now(draft) | {
        "name": plant("name"),
        "title": plant("title"),
        "verdict_mapping": {plant("word"): plant("verdict")},
        plant("key"): {plant("deep"): plant("value")},
        "judge": {"kind": plant("kind"), plant("more"): 1},
        "examples": [{"statement": plant("statement"), "context": [{"id": plant("id")}]}],
    }
    drafts.save(draft, planted, people.lead, edition=1)
    form = filled(lead, draft) | {"title": plant("typed"), "edition": "1", "do": "save"}
    ours = {"hx-get", "hx-post", "hx-trigger", "hx-target", "hx-swap", "hx-vals", "hx-sync"}
    answers = [
        lead.get(url(draft)),
        lead.get(reverse("drafts")),
        lead.post(url(draft), form),
        lead.post(url(draft), form | {"do": "check"}, headers={"hx-request": "true"}),
        lead.post(reverse("drafts"), {"text": HOSTILE}),
    ]
    for answer in answers:
        assert settings.SECRET_KEY not in answer.content.decode()
        for tag, attributes in Page(answer.content).elements:
            assert tag != "img"
            assert tag != "script" or (attributes["src"] or "").startswith("/static/")
            assert not [one for one in attributes if one.startswith("on") or one == "autofocus"]
            assert {one for one in attributes if one.startswith("hx-")} <= ours | {"hx-swap-oob"}
    page = Page(answers[0].content)
    for name in ("name", "title", "statement", "value", "key"):
        shown = f"{name} {HOSTILE[:60]}"
        valued = [one.get("value") or "" for one in page.tags("input")]
        assert shown in page.text or any(shown in one for one in valued), name
    header = lead.get(url(draft, "draft-yaml"))["Content-Disposition"]
    assert not set(header) & set("<\n")


def test_the_pages_make_as_many_queries_for_much_as_for_little(
    people: Cast, lead: Client, draft: RubricDraft
) -> None:
    little = _counted(lead, draft)
    for number in range(5):
        drafts.begin(draft.based_on, people.admin)
        definition = load_rubric(sets.SHIPPED.read_text()).model_copy(
            update={"version": f"1.0.{number + 2}", "notes": str(number)}
        )
        rubrics.release(definition)
    drafts.save(draft, now(draft) | {"examples": [EXAMPLE] * 30}, people.lead, edition=1)
    assert _counted(lead, draft) == little
    assert max(little) <= 20, little


def _counted(client: Client, draft: RubricDraft) -> list[int]:
    counted = []
    form = filled(client, draft) | {"do": "check"}
    for ask in (
        lambda: client.get(url(draft)),
        lambda: client.get(reverse("drafts")),
        lambda: client.post(url(draft), form, headers={"hx-request": "true"}),
    ):
        with CaptureQueriesContext(connection) as queries:
            assert ask().status_code == 200
        counted.append(len(queries))
    return counted
