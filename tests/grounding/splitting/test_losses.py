"""What a statement lost of the sentence that it came from: found where it did, and only there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grounding.splitting import dropped, qualifiers
from tests.grounding.splitting.test_qualifiers import FOUND

LOST = [
    ("The drug causes nausea.", "The drug may cause nausea.", "hedge: may"),
    ("The firm lost money.", "Reportedly, the firm lost money.", "hedge: Reportedly"),
    ("The ward will open in May.", "The ward is expected to open in May.", "hedge: expected"),
    ("Sales fell 20%.", "Sales fell by at least 20%.", "bound: at least"),
    ("The fee is 20 euros.", "The fee is up to 20 euros.", "bound: up to"),
    ("It sold 50 units.", "It sold 50 or more units.", "bound: or more"),
    ("All jobs failed.", "Some jobs failed.", "quantifier: Some"),
    ("Jobs fail.", "Jobs usually fail.", "quantifier: usually"),
    ("Members may vote.", "Only members may vote.", "quantifier: Only"),
    ("The plan would work.", "The plan would not work.", "negation: not"),
    ("The museum is open.", "The museum is not open to visitors.", "negation: not"),
    ("Staff get a bonus.", "Staff get a bonus if they stay.", "condition: if they stay"),
    ("The fee is due.", "Unless renewed, the fee is due.", "condition: Unless renewed"),
    ("The drug causes a rash.", "In some cases the drug causes a rash.", "scope: In some cases"),
    ("The drug is allowed.", "The drug is allowed in the EU.", "scope: in the EU"),
    ("The shop is closed.", "The shop is closed since 2020.", "time: since 2020"),
    ("The firm has 50 staff.", "In 2019 the firm had 50 staff.", "time: In 2019"),
    ("The plan works.", "Bo said that the plan works.", "attribution: Bo said that"),
    ("Exports rose.", "According to Bo, exports rose.", "attribution: According to Bo"),
    ("Exports rose.", "Exports rose, the ministry said.", "attribution: the ministry said"),
]  # fmt: skip
KEPT = [
    ("The drug may cause nausea.", "The drug may cause nausea and a rash."),
    ("The firm reportedly lost money.", "Reportedly, the firm lost money."),
    ("The paper reported that the firm lost money.", "Reportedly, the firm lost money."),
    ("Sales fell by no less than 20%.", "Sales fell by at least 20%."),
    ("The majority of jobs failed.", "Most jobs failed."),
    ("If they stay for a year, staff get a bonus.", "Staff get a bonus if they stay for a year."),
    ("Since 2020 the shop is closed.", "The shop is closed since 2020."),
    ("The paper says that exports rose.", "According to the paper, exports rose."),
]
NONE_OF_ITS_OWN = [
    ("Y fell.", "X may rise, and Y fell."),
    ("The disk is full.", "Most jobs fail when the disk is full."),
    ("The firm closed in 2021.", "In 2019 the firm had 50 staff, but it closed in 2021."),
    ("The firm was founded in 1990.", "The firm, which was founded in 1990, may close."),
    ("He was born in Warsaw.", "He was born in Warsaw in 1867."),
    ("The bridge opened in Leeds.", "The bridge opened in Leeds in May 1990."),
    ("The bank has offices.", "The bank has offices; up to 20 of its clients may leave."),
]


def shown(statement, source):
    return "; ".join(f"{one.kind}: {one.text}" for one in dropped(statement, source))


@pytest.mark.parametrize(("statement", "source", "lost"), LOST, ids=[row[1] for row in LOST])
def test_a_lost_qualifier_is_named(statement, source, lost):
    assert lost in shown(statement, source).split("; ")


@pytest.mark.parametrize(("statement", "source"), KEPT, ids=[row[1] for row in KEPT])
def test_a_qualifier_in_other_words_is_not_lost(statement, source):
    assert shown(statement, source) == ""


@pytest.mark.parametrize(("statement", "source"), NONE_OF_ITS_OWN)
def test_a_qualifier_of_another_claim_is_not_lost(statement, source):
    assert shown(statement, source) == ""


@given(st.sampled_from([row[0] for row in FOUND]), st.sampled_from(["", " ", "\n"]))
def test_a_statement_that_is_its_source_lost_nothing(text, around):
    assert dropped(f"{around}{text}{around}", text) == ()


@given(st.sampled_from([row[0] for row in FOUND]), st.sampled_from([row[0] for row in FOUND]))
def test_what_is_lost_is_a_qualifier_of_the_source(statement, source):
    assert set(dropped(statement, source)) <= set(qualifiers(source))
