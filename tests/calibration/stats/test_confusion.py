import numpy as np
import pytest
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

from calibration.stats.confusion import (
    cluster_confusions,
    clustered_per_label,
    confusion,
    f1_scores,
    per_label,
)
from calibration.stats.rates import wilson


def test_rows_are_the_reference_and_columns_the_judge():
    assert confusion([0, 0, 1, 2], [0, 1, 1, 0], 3).tolist() == [[1, 1, 0], [0, 1, 0], [1, 0, 0]]


def test_nothing_compared_gives_a_table_of_zeros():
    assert confusion([], [], 2).tolist() == [[0, 0], [0, 0]]
    assert cluster_confusions([], [], [], 2).shape == (0, 4)


@pytest.mark.parametrize("codes", [[0, 2], [-1, 0]])
def test_a_code_outside_the_categories_is_refused(codes):
    with pytest.raises(ValueError, match=r"outside 0\.\.1"):
        confusion(codes, [0, 0], 2)
    with pytest.raises(ValueError, match=r"outside 0\.\.1"):
        confusion([0, 0], codes, 2)


def test_codes_that_are_no_whole_numbers_are_refused():
    with pytest.raises(ValueError, match="whole numbers"):
        confusion([0.5], [0], 2)


def test_sides_of_unequal_length_are_refused():
    with pytest.raises(ValueError, match="2 row codes for 1"):
        confusion([0, 1], [0], 2)
    with pytest.raises(ValueError, match="1 clusters for 2"):
        cluster_confusions([0, 1], [0, 1], ["a"], 2)
    with pytest.raises(ValueError, match="one value a statement"):
        confusion([[0]], [[0]], 2)


def test_each_cluster_gets_its_own_flattened_table_in_sorted_order():
    tables = cluster_confusions([0, 1, 1, 0], [0, 0, 1, 1], ["b", "a", "b", "b"], 2)
    #                       00 01 10 11
    assert tables.tolist() == [[0, 0, 1, 0], [1, 1, 0, 1]]


def test_the_clusters_add_up_to_the_whole():
    rng = np.random.default_rng(3)
    rows, cols = rng.integers(0, 4, 500), rng.integers(0, 4, 500)
    whole = confusion(rows, cols, 4)
    parts = cluster_confusions(rows, cols, rng.integers(0, 60, 500), 4)
    assert parts.sum(axis=0).reshape(4, 4).tolist() == whole.tolist()
    assert whole.tolist() == confusion_matrix(rows, cols, labels=range(4)).tolist()


def test_precision_recall_and_f1_by_hand():
    # Of the judge's 37 "supported" 18 are right, of the people's 22 it finds 18:
    # F1 = 2·18 / (37 + 22) = 36/59. WiCE (Kamoi and others 2023), GPT-4: 61.0 printed.
    supported, other = per_label([[18, 4], [19, 59]])
    assert (supported.precision.count, supported.precision.n) == (18, 37)
    assert (supported.recall.count, supported.recall.n) == (18, 22)
    assert supported.f1 == pytest.approx(36 / 59, abs=1e-12)
    assert (other.precision.n, other.recall.n) == (63, 78)


def test_a_label_that_one_side_never_uses_has_one_undefined_share_and_f1_zero():
    never_judged = per_label([[0, 3], [0, 5]])[0]
    assert never_judged.precision.rate is None
    assert never_judged.precision.reason == "the judge never uses this label"
    assert never_judged.recall.rate == 0.0
    assert never_judged.f1 == 0.0
    never_referenced = per_label([[0, 0], [3, 5]])[0]
    assert never_referenced.recall.reason == "the reference never uses this label"
    assert never_referenced.precision.rate == 0.0


def test_a_label_that_neither_side_uses_has_no_f1():
    unused = per_label([[4, 0], [0, 0]])[1]
    assert (unused.precision.rate, unused.recall.rate, unused.f1) == (None, None, None)


def test_scores_agree_with_scikit_learn():
    rng = np.random.default_rng(11)
    rows, cols = rng.integers(0, 4, 300), rng.integers(0, 4, 300)
    expected = precision_recall_fscore_support(rows, cols, labels=range(4))
    for label, scores in enumerate(per_label(confusion(rows, cols, 4))):
        got = (scores.precision.rate, scores.recall.rate, scores.f1)
        assert got == pytest.approx([column[label] for column in expected[:3]], abs=1e-12)


