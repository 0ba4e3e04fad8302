"""How a page draws statements as reference and judge answer them."""

from __future__ import annotations

from typing import Any

import pytest

from calibration.loading import NO_REFERENCE
from calibration.models import Judgment
from calibration.readings import Part
from calibration.readings.comparisons import Compared
from calibration.reports.error_sheets import Disagreement
from calibration.templatetags.judged import LONGEST, compared, disagreements
from labeling.models import Case, Statement
from labeling.wording.excerpts import Excerpt, Excerpts
from labeling.wording.marking import Piece

NOTHING_SHOWN = Excerpts([], quoted=False, more=0)


def judgment(**fields: Any) -> Judgment:
    case = Case(pk=7, case_id="lamp-<1>")
    statement = Statement(pk=8, case=case, statement_id="s1", text="It is lit & warm.")
    return Judgment(**{"pk": 9, "statement": statement, "verdict": "supported", **fields})


def card(excerpts: Excerpts = NOTHING_SHOWN, cited: Any = (), **fields: Any) -> str:
    judged = judgment(**fields)
    row = Disagreement(judged.statement, judged, "lenient", None, "unsupported", "single")
    return disagreements([Part(row, excerpts, cited)], "lamps", 5)


def test_a_disagreement_leads_to_its_case_its_judgment_and_its_answer():
    drawn = card()
    for address in ("cases/7/", "judgments/9/", "reports/5/answers/7/"):
        assert f'href="/sets/lamps/{address}"' in drawn
    assert drawn.count("lamp-&lt;1&gt; s1") == 3
    assert "It is lit &amp; warm." in drawn


def test_a_class_stands_before_the_verdict_where_one_is_stated():
    assert "claim-class" not in card()
    said = card(claim_class="external").partition("<dt>Judge</dt>")[2]
    assert '<dd><span class="claim-class">external</span> <span class="verdict"' in said


@pytest.mark.parametrize("length", [LONGEST, LONGEST + 1])
def test_a_long_explanation_is_cut_and_one_that_fits_is_not(length):
    said = card(explanation="<" * length)
    assert said.count("&lt;") - 3 == (length if length == LONGEST else LONGEST - 1)
    assert ("…" in said) == (length > LONGEST)


@pytest.mark.parametrize(
    ("excerpts", "said"),
    [
        (NOTHING_SHOWN, "No passage was admitted"),
        (Excerpts([Excerpt("p1", [Piece("lit")], False, True)], False, 1), "Nothing is quoted"),
        (Excerpts([Excerpt("p1", [Piece("lit")], True, False)], True, 0), "Quoted, in place"),
    ],
)
def test_a_summary_says_whether_anything_is_quoted_and_is_open_then(excerpts, said):
    drawn = card(excerpts)
    assert f"<summary>{said}" in drawn
    assert ("<details open>" in drawn) == excerpts.quoted
    assert [drawn.count(f'aria-hidden="true">{cut}') for cut in ("… ", " …")] == [
        sum(one.before for one in excerpts.shown),
        sum(one.after for one in excerpts.shown),
    ]


@pytest.mark.parametrize(
    ("more", "said"), [(1, "1 more passage in"), (1200, "1,200 more passages in")]
)
def test_passages_that_are_not_shown_are_counted(more, said):
    assert said in card(Excerpts([], False, more))
    assert "more passage" not in card()


def test_what_the_judge_cites_is_listed_and_escaped():
    drawn = card(cited=["p<1> [0:3]", "2 more"])
    listed = '<span class="mono">p&lt;1&gt; [0:3]</span>, <span class="mono">2 more</span>'
    assert f"cites {listed}</span>" in drawn
    assert "cites" not in card()


def test_a_failure_is_named_where_a_verdict_would_stand():
    failed = judgment(verdict=None, outcome="timed_out")
    drawn = compared(Compared(failed, NO_REFERENCE), "lamp-<1>", "/there/")
    assert '<dt>Judge</dt><dd><span class="none">timed out</span>' in drawn
    assert '<dt>Reference</dt><dd><span class="none">no reference</span>' in drawn
    assert 'href="/there/">judgment<span class="visually-hidden"> of lamp-&lt;1&gt; s1<' in drawn
