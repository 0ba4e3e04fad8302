"""A report as a document: what stands in it whole, how long it may become, and that a real reader
of Markdown makes nothing of text that came from outside."""

from __future__ import annotations

import re

import pytest
from markdown_it import MarkdownIt

from calibration.rendering import render
from calibration.rendering.making import PASSES
from tests.calibration.rendering.test_rendering import HOSTILE, Reader, disagreement, report
from tests.grounding.rubric_examples import with_changes

FENCED = "One line.\n```\n<script>alert(1)</script>\n````\n# No title\n@lead \u202eeldoc\n    end"
BARE = "http://h.example/x www.h.example #12 @lead <b>no</b> [x](http://h/) &amp; ~~gone~~"
ALLOWED = {
    "h1", "h2", "p", "table", "thead", "tbody", "tr", "th", "td", "ol", "ul", "li", "strong",
    "pre", "code",
}  # fmt: skip


def made(**changes):
    definition = with_changes(notes=FENCED).model_dump(mode="json")
    return {
        "standard": "Faithfulness, not truth.",
        "round": 2,
        "implementation": 3,
        "created_at": "2026-11-30T10:00:00+00:00",
        "mixed_models": False,
        "asked": "In two passes.",
        "prompts": {"classify": FENCED, "verify": "Say yes or no."},
        "definition": definition,
        **changes,
    }


def document(text="The claim.", **changes):
    return report(text=text) | {"made": made(**changes)}


def marked_down(source, html):
    return (
        MarkdownIt("commonmark", {"html": html}).enable(["table", "strikethrough"]).render(source)
    )


# ---- what stands in it


@pytest.mark.parametrize("form", ["text", "md", "html"])
def test_it_says_how_it_was_made(form):
    printed = render(document(), form)
    shown = Reader(printed).text if form == "html" else printed.replace("\\", "")
    shown = re.sub(r"\s+", " ", shown)
    for said in [
        "Faithfulness, not truth.", "round of the run", "implementation 3", "2026-11-30T10:00:00",
        "reference digest", "sha256:abc", "seed of the intervals", "In two passes.",
        *PASSES.values(), "Say yes or no.", "lexical@1.2.0.yaml", "verdict_mapping:",
    ]:  # fmt: skip
        assert said in shown, said
    assert shown.index("Faithfulness") < shown.index("Outcomes")


def test_two_models_in_one_run_are_said_to_be_mixed():
    told = report() | {"made": made()}
    told["run"]["judge_models"] = ["monday", "tuesday"]
    assert "monday, tuesday (mixed: 2 models answered)" in render(told, "text")


def test_a_failing_example_says_where_statement_and_quotes_stand():
    told = document()
    told["disagreements"][0] |= {"span": [4, 14]}
    shown = render(told, "text")
    assert "quoted      p1 [0:3] The claim." in shown
    assert "in the answer" in shown
    assert "[4:14]" in shown
    assert "are code points of the passage" in re.sub(r"\s+", " ", shown)


def test_where_nothing_was_sent_from_here_the_rubrics_own_prompts_stand():
    definition = with_changes(prompts__verify="Look twice.").model_dump(mode="json")
    shown = render(document(prompts={}, definition=definition), "text")
    assert "The rubric's own prompt for the second pass\n  | Look twice.\n" in shown
    assert "as sent" not in shown


def test_recorded_elsewhere_it_has_neither_prompt_nor_rubric():
    shown = render(document(prompts={}, definition=None, asked="Not known here."), "text")
    assert shown.endswith("Not known here.\n")


# ---- how long it may become


@pytest.mark.parametrize(("form", "listed"), [("text", 20), ("md", 100), ("html", 500)])
def test_a_hundred_thousand_disagreements_make_no_huge_file(form, listed):
    """Two texts of 2,000 characters and six quotes each: 500 · 8 · 2,000 is 8 million."""
    row = disagreement(7, "<" * 50_000)
    row["judge"]["evidence"] *= 40
    many = document() | {"disagreements": [row] * 100_000}
    printed = render(many, form)
    assert "100,000" in printed
    assert f"{100_000 - listed:,} more are not listed" in printed
    assert "48,000 characters more" in re.sub(r"\s+", " ", printed.replace("\\", ""))
    assert "34 more quotes are not shown" in printed
    # An escaped angle bracket takes four.
    assert len(printed) < 4 * listed * 8 * 2_000 * 1.2 + 50_000


def test_what_was_counted_and_not_read_is_counted_as_not_listed():
    few = document() | {"disagreements_in_all": 100_000}
    assert "Disagreements (100,000)" in render(few, "text")
    assert "99,980 more are not listed" in render(few, "text")


# ---- text from outside


@pytest.mark.parametrize("html", [True, False])
@pytest.mark.parametrize("hostile", [HOSTILE, FENCED, BARE])
def test_a_reader_of_markdown_makes_nothing_of_hostile_text(hostile, html):
    told = document(hostile, prompts={"classify": hostile, "verify": HOSTILE})
    told["by_pair_kind"] = {hostile: told["verdict"]}
    read = Reader(marked_down(render(told, "md"), html))
    assert set(read.tags) <= ALLOWED
    assert [name for name, _ in read.attributes if name not in ("style", "class", "start")] == []


@pytest.mark.parametrize("hostile", [HOSTILE, FENCED, BARE])
def test_the_text_is_read_as_it_was_written(hostile):
    told = document(hostile, prompts={"classify": hostile, "verify": "x"})
    shown = Reader(marked_down(render(told, "md"), True)).text
    for character, mark in (("\x1b", "⟨U+001B⟩"), ("\u202e", "⟨U+202E⟩")):
        hostile = hostile.replace(character, mark)
    assert f"\n{hostile}\n" in shown, "in a prompt, line by line"
    in_one_line = re.sub(r"\s*\n\s*", " ⏎ ", hostile)
    assert f"statement: {in_one_line}\n" in shown


def test_in_a_forge_nothing_is_called_linked_or_referred_to():
    told = document(BARE, prompts={}, definition=None)
    item = next(line for line in render(told, "md").splitlines() if "statement:" in line)
    assert "://" not in item
    assert not re.search(r"www\.|#\d|@lead", item)
    assert "lexical@1.2.0" in render(told, "md").splitlines()[0]


def test_the_hundredth_item_is_a_list_like_the_first():
    rows = [disagreement(at, "The claim.") for at in range(120)]
    source = render(document() | {"disagreements": rows}, "md")
    tokens = MarkdownIt("commonmark").enable("table").parse(source)
    nested = [one.level for one in tokens if one.type == "bullet_list_open"]
    assert nested.count(2) == len(nested) >= 100


@pytest.mark.parametrize("hostile", [HOSTILE, FENCED])
def test_a_prompt_stands_letter_for_letter_in_the_page(hostile):
    page = render(document(prompts={"classify": hostile, "verify": "x"}), "html")
    read = Reader(page)
    assert f"\n{hostile}\n" in read.text
    assert not {"script", "img", "a"} & set(read.tags)