@pytest.mark.published("judge_vs_human_accuracy_f1")
def test_real_judgments_give_the_published_accuracy_and_f1(entry, read_lines):
    labels = {row["case_id"]: row["verdict"] for row in read_lines(entry["inputs"]["labels"])}
    judged = {row["case_id"]: row["verdict"] for row in read_lines(entry["inputs"]["judgments"])}
    rows, cols = (
        [int(side[case] == "supported") for case in sorted(labels)] for side in (labels, judged)
    )
    table, expected = confusion(rows, cols, 2), entry["expected"]
    cells, inputs = table.ravel().tolist(), entry["inputs"]["confusion"]
    assert cells == [inputs["tn"], inputs["fp"], inputs["fn"], inputs["tp"]]
    assert np.trace(table) / table.sum() == pytest.approx(expected["accuracy"])
    if "f1" in expected:
        assert per_label(table)[1].f1 == pytest.approx(expected["f1"], abs=entry["tolerance"])


def test_clustered_scores_are_the_plain_ones_where_no_two_share_a_cluster():
    rng = np.random.default_rng(12)
    rows, cols = rng.integers(0, 3, 90), rng.integers(0, 4, 90)
    found = clustered_per_label(rows, cols, np.arange(90), 5)
    assert found == per_label(confusion(rows, cols, 5))


def test_clustered_scores_have_wider_intervals_where_pairs_stand_and_fall_together():
    # Thirty pairs of the label, twenty of them right as a whole: near those of thirty.
    cols = np.repeat(np.arange(30) < 20, 2).astype(int)
    recall = clustered_per_label(np.ones(60, int), cols, np.repeat(np.arange(30), 2), 2)[1].recall
    assert (recall.count, recall.n) == (40, 60)
    assert recall.interval == pytest.approx(wilson(20, 30), abs=0.01)


def test_f1_with_its_interval_by_hand():
    # Both 6, the reference alone 3, the judge alone 1: J = 6/10, F1 = 12/16. Wilson of 6 in 10 is
    # .312674 to .831820: 2J/(1+J) gives .476392 and .908189.
    rows, cols = np.repeat([[1, 1, 0, 0], [1, 0, 1, 0]], [6, 3, 1, 9], axis=1)
    found = f1_scores(rows, cols, np.arange(19), 3)
    assert (found[1].value, found[1].n) == (pytest.approx(0.75), 10)
    assert found[1].interval == pytest.approx((0.476392, 0.908189), abs=1e-6)
    assert (found[2].value, found[2].n, found[2].reason) == (
        None,
        0,
        "neither side uses this label",
    )


def test_f1_is_that_of_the_table_and_wider_in_clusters():
    rng = np.random.default_rng(4)
    rows, cols = rng.integers(0, 3, 80), rng.integers(0, 3, 80)
    alone = f1_scores(rows, cols, np.arange(80), 3)
    doubled = f1_scores(np.repeat(rows, 2), np.repeat(cols, 2), np.repeat(np.arange(80), 2), 3)
    for one, two, scores in zip(alone, doubled, per_label(confusion(rows, cols, 3)), strict=True):
        assert one.value == pytest.approx(scores.f1) == pytest.approx(two.value)
        assert two.interval == pytest.approx(one.interval, abs=0.01)


def test_f1_of_perfect_and_of_no_agreement_keeps_a_width():
    perfect = f1_scores([1] * 20, [1] * 20, range(20), 2)[1]
    # Wilson's lower limit of 20 in 20 is .838875: 2 · .838875 / 1.838875.
    assert (perfect.value, perfect.interval) == (1.0, (pytest.approx(0.912378, abs=1e-6), 1.0))
    none = f1_scores([1] * 20, [0] * 20, range(20), 2)[1]
    assert (none.value, none.interval[0]) == (0.0, 0.0)
    assert none.interval[1] > 0.2


def test_f1_refuses_sides_of_unequal_length():
    with pytest.raises(ValueError, match="1 clusters for 2 and 2"):
        f1_scores([0, 1], [0, 1], ["a"], 2)
