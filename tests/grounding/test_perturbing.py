"""Cases told otherwise: another order, other company; the same texts, the same on every machine."""

from __future__ import annotations

import subprocess
import sys

import pytest

from grounding.interchange.models import Case, Passage, Statement
from grounding.perturbing import drawn, padded, reordered


def a_case(passages: int, name: str = "c1") -> Case:
    return Case(
        case_id=name,
        context=tuple(Passage(id=f"p{n}", text=f"Passage {n}.") for n in range(1, passages + 1)),
        answer="Yes.",
        statements=(Statement(statement_id="s1", text="Yes."),),
    )


STRANGERS = [Passage(id="p1", text=f"Another world, number {n:02}.") for n in range(20)]


@pytest.mark.parametrize("passages", [2, 3, 9])
def test_another_order_has_the_same_passages_and_is_never_the_same_order(passages: int) -> None:
    case = a_case(passages)
    for seed in range(50):
        told = reordered(case, seed)
        assert told is not None
        assert told.context != case.context
        assert sorted(told.context, key=lambda one: one.id) == list(case.context)
        assert told.model_copy(update={"context": case.context}) == case


def test_nothing_can_be_put_in_another_order_where_there_is_one_passage_or_none() -> None:
    assert reordered(a_case(1), 1) is None
    assert reordered(a_case(0), 1) is None


def test_seeds_and_cases_have_orders_of_their_own() -> None:
    orders = {reordered(a_case(6), seed).context for seed in range(30)}
    assert len(orders) > 20
    by_name = {tuple(p.id for p in reordered(a_case(6, f"c{n}"), 1).context) for n in range(30)}
    assert len(by_name) > 20


def test_padding_goes_as_far_as_asked_and_no_passage_further() -> None:
    case = a_case(2)  # 2 × 10 characters; each stranger has 25
    told = padded(case, STRANGERS, 100, 7)
    assert told is not None
    assert len(told.context) == 2 + 4, "20 + 4 × 25 = 120, and 20 + 3 × 25 is short of 100"
    assert sum(len(one.text) for one in told.context) >= 100
    assert padded(case, STRANGERS, 20, 7) is None, "it is that long already"
    assert padded(case, [], 100, 7) is None
    assert len(padded(case, STRANGERS[:1], 10_000, 7).context) == 3, "all there are"


def test_a_cases_own_passages_stay_together_in_their_order_with_their_ids() -> None:
    places = set()
    for seed in range(40):
        told = padded(a_case(3), STRANGERS, 200, seed)
        at = [one.id for one in told.context].index("p1")
        assert told.context[at : at + 3] == a_case(3).context
        assert len({one.id for one in told.context}) == len(told.context)
        places.add(at)
    assert len(places) > 3, "the place is the seed's"


def test_strangers_take_no_id_that_is_known_and_no_text_that_is_there() -> None:
    known = (Passage(id="OTHER-1", text="Here."), Passage(id="p2", text=STRANGERS[0].text))
    case = a_case(1).model_copy(update={"context": known})
    told = padded(case, STRANGERS, 120, 1)
    names = [one.id.casefold() for one in told.context]
    assert len(set(names)) == len(names)
    assert [one.text for one in told.context].count(STRANGERS[0].text) == 1


def test_what_is_drawn_is_the_same_in_every_process() -> None:
    """Hashes of Python's own differ from process to process; the number is sha256's."""
    code = (
        "from grounding.perturbing import drawn, reordered\n"
        "from tests.grounding.test_perturbing import a_case\n"
        "print(drawn(7, 'c1') % 1000, *(p.id for p in reordered(a_case(5), 7).context))"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    here = " ".join(one.id for one in reordered(a_case(5), 7).context)
    assert told == {f"{drawn(7, 'c1') % 1000} {here}\n"}
    # printf '7\0c1' | sha256sum, its last three hexadecimal digits
    assert f"{drawn(7, 'c1') % 4096:03x}" == "75f"
