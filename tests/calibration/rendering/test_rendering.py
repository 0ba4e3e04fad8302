"""Reports set in type: what a lead must find in each, and that text from outside stays text."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

from calibration.agreement import figures
from calibration.rendering import FORMATS, glance, render
from calibration.rendering.outline import outline
from calibration.rendering.sentences import sentences
from tests.calibration.report_fixtures import HAND, Row, columns

HOSTILE = (
    "<script>alert(1)</script> <img src=x onerror=alert(2)> | a\nb \x1b[31mred \u202eeldoc "
    "![x](http://h/x.png) `c` **d** @lead"
)


def report(rows=HAND, *, kinds=("number",), text="The claim.", minimum="author", **tiers):
    counts = {
        "adjudicated": 0, "consensus": 0, "single": 0, "author": 0, "disputed": 0, "none": 0,
    }  # fmt: skip
    return {
        "set": {"slug": "demo", "revision": 4},
        "rubric": {"name": "lexical", "version": "1.2.0", "digest": None, "scope_digest": None},
        "run": {"id": 3, "status": "complete", "judge_models": [text]},
        "seed": 1960,
        "reference": {
            "minimum": minimum,
            "digest": "sha256:abc",
            "tiers": {**counts, **(tiers or {"single": 21, "none": 1})},
        },
        **figures(columns(rows), kinds, seed=1960),
        "disagreements": [disagreement(at, text) for at in range(25)],
    }


def disagreement(at, text):
    return {
        "case_id": f"case-{at}",
        "statement_id": "s1",
        "text": text,
        "human": {"claim_class": None, "verdict": "supported", "tier": "single"},
        "judge": {
            "claim_class": "external",
            "verdict": "unsupported",
            "raw_verdict": text,
            "evidence": [{"passage_id": "p1", "quote": text, "start": 0, "end": 3}],
            "explanation": text,
            "confidence": None,
            "judge_model": text,
        },
        "direction": "strict",
    }


class Reader(HTMLParser):
    """The tags and the text of a page."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.text = [], [], ""
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes

    def handle_data(self, data):
        self.text += data


# ---- the three sentences


def test_the_first_sentence_says_how_often_beside_the_floor():
    assert sentences(report())[0] == (
        "lexical@1.2.0 gives the reference's verdict on 12 of 21 compared statements (57.1%), "
        "where always answering “supported” would give 9 of 21 (42.9%); class and verdict both: "
        "9 of 19 (47.4%)."
    )


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([Row("Su", "Ss")] * 20 + [Row("Ss", "Ss")] * 20, "It errs towards leniency"),
        ([Row("Ss", "Su")] * 20 + [Row("Su", "Su")] * 20, "It errs towards strictness"),
        ([Row("Ss", "Su")] * 5 + [Row("Su", "Ss")] * 5, "It leans in no clear direction"),
        # 2 of 2 against 1 of 2: a higher rate, within what so few can show.
        (
            [Row("Su", "Ss")] * 2 + [Row("Ss", "Su"), Row("Ss", "Ss")],
            "It leans in no clear direction",
        ),
        ([Row("Ss", "Ss")] * 5 + [Row("Su", "Su")] * 5, "It errs neither way"),
        ([Row("Ss", "Ss")] * 5, "Its direction cannot be told"),
    ],
)
def test_the_second_sentence_says_in_which_direction_and_only_where_that_is_clear(rows, said):
    assert sentences(report(rows))[1].startswith(f"{said}. ")


def test_judges_of_equal_kappa_and_opposite_errors_read_differently():
    lenient = report([Row("Ss", "Ss")] * 50 + [Row("Su", "Ss")] * 20 + [Row("Su", "Su")] * 30)
    strict = report([Row("Su", "Su")] * 50 + [Row("Ss", "Su")] * 20 + [Row("Ss", "Ss")] * 30)
    assert lenient["kappa"]["verdict"]["value"] == strict["kappa"]["verdict"]["value"]
    assert "20 of 50 (40.0%); supported statements refused: 0 of 50" in sentences(lenient)[1]
    assert "0 of 50 (0.0%); supported statements refused: 20 of 50" in sentences(strict)[1]


def test_the_third_sentence_says_how_sure_and_on_whose_word():
    said = sentences(report(single=2, author=5, adjudicated=3))[2]
    # 12 of 21, seven pairs among them, worth 20.65 that stand alone.
    assert "95% interval of verdict agreement is 36.4% to 75.7%" in said
    assert "Cohen's kappa is 0.3505 (" in said
    assert (
        "references are 3 adjudicated, 2 of a single blind label, "
        "5 of the author's expectation alone" in said
    )
    assert "2 failures among 24 planned judgments" in said


def test_tiers_below_the_minimum_are_not_said_to_have_been_used():
    said = sentences(report(minimum="consensus", consensus=4, single=9, author=9))[2]
    assert "references are 4 by consensus of blind labels;" in said


