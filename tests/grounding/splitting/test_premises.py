"""Hidden premises by hand: what a wording gives away, and what it does not."""

import pytest

from grounding.splitting.premises import premises

PROPOSED = [
    ("It is the best choice because it costs less.", ["it costs less"]),
    ("You should buy it, now that the fee is gone.", ["the fee is gone"]),
    ("It is worth a visit as long as you have a car.", ["you have a car"]),
    ("Given the fact that sales fell, you should sell.", ["sales fell"]),
    ("I regret that the shop closed.", ["the shop closed"]),
    ("It is impressive that the team won.", ["the team won"]),
    ("Its low price makes it the best phone.", ["It has a low price."]),
    ("The plan's 50 seats make it a good choice.", ["The plan has 50 seats."]),
    ("Thanks to its long battery life, it is great.", ["It has long battery life."]),
    ("You should avoid the server that failed on Monday.", ["The server failed on Monday."]),
    ("We recommend it because it is cheap, and because it lasts.", ["it is cheap", "it lasts"]),
]
NOTHING = [
    "We recommend the blue one.",
    "Because of the rain, stay at home.",
    "I recommend it since 2020.",
    "His team makes great games.",
    "You should consider the fact.",
    "It seems good.",
    "",
]


@pytest.mark.parametrize(("statement", "expected"), PROPOSED, ids=[row[0] for row in PROPOSED])
def test_what_a_wording_takes_for_granted_is_proposed(statement, expected):
    found = premises(statement)
    assert [one.text for one in found] == expected
    for one in found:
        assert one.span is None or statement[slice(*one.span)] == one.text
        assert one.trigger in statement.lower()


@pytest.mark.parametrize("statement", NOTHING)
def test_nothing_is_proposed_where_nothing_is_given_away(statement):
    assert premises(statement) == ()
