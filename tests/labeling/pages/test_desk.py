"""The desk: what it offers, what it refuses, and that it loses nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client

from grounding.contract import VALID_VERDICTS
from labeling.models import Exposure, Label, Role, Source, Statement
from tests.labeling.pages import cast as casting
from tests.labeling.pages.cast import ANSWER, PASSAGE, Cast, desk_of, filled, quote

SignIn = Callable[[User], Client]


@pytest.fixture
def ann(cast: Cast, signed_in: SignIn) -> Client:
    return signed_in(cast.annotator)


def refused(ann: Client, of: Statement, **changes: Any) -> str:
    """The page that comes back for a form that the contract refuses."""
    response = ann.post(desk_of(of), filled(of, **changes))
    assert response.status_code == 422
    assert Label.objects.count() == 0
    return response.content.decode()


def field(page: str, name: str) -> str:
    """The markup of one field, from its beginning to the next one's."""
    return page.split(f'id="field-{name}"')[1].split('id="field-')[0]


def test_the_queue_leads_to_a_statement_and_at_the_end_back_to_the_queues(
    cast: Cast, ann: Client
) -> None:
    seen = set()
    to = ann.post(f"/sets/jobs/queues/{cast.queue.pk}/next/")["Location"]
    while to != "/sets/jobs/queues/":
        seen.add(to)
        of = Statement.objects.get(key=to.split("/")[-2])
        to = ann.post(to, filled(of))["Location"]
    assert seen == {desk_of(cast.statement), desk_of(cast.second)}
    page = ann.get("/sets/jobs/queues/").content.decode()
    mine = f'<a href="/sets/jobs/labels/?queue={cast.queue.pk}">2</a>'
    assert f"You have labelled <strong>{mine}</strong> of 2 statements" in page


def test_a_statement_with_a_span_is_marked_where_it_stands_and_one_without_stands_apart(
    cast: Cast, ann: Client
) -> None:
    page = ann.get(desk_of(cast.statement)).content.decode()
    assert f'<mark class="statement">{cast.statement.text}</mark> A retry runs a job' in page
    assert "statement-apart" not in page
    page = ann.get(desk_of(cast.second)).content.decode()
    assert f'statement-apart" dir="auto">{cast.second.text}' in page
    assert f">{ANSWER}</div>" in page


def test_a_filled_form_becomes_one_blind_label(cast: Cast, ann: Client) -> None:
    response = ann.post(
        desk_of(cast.statement),
        filled(cast.statement, claim_type="quantity", confidence="0.9", rationale="a\r\nb"),
    )
    assert response["Location"] == desk_of(cast.second)
    label = Label.objects.get()
    assert (label.claim_class, label.verdict, label.origin) == (
        "subject_specific",
        "supported",
        "blind",
    )
    assert (label.claim_type, label.speech_act, label.confidence) == ("quantity", "assertion", 0.9)
    assert label.rationale == "a\nb"
    found = label.evidence[0]
    assert PASSAGE[found["start"] : found["end"]] == found["quote"] == "3 failed jobs"


def test_a_sentence_chosen_by_its_checkbox_is_stored_by_code_points(
    cast: Cast, ann: Client
) -> None:
    page = ann.get(desk_of(cast.statement)).context["sheet"]
    sentences = [stretch for stretch in page.passages[0].stretches if stretch.value]
    assert "".join(stretch.text for stretch in page.passages[0].stretches) == PASSAGE
    assert len(sentences) > 2
    ann.post(desk_of(cast.statement), filled(cast.statement, evidence=[s.value for s in sentences]))
    stored = Label.objects.get().evidence
    assert [item["quote"] for item in stored] == [sentence.text for sentence in sentences]
    assert all(PASSAGE[item["start"] : item["end"]] == item["quote"] for item in stored)


