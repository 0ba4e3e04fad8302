"""Ratings two by two. Expected figures are derived by hand."""

from __future__ import annotations

from typing import Any

import pytest

from calibration.agreement.between_humans import Rating
from calibration.agreement.rating_pairs import agree, between, pairs_of, splits
from calibration.stats.rates import wilson
from tests.calibration.report_fixtures import VERDICT_LETTERS

VERDICTS = ("supported", "unsupported", "contradictory", "not_applicable")


def part(text: str, verdict: str = "supported", **others: Any) -> dict[str, Any]:
    return {"text": text, "span": None, "claim_class": "external", "verdict": verdict} | others


def ratings(
    *statements: str, parts: dict[tuple[int, int], list[Any]] | None = None
) -> list[Rating]:
    """Rater i gives statement s the i-th letter; a dash is none."""
    return [
        Rating(
            unit,
            ("case", unit),
            None,
            VERDICTS[VERDICT_LETTERS.index(letter)],
            rater,
            (parts or {}).get((unit, rater), ()),
        )
        for unit, letters in enumerate(statements)
        for rater, letter in enumerate(letters)
        if letter != "-"
    ]


def short(rate: Any) -> tuple[int, int]:
    return rate["count"], rate["n"]


def test_every_two_ratings_of_a_statement_are_a_pair_once() -> None:
    given = ratings("sss", "s-s", "-s-", "ss-")
    pairs = pairs_of(given)
    found = {
        (given[a].unit, *sorted((given[a].rater, given[b].rater)))
        for a, b in zip(pairs.first, pairs.second, strict=True)
    }
    assert found == {(0, 0, 1), (0, 0, 2), (0, 1, 2), (1, 0, 2), (3, 0, 1)}
    assert len(pairs.first) == 5


def test_each_two_annotators_are_compared_on_what_both_labelled() -> None:
    # Rater 0: s s u u ; rater 1: s u u u ; rater 2: - - - c
    given = ratings("ss-", "su-", "uu-", "uuc")
    found = {one.raters: one for one in between(given, pairs_of(given))}
    assert short(found[0, 1].agreement) == (3, 4)
    # Rows 2 s and 2 u, columns 1 s and 3 u: chance (2·1 + 2·3) of 16; kappa (4·3 - 8) / (16 - 8).
    assert found[0, 1].kappa["value"] == pytest.approx(0.5)
    assert found[0, 1].kappa["n"] == 4
    assert short(found[0, 2].agreement) == (0, 1)


def test_what_is_said_of_one_case_is_as_sure_as_the_case() -> None:
    """Four statements of two cases, all agreed on: worth two (`clusters.effective_n`)."""
    alone = ratings("ss", "uu", "ss", "uu")
    given = [one._replace(cluster=("case", one.unit // 2)) for one in alone]
    (one,) = between(given, pairs_of(given))
    assert short(one.agreement) == (4, 4)
    assert one.agreement["interval"] == pytest.approx(list(wilson(2, 2)))
    (apart,) = between(alone, pairs_of(alone))
    assert apart.agreement["interval"] == list(wilson(4, 4))
    found = splits(given, pairs_of(given))
    assert found["agree"]["interval"] == pytest.approx(list(wilson(2, 2)))
    assert found["verdict_where_agreed"]["interval"] == pytest.approx(list(wilson(2, 2)))


def test_what_three_say_of_one_statement_is_as_sure_as_the_statement() -> None:
    """Three raters of two statements make six pairs of ratings, worth two."""
    given = ratings("sss", "uuu")
    found = splits(given, pairs_of(given))["agree"]
    assert short(found) == (6, 6)
    assert found["interval"] == pytest.approx(list(wilson(2, 2)))


def test_kappa_of_two_who_always_say_the_same_word_is_undefined() -> None:
    given = ratings("ss", "ss")
    (one,) = between(given, pairs_of(given))
    assert (one.kappa["value"], one.kappa["n"]) == (None, 2)
    assert one.kappa["reason"]


def test_the_least_agreeing_come_first_and_who_stands_first_in_a_pair_does_not_matter() -> None:
    given = ratings("ssu", "ssu", "su-")
    found = between(given, pairs_of(given))
    assert [one.raters for one in found] == [(0, 2), (1, 2), (0, 1)]
    turned = list(reversed(given))
    assert [one.agreement for one in between(turned, pairs_of(turned))] == [
        one.agreement for one in found
    ]


def test_two_who_share_little_do_not_lead_those_who_surely_part_company() -> None:
    """0 and 1 agree on 10 of 20, at most on 70.1%; 0 and 2 on none of the one that they share, at
    most on 79.3% (Wilson)."""
    given = ratings("ssu", *["ss-"] * 9, *["su-"] * 10)
    found = [one for one in between(given, pairs_of(given)) if 0 in one.raters]
    assert [one.raters for one in found] == [(0, 1), (0, 2)]
    tops = [one.agreement["interval"][1] for one in found]
    assert tops == pytest.approx([0.7007, 0.7935], abs=5e-5)


@pytest.mark.parametrize(
    ("these", "those", "alike"),
    [
        ([], [], True),
        ([part("A fact.")], [], False),
        ([part("A  fact.")], [part("a FACT.")], True),
        ([part("Ａ fact.")], [part("A fact.")], True),
        ([part("A fact.")], [part("Another.")], False),
        ([part("A fact.")], [part("A fact.", "unsupported")], False),
        ([part("A fact.")], [part("A fact.", claim_class="subject_specific")], False),
        # Spelled otherwise, but marked at the same place of the answer.
        ([part("It is.", span=[3, 9])], [part("That is so.", span=[3, 9])], True),
        ([part("It is.", span=[3, 9])], [part("That is so.", span=[3, 8])], False),
        ([part("A."), part("B.")], [part("B."), part("A.")], True),
        ([part("A."), part("A.")], [part("A."), part("B.")], False),
        # The first goes with either of the two, the second with the first alone.
        (
            [part("A.", span=[0, 2]), part("A.")],
            [part("A.", span=[5, 7]), part("B.", span=[0, 2])],
            True,
        ),
    ],
)
def test_splits_agree_part_for_part(these: list[Any], those: list[Any], alike: bool) -> None:
    assert agree(these, those) is alike
    assert agree(those, these) is alike


def test_splits_are_counted_apart_from_verdicts() -> None:
    parts = {
        (0, 0): [part("A fact.")],
        (0, 1): [part("A fact.")],
        (1, 0): [part("A fact.")],
        (2, 0): [part("A fact.")],
        (2, 1): [part("Other.")],
    }
    given = ratings("ss", "ss", "su", "su", "ss", parts=parts)
    found = splits(given, pairs_of(given))
    # Alike: the first, and the last two, in which nobody split.
    assert short(found["agree"]) == (3, 5)
    assert short(found["agree_where_split"]) == (1, 3)
    assert short(found["verdict_where_agreed"]) == (2, 3)
    assert short(found["verdict_where_not"]) == (1, 2)


def test_of_no_pairs_nothing_is_a_rate() -> None:
    given = ratings("s-", "-s")
    found = splits(given, pairs_of(given))
    assert between(given, pairs_of(given)) == []
    assert {(one["rate"], one["n"]) for one in found.values()} == {(None, 0)}
    assert all(one["reason"] for one in found.values())


def test_of_no_ratings_there_are_no_pairs() -> None:
    assert between([], pairs_of([])) == []