def test_where_nothing_could_be_compared_the_first_sentence_says_so():
    empty = report([Row("..", "Ss")] * 3)
    assert sentences(empty)[0] == (
        "Nothing could be compared: of 3 graded statements none has a reference."
    )
    assert sentences(empty)[1:] == (
        "Its direction cannot be told.",
        "So agreement has no interval, and there is no kappa; the run is complete, with 0 failures "
        "among 3 planned judgments.",
    )
    for form in FORMATS:
        assert render(empty, form)
    assert "that of —" not in render(empty, "text")
    glanced = glance.report(empty)
    assert glanced.endswith("agreement     — of 0 (no statement was compared)")
    assert "always answering" not in glanced


@pytest.mark.parametrize(
    ("minimum", "said"),
    [
        ("adjudicated", "none has an adjudicated reference; 7 statements have one of a lower tier"),
        ("consensus", "none has a reference by consensus or above; 3 statements have one of a"),
        ("author", "none has a reference."),
    ],
)
def test_where_nothing_could_be_compared_the_tier_that_was_asked_for_is_named(minimum, said):
    lower = {"consensus": 4} if minimum == "adjudicated" else {}
    tiers = {**lower, "single": 2, "author": 1, "none": 3} if minimum != "author" else {"none": 3}
    empty = report([Row("..", "Ss")] * 3, minimum=minimum, **tiers)
    assert f"of 3 graded statements {said}" in sentences(empty)[0]


# ---- where no reference states a class

CLASSLESS = [Row(".s", "Ss")] * 5 + [Row(".u", "Ss")] * 2 + [Row(".u", "Su")] * 3


def test_without_classes_the_sentences_speak_of_verdicts_alone():
    first, second, _ = sentences(report(CLASSLESS))
    assert first.endswith(
        "; no reference states a class, so class and verdict are not measured together."
    )
    assert second.endswith("supported statements refused: 0 of 5 (0.0%).")
    assert "— of 0" not in first + second


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        (CLASSLESS, "No reference states a class"),
        ([Row("Ss", ".s")] * 3, "The judge states no class"),
        (
            [Row(".s", "Ss"), Row("Ss", ".s")],
            "On no statement do reference and judge both state a class",
        ),
    ],
)
def test_without_classes_agreement_by_verdict_stands_in_their_place(rows, why):
    made = report(rows)
    titles = [one.title for one in outline(made, 5).sections]
    assert not {"Class × verdict", "By class", "Confusion of the class"} & set(titles)
    assert titles.count("By verdict") == 1
    assert titles.index("By verdict") < titles.index("By claim type")
    section = next(s for s in outline(made, 5).sections if s.title == "By verdict")
    assert section.notes[0].startswith(f"{why}, so class and verdict")
    assert [figure.title for figure in section.figures] == ["Right by verdict"]
    assert len(section.tables[0].rows) == 4


# ---- what each form holds


@pytest.mark.parametrize("form", ["text", "md", "html"])
def test_every_form_for_people_opens_with_the_sentences_and_holds_every_figure(form):
    made = report()
    printed = render(made, form)
    shown = Reader(printed).text if form == "html" else printed.replace("\\", "")
    shown = re.sub(r"\s+", " ", shown)
    first = sentences(made)[0]
    assert shown.index(first) < shown.index("Outcomes") < shown.index("Disagreements (25)")
    for figure in [
        "too long", "without reference", "without evidence", "adjudicated", "57.1% (4 of 7)",
        "27.3%", "0.3505", "strict collapse", "floor: always the commonest verdict", "36.8%",
        "1960", "model", "reference ↓ judge →", "complete",
    ]:  # fmt: skip
        assert figure in shown, figure


@pytest.mark.parametrize("form", ["text", "md", "html"])
def test_an_undefined_figure_is_a_dash_with_its_n_and_its_reason(form):
    shown = re.sub(r"\s+", " ", render(report([Row("Ss", "Ss")] * 3), form))
    assert (
        "— of 0 (no compared statement is unsupported or contradictory by its reference)" in shown
    )
    assert "both sides use one and the same category only" in shown
    assert "— (n = 0)" in shown
    for figure, why in (
        ("Precision", "the judge never uses this label"),
        ("Recall", "the reference never uses this label"),
        ("F1", "neither side uses this label"),
    ):
        assert f"{figure} —: {why}." in shown
    assert "None" not in shown
    assert not re.search(r"\bnan\b", shown)


def test_text_lists_twenty_disagreements_and_counts_the_rest():
    shown = render(report(), "text")
    assert " 20. strict: case-19 / s1" in shown
    assert "case-20" not in shown
    assert "5 more are not listed" in shown


def test_json_is_the_report_itself_with_every_disagreement():
    made = report(text=HOSTILE)
    assert json.loads(render(made, "json")) == json.loads(json.dumps(made))
    assert render(made, "json").count("\n") == 1


