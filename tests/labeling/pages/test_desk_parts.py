"""Parts are split off, labelled first and sent with the label, without a script."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from labeling.models import Assignment, Label
from tests.labeling.pages.cast import Cast, desk_of, filled, quote

SignIn = Callable[[User], Client]
ANSWER = "💊 It failed 👩‍🔧. المهمة فشلت. 失敗したジョブは三件です。Well done!"


@pytest.fixture
def ann(cast: Cast, signed_in: SignIn) -> Client:
    cast.statement.case.__class__.objects.update(answer=ANSWER)
    cast.statement.__class__.objects.update(span_start=None, span_end=None)
    return signed_in(cast.annotator)


def sent(client: Client, cast: Cast, **changes: Any) -> dict[str, Any]:
    """The desk's form as a browser would send it."""
    page = client.get(desk_of(cast.statement))
    form = page.context["form"]
    names = ("submission", "edition", "number", "replaces", "rationale", "claim_class", "verdict")
    fields = {name: str(form[name].value() or "") for name in names}
    carried = [part["value"] for part in page.context["parts"]]
    quotes = [item.value for item in page.context["sheet"].quotes]
    return filled(cast.statement, **fields, part=carried, evidence=quotes) | changes


def split(client: Client, cast: Cast, **changes: Any) -> str:
    to = f"{desk_of(cast.statement)}parts/"
    return client.post(to, sent(client, cast, add="1", **changes))["Location"]


def part_form(client: Client, cast: Cast, to: str, **changes: Any) -> dict[str, Any]:
    page = client.get(to)
    form = page.context["form"]
    opening = {name: str(form[name].value()) for name in ("submission", "edition", "number")}
    return (
        {"statement": str(cast.statement.key), "words": "", "text": ""}
        | {"claim_class": "subject_specific", "verdict": "supported"}
        | {"evidence": [quote("3 failed jobs")], "rationale": "The count."}
        | opening
        | changes
    )


OPINION = {
    "claim_class": "interpretation",
    "verdict": "not_applicable",
    "evidence": [],
    "rationale": "Praise.",
}


@pytest.mark.parametrize("sentence", [0, 1, 2, 3])
def test_a_premise_is_split_off_labelled_and_sent_with_its_words_by_code_points(
    cast: Cast, ann: Client, sentence: int
) -> None:
    to = split(ann, cast, **OPINION)
    assert to == f"{desk_of(cast.statement)}parts/0/"
    choices = [one for one in ann.get(to).context["answer"] if one.value]
    assert len(choices) == 4
    chosen = choices[sentence]
    answer = ann.post(to, part_form(ann, cast, to, words=chosen.value))
    assert answer["Location"] == desk_of(cast.statement)
    page = ann.get(desk_of(cast.statement)).content.decode()
    assert "not labelled yet" not in page
    assert 'name="edit" value="0"' in page
    assert ann.get(to).context["form"]["words"].value() == chosen.value
    assert ann.post(desk_of(cast.statement), sent(ann, cast)).status_code == 302
    label = Label.objects.get()
    assert (label.claim_class, label.verdict) == ("interpretation", "not_applicable")
    (premise,) = label.premises
    assert ANSWER[slice(*premise["span"])] == premise["text"] == chosen.text
    assert (premise["claim_class"], premise["verdict"]) == ("subject_specific", "supported")
    assert premise["rationale"] == "The count."
    assert premise["evidence"][0]["quote"] == "3 failed jobs"


def test_words_that_a_script_selected_begin_a_part(cast: Cast, ann: Client) -> None:
    start = ANSWER.index("فشلت")
    to = split(ann, cast, words=f"{start}-{start + 4}")
    page = ann.get(to)
    assert page.context["exact_words"] == "فشلت"
    assert page.context["form"]["words"].value() == f"{start}-{start + 4}"
    response = ann.post(
        f"{desk_of(cast.statement)}parts/", sent(ann, cast, add="1", words="999-1000")
    )
    assert response.status_code == 422


REASONED = "Get it, because it is cheap. Do."


def test_what_a_statement_takes_for_granted_can_be_split_off_as_it_is_proposed(
    cast: Cast, ann: Client
) -> None:
    assert ann.get(desk_of(cast.statement)).context["proposed"] == []
    cast.statement.case.__class__.objects.update(answer=f"So. {REASONED}")
    cast.statement.__class__.objects.update(text=REASONED, span_start=4, span_end=36)
    page = ann.get(desk_of(cast.statement))
    assert page.context["proposed"] == [(0, "it is cheap")]
    assert "it is cheap" in page.content.decode()
    to = f"{desk_of(cast.statement)}parts/"
    part = ann.post(to, sent(ann, cast, take="0"))["Location"]
    assert part == f"{to}0/"
    assert ann.get(part).context["form"]["words"].value() == "20-31"
    assert f"So. {REASONED}"[20:31] == "it is cheap"
    assert ann.get(desk_of(cast.statement)).context["proposed"] == []
    assert ann.post(to, sent(ann, cast, take="7")).status_code == 422


