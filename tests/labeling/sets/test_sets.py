from __future__ import annotations

import pytest

from grounding.errors import BadInput, NotFound, Refused
from labeling import sets


def test_a_set_is_made_once_and_empty(db: None) -> None:
    made = sets.get_or_create("lamps")
    assert made.revision == 0
    assert sets.get_or_create("lamps") == made == sets.get("lamps")


def test_a_set_that_is_not_there_is_not_found(db: None) -> None:
    with pytest.raises(NotFound):
        sets.get("lamps")


@pytest.mark.parametrize("slug", ["", "a b", "a/b", "../a", "a\n", "ü", "x" * 129])
def test_a_slug_follows_the_rule_for_ids(db: None, slug: str) -> None:
    with pytest.raises(BadInput) as caught:
        sets.get_or_create(slug)
    assert caught.value.field == "slug"


def test_a_slug_that_differs_by_letter_case_only_is_refused(db: None) -> None:
    sets.get_or_create("lamps")
    with pytest.raises(Refused):
        sets.get_or_create("Lamps")