def test_text_columns_are_aligned():
    lines = render(report(), "text").splitlines()
    start = lines.index("Agreement") + 2
    ends = {line.index("%  ") for line in lines[start + 1 : start + 6]}
    assert len(ends) == 1


def test_every_markdown_row_has_as_many_cells_as_its_header():
    table = []
    for line in [*render(report(text=HOSTILE), "md").splitlines(), ""]:
        if line.startswith("|"):
            table.append(len(re.findall(r"(?<!\\)\|", line)))
        elif table:
            assert len(set(table)) == 1
            table = []


# ---- text from outside


def test_html_runs_nothing_fetches_nothing_and_shows_the_text():
    page = render(report(text=HOSTILE), "html")
    read = Reader(page)
    assert not {"script", "img", "iframe", "link", "object", "form", "a"} & set(read.tags)
    assert not [
        name for name, _ in read.attributes if name.startswith("on") or name in ("src", "href")
    ]
    assert "<script>alert(1)</script> <img src=x onerror=alert(2)> | a\nb" in read.text
    assert ("content", "default-src 'none'; style-src 'unsafe-inline'") in read.attributes
    assert 'data-mark="RLO"' in page


def test_html_stands_alone():
    page = render(report(), "html")
    assert page.startswith("<!doctype html>")
    assert page.count("<style>") == 1
    assert "url(" not in page
    assert "@import" not in page


def test_html_draws_its_pictures_in_colours_of_its_own_and_other_forms_have_none():
    page = render(report(), "html")
    pictures = re.findall("<svg.*?</svg>", page)
    assert len(pictures) == 5
    assert all('role="img"' in picture and "<a " not in picture for picture in pictures)
    used = set(re.findall(r"var\((--[a-z-]+),", "".join(pictures)))
    light, dark = re.findall(r":root { (--.*?) }", page)
    assert used <= set(re.findall(r"--[a-z-]+", light)) & set(re.findall(r"--[a-z-]+", dark))
    assert not [form for form in ("text", "md", "json") if "<svg" in render(report(), form)]


def test_markdown_shows_hostile_text_as_text():
    printed = render(report(text=HOSTILE), "md")
    item = next(line for line in printed.splitlines() if "statement:" in line)
    assert "<script>" not in printed
    assert "<img" not in printed
    assert "\\!\\[x" in item
    assert "\\`c\\`" in item
    assert "\\*\\*d\\*\\*" in item
    assert " @lead" not in printed
    assert "a ⏎ b" in item


@pytest.mark.parametrize("form", ["text", "md"])
def test_nothing_that_a_terminal_would_obey_is_printed(form):
    printed = render(report(text=HOSTILE), form)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", printed)
    assert "⟨U+001B⟩" in printed
    assert "⟨U+202E⟩" in printed


def test_names_in_the_head_are_text_as_well():
    made = report(text=HOSTILE)
    made["by_pair_kind"] = {HOSTILE: made["verdict"]}
    made["rubric"]["version"] = HOSTILE
    for form in ("md", "html"):
        assert "<script>alert" not in render(made, form)
    assert "\x1b" not in render(made, "text")


def test_the_outline_leaves_out_nothing_of_the_matrix():
    section = next(s for s in outline(report(), 5).sections if s.title == "Class × verdict")
    assert section.tables[0].rows[1] == (
        "external", "100.0% (1 of 1) [20.7, 100.0]", "0.0% (0 of 1) [0.0, 79.3]",
        "— (n = 0)", "",
    )  # fmt: skip


def table(made, title, at=0):
    return next(s for s in outline(made, 5).sections if s.title == title).tables[at]


def test_precision_and_recall_stand_with_their_intervals():
    rows = [Row("Ss", "Ss")] * 4 + [Row("Ss", "Su")] * 4 + [Row("Su", "Ss")]
    supported, unsupported = table(report(rows), "Each verdict").rows[:2]
    assert supported[1:3] == ("80.0% (4 of 5) [37.6, 96.4]", "50.0% (4 of 8) [21.5, 78.5]")
    assert unsupported[1] == "0.0% (0 of 4) [0.0, 49.0]"


def test_an_outcome_of_the_pairs_is_a_share_of_the_complete_ones():
    """Pairs are worth one each: HAND has nine of them, of which two are incomplete."""
    made = report()
    counts = made["pairs"]
    assert (counts["n"], counts["incomplete"]) == (9, 2)
    found = table(made, "Pairs (9)")
    assert found.headers[1:] == ("count", "n", "rate", "95% interval")
    assert {row[2] for row in found.rows[:-1]} == {"7"}
    assert found.rows[-1][1:] == ("2", "9", "22.2%", "6.3% to 54.7%")
    assert sum(int(row[1]) for row in found.rows) == 9