def test_a_part_in_own_words_has_no_place_in_the_answer(cast: Cast, ann: Client) -> None:
    to = split(ann, cast, **OPINION)
    ann.post(to, part_form(ann, cast, to, text="The disk\r\nwas full."))
    ann.post(desk_of(cast.statement), sent(ann, cast))
    (premise,) = Label.objects.get().premises
    assert (premise["text"], premise["span"]) == ("The disk\nwas full.", None)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"text": ""}, "text"),
        ({"text": "other words", "words": "0-3"}, "text"),
        ({"words": "0-9999"}, "words"),
        ({"words": "first"}, "words"),
        ({"claim_class": "interpretation"}, "verdict"),
        ({"verdict": ""}, "verdict"),
        ({"evidence": []}, "evidence"),
        ({"rationale": " "}, "rationale"),
    ],
)
def test_what_a_part_may_not_be_is_refused_at_its_field_with_the_form_intact(
    cast: Cast, ann: Client, changes: dict[str, str], field: str
) -> None:
    to = split(ann, cast)
    response = ann.post(to, part_form(ann, cast, to, **({"text": "A premise."} | changes)))
    assert response.status_code == 422
    page = response.content.decode()
    assert f'id="error-{field}"' in page
    assert f'href="#field-{field}"' in page
    assert Assignment.objects.get(statement=cast.statement, annotator__user=cast.annotator).draft


def test_the_statement_waits_for_its_parts(cast: Cast, ann: Client) -> None:
    to = split(ann, cast, **OPINION)
    ann.post(to, part_form(ann, cast, to, text="Later.", verdict="", keep="1"))
    assert "not labelled yet" in ann.get(desk_of(cast.statement)).content.decode()
    response = ann.post(desk_of(cast.statement), sent(ann, cast))
    assert response.status_code == 422
    page = response.content.decode()
    assert 'href="#field-part"' in page
    assert "Part 1, verdict: choose a verdict" in page
    assert "not labelled yet" in page
    assert not Label.objects.exists()
    for forged in ("no JSON", '{"text": "a", "span": [0, 2], "verdict": "supported"}'):
        response = ann.post(desk_of(cast.statement), sent(ann, cast, part=[forged]))
        assert response.status_code == 422
        assert 'id="error-part"' in response.content.decode()


def test_parts_are_edited_removed_and_opened_again_with_the_label(cast: Cast, ann: Client) -> None:
    for number in (0, 1):
        to = split(ann, cast, **OPINION)
        assert to.endswith(f"/parts/{number}/")
        ann.post(to, part_form(ann, cast, to, text=f"Premise {number}."))
    ann.post(desk_of(cast.statement), sent(ann, cast))
    first = Label.objects.get()
    parts = f"{desk_of(cast.statement)}parts/"
    ann.post(parts, sent(ann, cast, remove="0", rationale="Changed."))
    page = ann.get(desk_of(cast.statement))
    assert [part["said"].text for part in page.context["parts"]] == ["Premise 1."]
    assert page.context["form"]["rationale"].value() == "Changed."
    assert ann.post(parts, sent(ann, cast, edit="0"))["Location"] == f"{parts}0/"
    assert ann.get(f"{parts}0/").context["form"]["text"].value() == "Premise 1."
    assert ann.get(f"{parts}1/").status_code == 404
    assert ann.post(parts, sent(ann, cast, remove="7")).status_code == 422
    ann.post(desk_of(cast.statement), sent(ann, cast))
    assert [one["text"] for one in Label.objects.live().get().premises] == ["Premise 1."]
    first.refresh_from_db()
    assert [one["text"] for one in first.premises] == ["Premise 0.", "Premise 1."]
    history = ann.get("/sets/jobs/labels/").content.decode()
    assert "2 parts split off" in history


def test_a_part_over_a_draft_that_changed_meanwhile_is_a_conflict(cast: Cast, ann: Client) -> None:
    to = split(ann, cast)
    stale = part_form(ann, cast, to, text="From here.")
    ann.post(f"{desk_of(cast.statement)}draft/", sent(ann, cast, rationale="From there."))
    response = ann.post(to, stale)
    assert response.status_code == 409
    page = response.content.decode()
    assert "From here." in page
    assert "From there." in page


def test_a_script_may_keep_a_part_as_it_is_typed(cast: Cast, ann: Client) -> None:
    to = split(ann, cast)
    form = part_form(ann, cast, to, text="So far", verdict="", evidence=[], keep="1")
    said = ann.post(to, form, headers={"Accept": "application/json"})
    assert said.json()["lease"] == "held"
    assert ann.get(to).context["form"]["text"].value() == "So far"


def test_parts_are_seen_by_nobody_else(cast: Cast, ann: Client, signed_in: SignIn) -> None:
    to = split(ann, cast, **OPINION)
    ann.post(to, part_form(ann, cast, to, text="other-canary"))
    other = signed_in(cast.other)
    assert "other-canary" not in other.get(desk_of(cast.statement)).content.decode()
    assert other.get(to).status_code == 404
    ann.post(desk_of(cast.statement), sent(ann, cast))
    for path in (desk_of(cast.statement), "/sets/jobs/labels/", "/sets/jobs/remarks/"):
        assert "other-canary" not in other.get(path).content.decode()
