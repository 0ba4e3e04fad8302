from __future__ import annotations

from typing import Any

from labeling.models import Exposure
from labeling.sets import exposures
from tests.cast import Cast


def test_an_exposure_is_of_one_account_in_one_set_and_each_kind_counts_once(people: Cast) -> None:
    assert not exposures.exposed(people.set, people.lead)
    for to in ("report", "run", "report"):
        exposures.record(people.set, people.lead, to)
    assert exposures.exposed(people.set, people.lead)
    assert [row.to for row in Exposure.objects.order_by("pk")] == ["report", "run"]
    assert not exposures.exposed(people.set, people.annotator)
    assert not exposures.exposed(people.elsewhere, people.lead)


def test_the_answer_key_is_no_judge_s_output(people: Cast) -> None:
    exposures.record(people.set, people.lead, "cases")
    assert exposures.exposed(people.set, people.lead)
    assert not exposures.saw_judges(people.set, people.lead)
    exposures.record(people.set, people.lead, "report")
    assert exposures.saw_judges(people.set, people.lead)


def test_a_second_look_costs_one_query(people: Cast, django_assert_num_queries: Any) -> None:
    exposures.record(people.set, people.lead, "report")
    with django_assert_num_queries(1):
        exposures.record(people.set, people.lead, "report")
