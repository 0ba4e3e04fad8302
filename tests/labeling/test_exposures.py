from __future__ import annotations

from typing import Any

from labeling import exposures
from labeling.models import Exposure
from tests.cast import Cast


def test_an_exposure_is_of_one_account_in_one_set_and_only_the_first_counts(people: Cast) -> None:
    assert not exposures.exposed(people.set, people.lead)
    exposures.record(people.set, people.lead, "report")
    exposures.record(people.set, people.lead, "run")
    assert exposures.exposed(people.set, people.lead)
    assert [row.to for row in Exposure.objects.all()] == ["report"]
    assert not exposures.exposed(people.set, people.annotator)
    assert not exposures.exposed(people.elsewhere, people.lead)


def test_a_second_look_costs_one_query(people: Cast, django_assert_num_queries: Any) -> None:
    exposures.record(people.set, people.lead, "report")
    with django_assert_num_queries(1):
        exposures.record(people.set, people.lead, "report")
