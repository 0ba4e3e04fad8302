"""Guidelines are Markdown that can only be read (row B1)."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from labeling.wording.markdown import render


class Read(HTMLParser):
    """The elements of a piece of HTML with their attributes, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def links(text: str) -> list[str | None]:
    return [attrs["href"] for tag, attrs in Read(render(text)).elements if tag == "a"]


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "a <script>alert(1)</script> b",
        '<p onclick="alert(1)">x</p>',
        '<b hx-get="/x" hx-on:click="y">x</b>',
        "<style>body{display:none}</style>",
        '<iframe src="https://e.example"></iframe>',
        "</textarea></title></script>",
        "<!-- hidden -->",
    ],
)
def test_markup_is_shown_as_text(hostile: str) -> None:
    page = Read(render(hostile))
    assert {tag for tag, _ in page.elements} == {"p"}
    assert all(attrs == {} for _, attrs in page.elements)
    assert hostile in page.text


@pytest.mark.parametrize(
    "target",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "&#x6A;avascript:alert(1)",
        "&#106;avascript&colon;alert(1)",
        "<java\tscript:alert(1)>",
        "vbscript:x",
        "data:text/html;base64,PHNjcmlwdD4=",
        "data:image/png;base64,iVBORw0KGgo=",
        "file:///etc/passwd",
        "//elsewhere.example/",
        "/sign-out/",
    ],
)
def test_a_link_leads_to_web_and_mail_addresses_alone(target: str) -> None:
    for written in (f"[look]({target})", f"[look][1]\n\n[1]: {target}", f"<{target.strip('<>')}>"):
        assert links(written) == []


def test_a_link_tells_its_target_nothing() -> None:
    page = Read(render("[a](https://e.example/?q=1&r=2 't\"onmouseover=\"x')"))
    assert page.elements[1] == (
        "a",
        {
            "href": "https://e.example/?q=1&r=2",
            "title": 't"onmouseover="x',
            "rel": "noopener noreferrer nofollow",
            "target": "_blank",
        },
    )
    assert links("[a](https://e.example) <mailto:a@e.example>") == [
        "https://e.example",
        "mailto:a@e.example",
    ]


def test_no_picture_is_fetched() -> None:
    page = Read(render("![seen](https://e.example/p.png)"))
    assert "img" not in {tag for tag, _ in page.elements}


def test_headings_begin_below_those_of_the_page() -> None:
    page = Read(render("# One\n\n## Two\n\n###### Six"))
    assert [tag for tag, _ in page.elements] == ["h3", "h4", "h6"]


def test_what_the_policy_forbids_is_not_written() -> None:
    table = "| a | b |\n|:-:|--:|\n| 1 | 2 |"
    code = '```" onclick="x\n<b>\n```'
    for _, attrs in Read(render(f"{table}\n\n{code}")).elements:
        assert attrs == {}


def test_what_cannot_be_seen_is_marked() -> None:
    assert 'data-mark="RLO"' in render("a \u202eb")
    assert 'data-mark="ZWSP"' in render("`a\u200bb`")


def test_what_leads_write_comes_out_as_markdown_does() -> None:
    page = render("Label **each** part.\n\n- one\n- two\n\n`supported`")
    assert page == (
        "<p>Label <strong>each</strong> part.</p>\n<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n"
        "<p><code>supported</code></p>\n"
    )
