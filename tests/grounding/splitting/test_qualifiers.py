"""Qualifiers by hand: what each wording is taken for, and what is none."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grounding.splitting import QualifierKind, qualifiers

FOUND = [
    ("The drug may cause nausea.", "hedge: may"),
    ("It could rain.", "hedge: could"),
    ("Reportedly, the firm lost money.", "hedge: Reportedly"),
    ("The firm is expected to grow.", "hedge: expected"),
    ("The ward is possibly open.", "hedge: possibly"),
    ("He plans to leave; his plans are vague.", "hedge: plans"),
    ("The firm is not for sale.", "negation: not"),
    ("It cannot swim.", "negation: cannot"),
    ("It isn't open.", "negation: isn't"),
    ("He left without paying.", "negation: without"),
    ("No payment was received.", "negation: No"),
    ("The results were not only good but great.", ""),
    ("Some jobs failed.", "quantifier: Some"),
    ("All jobs failed.", "quantifier: All"),
    ("Few jobs failed.", "quantifier: Few"),
    ("The job usually fails.", "quantifier: usually"),
    ("It rarely snows.", "quantifier: rarely"),
    ("Only members may vote.", "quantifier: Only; hedge: may"),
    ("He was the most popular singer.", ""),
    ("They know each other.", ""),
    ("The fee is up to 20 euros.", "bound: up to"),
    ("It holds at least three boxes.", "bound: at least"),
    ("It sold more than 500 copies.", "bound: more than"),
    ("About 4,000 people live there.", "bound: About"),
    ("It sold 50 or more units.", "bound: or more"),
    ("The bird flew over the house.", ""),
    ("Staff get a bonus if they stay.", "condition: if they stay"),
    ("Unless renewed, the lease ends.", "condition: Unless renewed"),
    ("It stops when the disk is full.", "condition: when the disk is full"),
    ("Provided that it rains, the well fills.", "condition: Provided that it rains"),
    ("He asked if it rained.", ""),
    ("In some cases it fails.", "scope: In some cases; quantifier: some"),
    ("Sales in the EU fell.", "scope: in the EU"),
    ("It is allowed in Germany.", "scope: in Germany"),
    ("It works in principle.", "scope: in principle"),
    ("It has been closed since 2020.", "time: since 2020"),
    ("As of March 2020, it had 9 staff.", "time: As of March 2020"),
    ("The museum is currently closed.", "time: currently"),
    ("He lived there between 1990 and 1995.", "time: between 1990 and 1995"),
    ("It opened in May 2007.", "time: in May 2007"),
    ("It was sold on 4 March 2021.", "time: on 4 March 2021"),
    ("It may be May before it opens in May.", "hedge: may; time: in May"),
    ("According to the paper, sales fell.", "attribution: According to the paper"),
    ("The minister said that taxes fell.", "attribution: The minister said that"),
    ("Critics say taxes rose.", ""),
    ("The firm believes it is cheap.", "attribution: The firm believes"),
    ("Sales fell, the firm said.", "attribution: the firm said"),
    ("The report is long.", ""),
    ("Die Firma ist nicht offen.", "negation: nicht"),
    ("", ""),
]


def shown(text):
    return "; ".join(f"{one.kind}: {one.text}" for one in qualifiers(text))


@pytest.mark.parametrize(("text", "expected"), FOUND, ids=[row[0] for row in FOUND])
def test_a_wording_is_the_qualifier_that_people_read_in_it(text, expected):
    assert shown(text) == expected


def test_every_kind_is_in_the_table():
    told = " ".join(row[1] for row in FOUND)
    assert all(f"{kind}:" in told for kind in QualifierKind)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [*(row[0] for row in FOUND), "💊", "\n", "  ", "e\u0301", "up to", "if", ","]
        ),
        max_size=5,
    ).map(" ".join)
)
def test_every_qualifier_is_a_slice_of_its_text(text):
    for one in qualifiers(text):
        assert text[one.start : one.end] == one.text == one.text.strip() != ""
