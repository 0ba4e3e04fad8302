"""Text that people or models wrote is text on every page, whole and harmless."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from labeling import queues
from labeling.desk import parts
from labeling.models import CalibrationSet, Queue, Role, Source, Statement
from labeling.people import accounts
from labeling.values import Part
from labeling.wording.faithful import faithful
from tests.cast import handed
from tests.labeling.pages import cast as casting
from tests.labeling.pages.cast import Cast, desk_of, filled, quote

SignIn = Callable[[User], Client]

HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(2)>\"'><b hx-get=/x hx-on:click=y>"
    "</script></textarea></title>{{ settings.SECRET_KEY }}{% debug %} &amp; é"
)


PART = parts.value_of(Part(HOSTILE, rationale=HOSTILE))


class Page(HTMLParser):
    """The elements and attributes of a page, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.elements and self.elements[-1][0] == "script":
            self.scripts.append(data.strip())


def harmless(body: str) -> bool:
    page = Page(body)
    names = {name for _, attributes in page.elements for name in attributes}
    tags = {tag for tag, _ in page.elements}
    return not (
        {name for name in names if name.startswith(("on", "hx-on", "hx-get"))}
        or tags & {"img", "b", "style", "iframe"}
        or any(page.scripts)
        or "style" in names
    )


@pytest.fixture
def hostile(db: None) -> tuple[Client, list[str]]:
    made = CalibrationSet.objects.create(slug="bad", title=HOSTILE[:200], revision=1)
    user = User.objects.create_user('<i onclick="x">')
    accounts.join(made, user, Role.ADMIN)
    Source.objects.create(set=made, source_id="src", text=HOSTILE)
    case = casting.case(
        made,
        "c1",
        question=HOSTILE,
        answer=HOSTILE,
        context=[{"id": "p1", "text": HOSTILE, "source": HOSTILE}],
    )
    first = casting.statement(case, HOSTILE, (0, 12))
    second = casting.statement(case, HOSTILE, None)
    for one in (first, second):
        handed(one, user)
    client = Client()
    client.force_login(user)
    desk = desk_of(first)
    evidence = [quote("</script>", within=HOSTILE)]
    form = filled(first, rationale=HOSTILE, evidence=evidence)
    assert client.post(desk, form).status_code == 302
    conflict = client.post(desk, filled(first, rationale=HOSTILE, evidence=evidence))
    refused = client.post(desk, filled(first, rationale=HOSTILE, verdict=HOSTILE))
    name = client.post("/sets/bad/members/", {"username": HOSTILE[:150], "role": HOSTILE})
    pages = [conflict.content.decode(), refused.content.decode(), name.content.decode()]
    paths = ["/sets/", "/sets/bad/", desk, desk_of(second), "/sets/bad/labels/"]
    return client, pages + [client.get(path).content.decode() for path in paths]


def test_nothing_hostile_becomes_markup_on_any_page(hostile: tuple[Client, list[str]]) -> None:
    _, pages = hostile
    for body in pages:
        assert harmless(body)
        assert "{{ settings.SECRET_KEY }}" in html.unescape(body) or "Members" in body
    assert not harmless(f"<p>{HOSTILE}</p>")


def test_hostile_text_is_shown_whole(hostile: tuple[Client, list[str]]) -> None:
    _, pages = hostile
    assert all(HOSTILE[:200] in html.unescape(body) for body in pages)


def test_what_is_written_beside_a_label_is_text_too(hostile: tuple[Client, list[str]]) -> None:
    client, _ = hostile
    desk = desk_of(Statement.objects.get(span_start__isnull=True))
    key = desk.split("/")[-2]

    def sent(**changes: Any) -> dict[str, Any]:
        form = client.get(desk).context["form"]
        names = ("submission", "edition", "number")
        typed = {"statement": key, "rationale": HOSTILE, "text": HOSTILE, "part": PART}
        return typed | {name: form[name].value() for name in names} | changes

    client.post(f"{desk}snippets/", sent(do="keep"))
    client.post(f"{desk}flag/", sent(flagged_reason=HOSTILE))
    stale = sent(edition=0)
    refused = client.post(f"{desk}skip/", sent(skipped_reason=HOSTILE * 20))
    conflict = client.post(f"{desk}draft/", stale)
    pages = [client.get(path) for path in (desk, f"{desk}parts/0/", "/sets/bad/remarks/")]
    queues.close(Queue.objects.get())
    ended = client.post(desk, stale)
    pages += [refused, conflict, ended, client.get(desk)]
    assert [page.status_code for page in pages] == [200, 200, 200, 422, 409, 409, 200]
    for page in pages:
        body = page.content.decode()
        assert harmless(body)
        assert HOSTILE in html.unescape(body)


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("a b", []),
        ("a\u00a0b", ["NBSP"]),
        ("pass\u200bword\ufeff", ["ZWSP", "BOM"]),
        ("user\u202e\u2066// admin\u2069", ["RLO", "LRI", "PDI"]),
        ("a\u200db", ["ZWJ"]),
        ("👩\u200d🔧 and 🏳️\u200d🌈", []),
        ("می\u200cخواهم क्\u200dष", []),
        ("tag \U000e0041\U000e0042", ["U+E0041", "U+E0042"]),
        ("🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", []),
        ("a\ufe01\ufe02", ["U+FE02"]),
        ("bell\x07 esc\x1b cr\r", ["U+0007", "U+001B", "CR"]),
        ("  two  spaces\n\ttab", []),
    ],
)
def test_invisible_characters_are_marked_and_stay_in_the_text(text: str, marks: list[str]) -> None:
    assert re.findall(r'data-mark="([^"]*)"', faithful(text)) == marks
    kept = re.sub(r"<[^>]*>", "", str(faithful(text))).replace("&#13;", "\r")
    assert html.unescape(kept.replace("\x07", "").replace("\x1b", "")) == text.replace(
        "\x07", ""
    ).replace("\x1b", "")


def test_text_around_a_mark_is_escaped_on_both_sides() -> None:
    mark = '<span class="unseen" data-mark="NBSP">\u00a0</span>'
    assert faithful("<b>\u00a0<i>") == f"&lt;b&gt;{mark}&lt;i&gt;"


def test_reordering_controls_are_kept_inside_their_mark() -> None:
    assert '<span class="unseen reordering" data-mark="RLO">\u202e</span>' in faithful("a\u202eb")


def test_a_passage_on_the_desk_is_its_text_to_the_character(cast: Cast, signed_in: SignIn) -> None:
    text = "A\u00a0b  c.\n\nNext\u202e one.\u200b  Last\r one. 💊 end"
    case = casting.case(cast.set, "odd", context=[{"id": "p1", "text": text, "source": None}])
    of = casting.statement(case, "x", None)
    handed(of, cast.annotator)
    body = signed_in(cast.annotator).get(desk_of(of)).content.decode()
    inside = body.split('data-id="p1" dir="auto">')[1].split("</div>")[0]
    bare = re.sub(r"<[^>]*>", "", inside)
    assert html.unescape(bare.replace("&#13;", "\0")).replace("\0", "\r") == text
