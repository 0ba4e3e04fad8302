"""The plan of labels: counted by hand, blind to judges, and what its commands print."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from calibration import bundles, planner
from calibration.bundles import recorded
from calibration.planner import Asked, Plan, planned
from calibration.stats.planning import half_width, labels_for
from grounding.errors import BadInput
from grounding.interchange.models import Selected
from labeling import queues, sets
from labeling.models import CalibrationSet, Label, Statement
from labeling.queues import Terms, selections
from labeling.queues.selections import Kind, Selection
from tests.calibration import report_records
from tests.calibration.planner.plan_records import Of, a_set
from tests.calibration.report_fixtures import Row

pytestmark = pytest.mark.django_db

# Two labels agree, one alone, two disagree; then what only the author says, and nothing.
ROWS = [
    Of(["Ss", "Ss"], "Su"),
    Of(["Ss"], "Ss"),
    Of(["Su", "Ss"], "Su"),
    Of(["Sc"]),
    Of([], "Su", "a.1"),
    Of([], "Su", "a.2"),
    Of([], "Su"),
    Of([], "Ss"),
    Of([], ".u"),
    Of(),
]


def row(plan: Plan, claim_class: str, verdict: str) -> dict[str, Any]:
    (found,) = [one for one in plan.rows if one.cell == (claim_class, verdict)]
    return found.as_json()


def subject(plan: Plan, verdict: str) -> dict[str, Any]:
    return row(plan, "subject_specific", verdict)


def printed(*arguments: str) -> dict[str, Any]:
    out = StringIO()
    call_command("plan_labels", *arguments, "--json", stdout=out, stderr=StringIO())
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def test_each_statement_counts_in_the_cell_that_people_or_else_its_author_put_it() -> None:
    plan = planner.plan(a_set(ROWS), Asked())
    supported = subject(plan, "supported")
    # People said supported of two, whatever the author expected of the first.
    assert supported["labelled"] == 2
    assert supported["tiers"] == {"adjudicated": 0, "consensus": 1, "single": 1}
    assert supported["unlabelled"] == 1
    unsupported = subject(plan, "unsupported")
    assert (unsupported["labelled"], unsupported["unlabelled"]) == (0, 3)
    assert subject(plan, "contradictory")["labelled"] == 1
    assert plan.disputed == 1
    # An expectation without a class, in a set that states classes, and none at all.
    assert plan.unknown["unlabelled"] == 2
    assert [one.cell for one in plan.rows] == list(planner.checks.CONTRACT_CELLS)
    assert plan.total["labelled"] + plan.total["unlabelled"] + 2 + plan.disputed == len(ROWS)


def test_what_a_cell_needs_is_wilson_s_by_hand() -> None:
    # ± .25 of one half: n + z² = z²/(4 m²) = 3.841459/.25 = 15.37, so n is 11.53: 12.
    plan = planner.plan(a_set(ROWS), Asked(margin=0.25))
    supported = subject(plan, "supported")
    assert (supported["needed"], supported["more"]) == (12, 10)
    # Two labels: z √(2/4 + z²/4) / (2 + z²) = 1.959964 · √1.460365 / 5.841459.
    assert supported["half_width"] == pytest.approx(0.405471, abs=1e-5)
    # One is there to be asked, nine have to be written.
    assert (supported["to_ask"], supported["to_write"]) == (1, 9)
    assert plan.total["more"] == plan.total["to_ask"] + plan.total["to_write"]


def test_a_cell_without_a_label_has_no_interval_and_needs_all() -> None:
    plan = planner.plan(a_set([]), Asked())
    assert {one.as_json()["half_width"] for one in plan.rows} == {None}
    assert {one.need.more for one in plan.rows} == {labels_for(0.5, 0.05)} == {381}
    assert plan.next == []
    assert (plan.together.need.now, plan.together.need.more) == (None, 381)


def test_statements_of_a_pair_are_worth_one_unless_a_design_effect_is_stated() -> None:
    pairs = [Of(["Ss"], case=f"p{n}.{side}") for n in range(4) for side in "12"]
    made = a_set([*pairs, Of(["Ss"])])
    measured = subject(planner.plan(made, Asked()), "supported")
    # Of nine, eight see a cluster of two and one is alone: 17/9.
    assert measured["design_effect"] == pytest.approx(17 / 9)
    assert measured["half_width"] == pytest.approx(half_width(0.5, 9 / (17 / 9)))
    assert measured["needed"] == labels_for(0.5, 0.05, design_effect=17 / 9)
    stated = subject(planner.plan(made, Asked(design_effect=1.0)), "supported")
    assert (stated["design_effect"], stated["needed"]) == (1.0, 381)


def test_a_rate_that_is_stated_takes_fewer_labels() -> None:
    plan = planner.plan(a_set(ROWS), Asked(share=0.9))
    assert subject(plan, "supported")["needed"] == labels_for(0.9, 0.05) < 381


def test_a_set_that_states_no_class_has_the_verdicts_that_occur_for_cells() -> None:
    plan = planner.plan(a_set([Of([".s"]), Of([".u"]), Of([], ".u")]), Asked())
    assert [one.cell for one in plan.rows] == [(None, "supported"), (None, "unsupported")]
    assert row(plan, None, "unsupported")["unlabelled"] == 1  # type: ignore[arg-type]
    assert plan.unknown["unlabelled"] == 0


def test_a_label_without_class_counts_in_no_cell_of_a_set_that_states_classes() -> None:
    plan = planner.plan(a_set([Of(["Ss"]), Of([".s"])]), Asked())
    assert subject(plan, "supported")["labelled"] == 1
    assert plan.unknown["labelled"] == 1


def test_the_next_come_from_the_cell_that_lacks_most_each_pair_once_and_the_unknown_last() -> None:
    made = a_set(
        [
            *[Of(["Ss"])] * 30,
            *[Of([], "Ss")] * 5,
            *[Of([], "Su", case) for case in ("a.1", "a.2", "b.1", "b.2")],
            *[Of()] * 3,
        ]
    )
    listed = planner.plan(made, Asked(limit=11, design_effect=1.0)).next
    # 351 supported lack and 381 unsupported: these come first, and in turn as shares are met.
    cells = [one.cell[1] if one.cell else None for one in listed]
    assert cells == [*["unsupported", "supported"] * 4, "supported", None, None]
    assert {one.cluster for one in listed[:3:2]} == {"pair a", "pair b"}


def test_of_what_nobody_expects_anything_only_as_many_are_asked_as_could_serve() -> None:
    made = a_set([Of()] * 40)
    # ± .45 takes 1 label a cell (z²/(4·.2025) - z² < 1), so the seven cells could use seven.
    assert labels_for(0.5, 0.45) == 1
    plan = planner.plan(made, Asked(margin=0.45))
    assert len(plan.next) == 7
    assert plan.total["to_write"] == 7


def test_the_same_seed_gives_the_same_list_and_another_another() -> None:
    made = a_set([Of([], "Ss")] * 60)
    named = [[one.statement_id for one in planner.plan(made, Asked(limit=10, seed=seed)).next]
             for seed in (1, 1, 2)]  # fmt: skip
    assert named[0] == named[1] != named[2]


def lead() -> User:
    return User.objects.get_or_create(username="lead")[0]


def queue_over(made: CalibrationSet, *which: str, selected: Selected | None = None) -> Any:
    pks = Statement.objects.filter(case__set=made, statement_id__in=which)
    chosen = Selection(
        Kind.STATEMENTS, "test", list(pks.values_list("pk", flat=True)), selected=selected
    )
    return queues.open_queue(made, lead(), Terms("Round", overlap=1), chosen)


def test_what_a_queue_asks_for_already_is_not_asked_again_until_it_is_closed() -> None:
    made = a_set(ROWS)
    queue = queue_over(made, "s4", "s9")
    plan = planner.plan(made, Asked())
    unsupported = subject(plan, "unsupported")
    assert (unsupported["waiting"], unsupported["unlabelled"]) == (1, 2)
    assert plan.unknown["waiting"] == 1
    # With ± .45 one label is enough, and the queue will bring it.
    enough = subject(planner.plan(made, Asked(margin=0.45, design_effect=1.0)), "unsupported")
    assert (enough["more"], enough["to_ask"], enough["to_write"]) == (1, 0, 0)
    assert not {"s4", "s9"} & {one.statement_id for one in plan.next}
    queues.close(queue)
    assert subject(planner.plan(made, Asked()), "unsupported")["waiting"] == 0


def test_a_queue_that_judges_gave_rise_to_does_not_count_as_asking() -> None:
    made = a_set(ROWS)
    before = planner.document(made, planner.plan(made, Asked()))
    queue_over(made, "s4", selected=Selected.JUDGE_DISAGREEMENT)
    assert planner.document(made, planner.plan(made, Asked())) == before


def test_labels_that_count_for_no_headline_count_for_no_cell() -> None:
    made = a_set([Of(["Ss"]), Of(["Ss"]), Of(["Ss"]), Of(["Ss"])])
    for at, change in enumerate(
        ({"origin": "revealed"}, {"origin": "model"}, {"selected": "judge_disagreement"})
    ):
        Label.objects.filter(statement__statement_id=f"s{at}").update(**change)
    plan = planner.plan(made, Asked())
    assert (subject(plan, "supported")["labelled"], plan.unknown["unlabelled"]) == (1, 3)


def test_whatever_judges_say_the_plan_stays_the_same() -> None:
    made = a_set(ROWS)
    before = planner.document(made, planner.plan(made, Asked()))
    for number, said in enumerate(("Ss", "Su", "In", "timeout")):
        report_records.a_run(made, [Row("..", said)] * len(ROWS), version=f"{number}.0.0")
    assert planner.document(made, planner.plan(made, Asked())) == before


def test_a_plan_takes_as_many_queries_for_many_statements_as_for_few() -> None:
    few, many = a_set(ROWS, "few"), a_set(ROWS * 20, "many")
    taken = []
    for made in (few, many):
        planner.plan(made, Asked())
        with CaptureQueriesContext(connection) as queries:
            planner.plan(made, Asked())
        taken.append(len(queries))
    assert taken[0] == taken[1] <= 6


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"margin": "0"}, "margin"),
        ({"margin": "0.5"}, "margin"),
        ({"margin": "nan"}, "margin"),
        ({"margin": "-0.1"}, "margin"),
        ({"share": "1.1"}, "share"),
        ({"share": "1e-3"}, "share"),
        ({"design_effect": "0.9"}, "design_effect"),
        ({"design_effect": "inf"}, "design_effect"),
        ({"limit": "1001"}, "limit"),
        ({"limit": "ten"}, "limit"),
        ({"seed": "-1"}, "seed"),
        ({"seed": str(2**63)}, "seed"),
    ],
)
def test_what_cannot_be_asked_is_refused_by_its_field(given: dict[str, str], field: str) -> None:
    with pytest.raises(BadInput) as caught:
        planner.read(given)
    assert caught.value.field == field


def test_what_is_not_given_is_the_default_and_bounds_are_taken() -> None:
    assert planner.read({"margin": ""}) == Asked()
    given = {"margin": ".005", "share": "1", "design_effect": "1", "limit": "0"}
    assert planner.read({**given, "seed": str(2**63 - 1)}) == Asked(0.005, 1, 1, 0, 2**63 - 1)


def test_a_sealed_list_opens_a_queue_over_exactly_its_statements_and_unselected() -> None:
    made = a_set(ROWS)
    plan = planner.plan(made, Asked(limit=2))
    sealed = planned.seal(made, [one.pk for one in plan.next], plan.asked)
    selection = planned.opened(made, sealed)
    assert set(selections.found(made, selection)) == {one.pk for one in plan.next}
    queue = queues.open_queue(made, lead(), Terms("Next"), selection)
    assert queue.selected is None
    assert "a plan asked to be labelled next (± 5 points, seed 1960)" in selections.words(
        queue.selection
    )


def test_a_list_of_another_set_or_that_no_plan_made_is_refused() -> None:
    one, other = a_set(ROWS, "one"), a_set(ROWS, "other")
    sealed = planned.seal(other, [1], Asked())
    for given in (sealed, "", sealed[:-1], "1,2,3", '{"set": 1}'):
        with pytest.raises(BadInput) as caught:
            planned.opened(one, given)
        assert caught.value.field == "planned"


def test_the_order_of_a_queue_tells_nothing_of_the_plan_s_order() -> None:
    made = a_set([Of([], expected) for expected in ("Ss", "Su", "Sc") * 6])
    plan = planner.plan(made, Asked())
    chosen = [one.pk for one in plan.next]
    ranks = []
    for order in (chosen, chosen[::-1], sorted(chosen)):
        selection = planned.opened(made, planned.seal(made, order, plan.asked))
        queue = queues.open_queue(made, lead(), Terms("Next", seed=7), selection)
        slots = queue.slots.order_by("half", "rank", "number")
        ranks.append(list(slots.values_list("statement_id", flat=True)))
    assert ranks[0] == ranks[1] == ranks[2]


def test_the_command_prints_one_object_and_a_page_for_people() -> None:
    a_set(ROWS)
    found = printed("planned", "--margin", "0.25", "--limit", "3", "--seed", "4")
    assert list(found) == [
        "set", "asked", "level", "cells", "total", "together", "unknown", "disputed", "next",
    ]  # fmt: skip
    assert found["set"] == {"slug": "planned", "revision": 1}
    assert found["asked"] == {
        "margin": 0.25, "share": 0.5, "design_effect": None, "limit": 3, "seed": 4,
    }  # fmt: skip
    assert len(found["next"]) == 3
    assert set(found["next"][0]) == {"case_id", "statement_id", "claim_class", "verdict"}
    out = StringIO()
    call_command("plan_labels", "planned", "--margin", "0.25", stdout=out, stderr=StringIO())
    told = " ".join(out.getvalue().split())
    assert "± 25.0 points in each of 7 cells takes" in told
    assert "its cell is not known" in told
    assert "subject-specific supported: 1 consensus, 1 single" in told
    assert "subject-specific supported 2 40.5 12 10 0 1 9" in told


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("planned", "--margin", "0.7"), "margin: takes a number from 0.005 to 0.45"),
        (("planned", "--limit", "-3"), "limit: takes a whole number from 0 to 1,000"),
        (("nowhere",), "nowhere"),
    ],
)
def test_the_command_refuses_in_one_line_with_exit_3(arguments: tuple[str, ...], said: str) -> None:
    a_set(ROWS)
    with pytest.raises(CommandError) as caught:
        call_command("plan_labels", *arguments, stdout=StringIO())
    assert caught.value.returncode == 3
    assert said in str(caught.value)


def test_wice_has_two_cells_whose_needs_are_by_hand(data_folder: Path) -> None:
    """22 supported, 78 unsupported, one label each and each a case of its own."""
    bundles.import_set("wice", data_folder / "wice")
    wice = sets.get("wice")
    plan = planner.plan(wice, Asked(margin=0.1))
    counted = {one.cell: (one.counts["single"], one.need.more) for one in plan.rows}
    # ± .1 of one half: z²/(4 · .01) - z² = 96.04 - 3.84 = 92.2: 93.
    assert counted == {(None, "supported"): (22, 71), (None, "unsupported"): (78, 15)}
    assert (plan.together.need.now, plan.together.need.more) == (
        pytest.approx(half_width(0.5, 100)),
        0,
    )
    with (data_folder / "wice" / "judgments-gpt-4-0613.jsonl").open("rb") as stream:
        recorded.import_judgments(wice, stream, source=stream.name)
    assert planner.plan(wice, Asked(margin=0.1)) == plan
