"""Words of the vocabulary as people read them."""

from __future__ import annotations

import pytest

from labeling.wording.vocabulary import sentence


@pytest.mark.parametrize(
    ("said", "begun"),
    [
        ("there is no such set", "There is no such set"),
        ("it's gone", "It's gone"),
        ("élan, first", "Élan, first"),
        ("line 3, text: is empty", "Line 3, text: is empty"),
        ("lenientj@1.0.0 is recorded", "lenientj@1.0.0 is recorded"),
        ("human_verdict: takes one of: a", "human_verdict: takes one of: a"),
        ("direction: takes one of: a", "direction: takes one of: a"),
        ("model/name is not here", "model/name is not here"),
        ("v2 holds another", "v2 holds another"),
        ("", ""),
    ],
)
def test_a_word_begins_a_sentence_and_a_name_stays_as_it_is(said, begun):
    assert sentence(said) == begun
