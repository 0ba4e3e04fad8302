import json

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from calibration.stats.alt_test import (
    NOT_TESTED,
    NOTHING,
    alternative_annotator_test,
    alternative_test_of_list,
    as_good,
)
from calibration.stats.multiplicity import benjamini_yekutieli

JUDGES = ["gemini_flash", "gemini_pro", "gpt-4o", "llama-31", "gpt-4o-mini", "mistral-v03"]


def study(n=200, annotators=4, *, noise=0.2, judge_noise=0.1, seed=0):
    """Return ratings of annotators, and a judge's, who see the same truth through their noise."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)

    def seen(through):
        return np.where(rng.random(n) < through, rng.integers(0, 3, n), truth)

    return np.stack([seen(noise) for _ in range(annotators)], axis=1), seen(judge_noise)


@pytest.mark.parametrize("judge", JUDGES)
def test_the_published_results_on_framing_come_out_exactly(judge, data_folder):
    study = json.loads((data_folder / "alt_test_framing.json").read_text("utf-8"))
    expected, judged = study["expected"][f"framing|{judge}"], study["judges"][judge]
    said = [list(judged.values())] + [
        [study["humans"][annotator].get(unit) for unit in judged]
        for annotator in expected["annotators"]
    ]
    words = sorted({word for row in said for word in row if word is not None})
    codes = {None: NOTHING, **{word: at for at, word in enumerate(words)}}
    judge_codes, *ratings = [[codes[word] for word in row] for row in said]
    found = alternative_annotator_test(
        np.transpose(ratings),
        judge_codes,
        epsilon=expected["epsilon"],
        q=study["q_fdr"],
        min_annotators=study["min_humans_per_instance"],
        min_statements=study["min_instances_per_human"],
    )
    assert found.winning_rate.value == expected["omega"] == expected["published_omega"]
    assert found.advantage.value == pytest.approx(expected["rho"], abs=1e-12)
    assert round(found.advantage.value, 2) == expected["published_rho"]
    assert [seat.test.n for seat in found.seats] == expected["n"]
    assert [seat.test.p for seat in found.seats] == pytest.approx(expected["p_values"], rel=1e-9)
    advantages = [seat.judge_as_good.rate for seat in found.seats]
    assert advantages == pytest.approx(expected["rho_by_annotator"], abs=1e-12)
    assert found.enough
    assert found.stands_in == (expected["omega"] >= 0.5)


def test_a_seat_by_hand():
    # Against annotators b and c, on four statements: a agrees with 2 1 0 1 of them, the judge with
    # 2 0 1 1. Judge as good: yes no yes yes; a as good: yes yes no yes.
    ratings = [[0, 0, 0], [0, 0, 1], [0, 1, 2], [0, 0, 1]]
    found = alternative_annotator_test(ratings, [0, 2, 1, 1], epsilon=0.2, min_statements=4)
    seat = found.seats[0]
    assert (seat.judge_as_good.count, seat.annotator_as_good.count, seat.test.n) == (3, 3, 4)
    # Differences 0 1 -1 0, mean 0, s² = 2/3: t = -.2 / √(2/3 / 4) = -.4899 with 3 degrees.
    assert seat.test.p == pytest.approx(ttest_1samp([0, 1, -1, 0], 0.2, alternative="less").pvalue)
    assert seat.test.p == pytest.approx(0.3289, abs=1e-4)


def test_the_adjusted_p_values_are_benjamini_and_yekutielis_over_those_tested():
    ratings, judge = study(60, judge_noise=0.3)
    ratings[10:, 3] = NOTHING
    found = alternative_annotator_test(ratings, judge, epsilon=0.1)
    tested = found.seats[:3]
    assert [seat.adjusted for seat in tested] == pytest.approx(
        benjamini_yekutieli([seat.test.p for seat in tested])
    )
    assert [seat.won for seat in tested] == [seat.adjusted <= 0.05 for seat in tested]
    assert found.winning_rate.n == found.advantage.n == 3


def test_an_annotator_with_too_few_statements_is_not_tested_and_says_so():
    ratings, judge = study(60)
    ratings[29:, 3] = NOTHING
    seat = alternative_annotator_test(ratings, judge, epsilon=0.2).seats[3]
    assert (seat.test.p, seat.test.n, seat.adjusted, seat.won) == (None, 29, None, None)
    assert seat.test.reason == "fewer than 30 statements in common"
    assert seat.judge_as_good.n == 29
    ratings, judge = study(60)
    ratings[30:, 3] = NOTHING
    assert alternative_annotator_test(ratings, judge, epsilon=0.2).seats[3].won is not None


def test_without_a_tested_annotator_all_is_undefined():
    for ratings, judge in (
        ([[0, 1]] * 5, [0] * 5),
        (np.zeros((0, 2)), []),
        (np.zeros((3, 0)), [0] * 3),
    ):
        found = alternative_annotator_test(ratings, judge, epsilon=0.2)
        assert (found.winning_rate.value, found.winning_rate.reason) == (None, NOT_TESTED)
        assert (found.advantage.value, found.stands_in, found.enough) == (None, None, False)


def test_a_failed_judgment_and_a_lone_rating_are_left_out():
    ratings, judge = study(80)
    plain = alternative_annotator_test(ratings, judge, epsilon=0.2)
    lone = np.full((5, 4), NOTHING)
    lone[:, 1] = 2
    more = np.vstack([ratings, ratings[:7], lone])
    failed = np.concatenate([judge, np.full(7, NOTHING), np.full(5, 2)])
    assert alternative_annotator_test(more, failed, epsilon=0.2) == plain


def test_three_annotators_are_asked_of_each_statement_where_that_is_wanted():
    ratings, judge = study(80)
    ratings[40:, 2:] = NOTHING
    found = alternative_annotator_test(ratings, judge, epsilon=0.2, min_annotators=3)
    assert [seat.test.n for seat in found.seats] == [40] * 4


def test_a_better_judge_stands_in_and_a_worse_one_does_not():
    good = alternative_annotator_test(*study(400, judge_noise=0.1), epsilon=0.1)
    bad = alternative_annotator_test(*study(400, judge_noise=0.9), epsilon=0.1)
    assert (good.winning_rate.value, good.stands_in) == (1.0, True)
    assert (bad.winning_rate.value, bad.stands_in) == (0.0, False)
    assert good.advantage.value > bad.advantage.value


def test_two_annotators_are_too_few_for_the_authors():
    assert not alternative_annotator_test(*study(100, annotators=2), epsilon=0.2).enough


def test_where_nothing_differs_p_is_zero_or_one_as_epsilon_says():
    ratings = np.zeros((40, 3), dtype=int)
    sure = alternative_annotator_test(ratings, np.zeros(40), epsilon=0.1)
    assert [seat.test.p for seat in sure.seats] == [0.0] * 3
    none_given = alternative_annotator_test(ratings, np.zeros(40), epsilon=0.0)
    assert [seat.test.p for seat in none_given.seats] == [1.0] * 3
    wrong = alternative_annotator_test(ratings, np.ones(40), epsilon=0.1)
    assert [seat.test.p for seat in wrong.seats] == [1.0] * 3


def test_statements_in_clusters_are_no_more_evidence_than_their_clusters():
    # Each statement five times over in a cluster of its own: the t test of the statements once,
    # but for the degrees of freedom's n/(n-1), which both have.
    ratings, judge = study(60, judge_noise=0.35)
    once = alternative_annotator_test(ratings, judge, epsilon=0.1)
    fivefold = alternative_annotator_test(
        np.repeat(ratings, 5, axis=0),
        np.repeat(judge, 5),
        epsilon=0.1,
        clusters=np.repeat(np.arange(60), 5),
    )
    for seat, repeated in zip(once.seats, fivefold.seats, strict=True):
        assert repeated.test.p == pytest.approx(seat.test.p, rel=1e-9)
    one_cluster = alternative_annotator_test(ratings, judge, epsilon=0.1, clusters=[1] * 60)
    assert one_cluster.seats[0].test.reason == "all statements in common are of one cluster"


def test_a_list_of_ratings_in_any_order_says_what_the_table_says():
    ratings, judge = study(90, annotators=6, judge_noise=0.4)
    rng = np.random.default_rng(3)
    ratings[rng.random(ratings.shape) < 0.4] = NOTHING
    judge[:9] = NOTHING
    units, annotators = np.nonzero(ratings != NOTHING)
    shuffled = rng.permutation(units.size)
    units, annotators = units[shuffled], annotators[shuffled]
    listed = alternative_test_of_list(
        (units, annotators, ratings[units, annotators]),
        judge,
        6,
        epsilon=0.1,
        clusters=np.arange(90) // 2,
    )
    table = alternative_annotator_test(ratings, judge, epsilon=0.1, clusters=np.arange(90) // 2)
    assert table == listed
    assert all(seat.won is not None for seat in listed.seats)


def test_who_scores_as_well_as_the_other_on_each_rating_by_hand():
    # Statement 0 has a a b and the judge says b; statement 1 has a a and the judge says c.
    wins = as_good([0, 0, 0, 1, 1], [0, 0, 1, 0, 0], [1, 2])
    # Against the first of statement 0 the others are a b: the annotator has one of them, so has the
    # judge. Against the third they are a a: neither has any. On statement 1 only annotators agree.
    assert wins.judge.tolist() == [True, True, True, False, False]
    assert wins.annotator.tolist() == [True, True, True, True, True]


@pytest.mark.parametrize(
    "asked", [{"epsilon": -0.1}, {"epsilon": 0.1, "q": 1.0}, {"epsilon": 0.1, "min_annotators": 1}]
)
def test_what_makes_no_sense_is_refused(asked):
    with pytest.raises(ValueError, match="epsilon"):
        alternative_annotator_test([[0, 1]], [0], **asked)


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="2 judgments"):
        alternative_annotator_test([[0, 1]], [0, 1], epsilon=0.1)
    with pytest.raises(ValueError, match="1 clusters"):
        alternative_annotator_test([[0, 1]] * 2, [0, 1], epsilon=0.1, clusters=["a"])