def test_a_source_can_be_cited_for_an_external_claim(cast: Cast, ann: Client) -> None:
    page = ann.get(desk_of(cast.second)).context["sheet"]
    value = next(s.value for s in page.sources[0].stretches if s.value)
    response = ann.post(
        desk_of(cast.second), filled(cast.second, claim_class="external", evidence=[value])
    )
    assert response.status_code == 302
    assert Label.objects.get().evidence[0]["source_id"] == "glossary"


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"claim_class": ""}, "claim_class"),
        ({"claim_class": "Subject_Specific"}, "claim_class"),
        ({"verdict": ""}, "verdict"),
        ({"verdict": "not_applicable"}, "verdict"),
        ({"claim_class": "interpretation"}, "verdict"),
        ({"evidence": []}, "evidence"),
        ({"evidence": ["no JSON"]}, "evidence"),
        ({"evidence": [quote("3 failed jobs").replace("3 f", "4 f")]}, "evidence"),
        ({"evidence": [quote("3 failed jobs", passage="p9")]}, "evidence"),
        ({"claim_class": "external"}, "evidence"),
        ({"rationale": "  "}, "rationale"),
        ({"rationale": "a\x00b"}, "rationale"),
        ({"speech_act": "procedural"}, "claim_class"),
        ({"claim_type": "colour"}, "claim_type"),
        ({"confidence": "1.7"}, "confidence"),
        ({"confidence": "nan"}, "confidence"),
    ],
)
def test_what_the_contract_forbids_is_refused_at_its_field_with_the_form_intact(
    cast: Cast, ann: Client, changes: dict[str, Any], name: str
) -> None:
    page = refused(ann, cast.statement, **changes)
    assert f'id="error-{name}"' in field(page, name)
    assert f'href="#field-{name}"' in page.split('id="errors"')[1]
    kept = filled(cast.statement) | changes
    if name != "rationale":
        assert "The count is stated." in field(page, "rationale")
    if kept["claim_class"] in VALID_VERDICTS:
        verdicts = " ".join(VALID_VERDICTS[kept["claim_class"]])
        radio = page.split(f'value="{kept["claim_class"]}" data-verdicts="{verdicts}"')[1]
        assert " checked" in radio.split(">")[0]


def test_evidence_survives_a_refusal(cast: Cast, ann: Client) -> None:
    page = ann.get(desk_of(cast.statement)).context["sheet"]
    sentence = next(s.value for s in page.passages[0].stretches if s.value)
    response = ann.post(
        desk_of(cast.statement),
        filled(cast.statement, evidence=[sentence, quote("failed jobs")], rationale=""),
    )
    sheet = response.context["sheet"]
    assert [s.value for s in sheet.passages[0].stretches if s.chosen] == [sentence]
    assert [q.text for q in sheet.quotes] == ["failed jobs"]
    assert response.content.decode().count(" checked") >= 4


def test_each_verdict_says_on_the_page_which_classes_forbid_it(cast: Cast, ann: Client) -> None:
    page = ann.get(desk_of(cast.statement)).content.decode()
    for forbids, verdict in (
        ("subject_specific external", "not_applicable"),
        ("interpretation", "supported"),
    ):
        radio = f'<input type="radio" name="verdict" value="{verdict}"'
        assert f'data-not-for="{forbids}">{radio}' in page


def test_the_same_form_sent_twice_is_one_label(cast: Cast, ann: Client) -> None:
    form = filled(cast.statement)
    first = ann.post(desk_of(cast.statement), form)
    second = ann.post(desk_of(cast.statement), form)
    assert first.status_code == second.status_code == 302
    assert first["Location"] == second["Location"]
    assert Label.objects.count() == 1


def test_a_form_without_its_token_is_refused(cast: Cast, ann: Client) -> None:
    response = ann.post(desk_of(cast.statement), filled(cast.statement, submission=""))
    assert response.status_code == 422
    assert Label.objects.count() == 0


def test_a_stale_edit_shows_both_texts_and_either_can_be_kept(cast: Cast, ann: Client) -> None:
    ann.post(desk_of(cast.statement), filled(cast.statement, rationale="from the first tab"))
    response = ann.post(
        desk_of(cast.statement), filled(cast.statement, rationale="from the second tab\n2")
    )
    assert response.status_code == 409
    page = response.content.decode()
    assert "from the first tab" in page
    assert "from the second tab" in page
    assert Label.objects.get().rationale == "from the first tab"

    context = response.context
    again = filled(
        cast.statement,
        rationale="from the second tab\n2",
        submission=str(context["submission"]),
        replaces=context["live"].pk,
        evidence=context["evidence_values"],
    )
    for name in ("submission", "replaces", "rationale"):
        assert f'name="{name}" value="{again[name]}"' in page
    assert ann.post(desk_of(cast.statement), again).status_code == 302
    assert Label.objects.live().get().rationale == "from the second tab\n2"
    assert Label.objects.count() == 2


def test_an_edit_opens_with_what_stands_and_replaces_it(cast: Cast, ann: Client) -> None:
    ann.post(
        desk_of(cast.statement), filled(cast.statement, rationale="version one", confidence="0.5")
    )
    first = Label.objects.get()
    page = ann.get(desk_of(cast.statement))
    form = page.context["form"]
    assert form["replaces"].value() == first.pk
    assert (form["rationale"].value(), form["confidence"].value()) == ("version one", 0.5)
    assert [q.text for q in page.context["sheet"].quotes] == ["3 failed jobs"]
    ann.post(
        desk_of(cast.statement), filled(cast.statement, rationale="version two", replaces=first.pk)
    )
    assert Label.objects.live().get().rationale == "version two"
    history = ann.get("/sets/jobs/labels/").content.decode()
    assert history.index("version two") < history.index("version one")
    assert history.count(">replaced<") == 1


def test_my_history_holds_my_labels_alone(cast: Cast, ann: Client, signed_in: SignIn) -> None:
    signed_in(cast.other).post(
        desk_of(cast.statement), filled(cast.statement, rationale="other-canary")
    )
    ann.post(desk_of(cast.second), filled(cast.second, rationale="mine"))
    page = ann.get("/sets/jobs/labels/").content.decode()
    assert "mine" in page
    assert "other-canary" not in page


def test_the_statement_in_the_body_must_be_the_one_in_the_path(cast: Cast, ann: Client) -> None:
    assert ann.post(desk_of(cast.statement), filled(cast.second)).status_code == 404
    assert (
        ann.post(desk_of(cast.statement), filled(cast.statement, statement="")).status_code == 404
    )
    assert Label.objects.count() == 0


def test_my_set_in_the_path_and_their_statement_in_path_or_body_is_404_without_a_write(
    cast: Cast, ann: Client
) -> None:
    theirs = casting.CalibrationSet.objects.create(slug="theirs", revision=1)
    hidden = casting.statement(casting.case(theirs, "c1"), "Theirs.", None)
    for slug in ("jobs", "theirs"):
        path = f"/sets/{slug}/queues/{cast.queue.pk}/label/{hidden.key}/"
        assert ann.get(path).status_code == 404
        assert ann.post(path, filled(hidden)).status_code == 404
    assert ann.post(desk_of(cast.statement), filled(hidden)).status_code == 404
    assert Label.objects.count() == 0


def test_the_desk_shows_nothing_that_a_blind_annotator_must_not_see(
    cast: Cast, ann: Client
) -> None:
    for page in (ann.get(desk_of(cast.statement)), ann.get("/sets/jobs/"), ann.get("/sets/")):
        assert "canary" not in page.content.decode()


def test_someone_who_has_seen_the_answers_is_told_that_the_label_will_be_revealed(
    cast: Cast, ann: Client
) -> None:
    assert "kept as revealed" not in ann.get(desk_of(cast.statement)).content.decode()
    Exposure.objects.create(set=cast.set, user=cast.annotator, to="report")
    assert "kept as revealed" in ann.get(desk_of(cast.statement)).content.decode()


def test_many_sources_are_counted_and_can_be_searched(cast: Cast, ann: Client) -> None:
    Source.objects.bulk_create(
        Source(set=cast.set, source_id=f"s-{n:03}", text=f"Fact number {n} stands.")
        for n in range(40)
    )
    sheet = ann.get(desk_of(cast.statement)).context["sheet"]
    assert (len(sheet.sources), sheet.sources_total) == (30, 41)
    sheet = ann.get(desk_of(cast.statement), {"source": "number 39 "}).context["sheet"]
    assert [source.id for source in sheet.sources] == ["s-039"]


def test_a_cited_source_stays_on_the_sheet_whatever_is_searched(cast: Cast, ann: Client) -> None:
    value = quote("Retry", passage="glossary", within=casting.GLOSSARY)
    value = value.replace('"passage_id"', '"x"').replace('"source_id"', '"passage_id"')
    value = value.replace('"x"', '"source_id"')
    ann.post(desk_of(cast.second), filled(cast.second, claim_class="external", evidence=[value]))
    sheet = ann.get(desk_of(cast.second), {"source": "nothing like it"}).context["sheet"]
    assert [source.id for source in sheet.sources] == ["glossary"]
    assert [item.text for item in sheet.quotes] == ["Retry"]


def test_a_filter_that_is_not_listed_is_400(cast: Cast, ann: Client) -> None:
    for path in (desk_of(cast.statement), "/sets/jobs/labels/"):
        assert ann.get(path, {"order_by": "user__password"}).status_code == 400


@pytest.mark.parametrize("role", [Role.LEAD, Role.ADMIN])
def test_leads_and_admins_label_too(cast: Cast, signed_in: SignIn, role: Role) -> None:
    user = cast.lead if role is Role.LEAD else cast.admin
    assert signed_in(user).post(desk_of(cast.statement), filled(cast.statement)).status_code == 302


def test_a_token_used_for_another_statement_is_refused(cast: Cast, ann: Client) -> None:
    token = str(uuid4())
    ann.post(desk_of(cast.statement), filled(cast.statement, submission=token))
    response = ann.post(desk_of(cast.second), filled(cast.second, submission=token))
    assert response.status_code == 409
    assert Label.objects.count() == 1
