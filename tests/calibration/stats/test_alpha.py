import itertools
from fractions import Fraction

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from calibration.stats.alpha import (
    alpha,
    alpha_from_ratings,
    coincidences,
    counts_from_ratings,
    fleiss_kappa,
    krippendorff_alpha,
    pairwise_agreement,
)
from calibration.stats.rates import rate, wilson

COUNTS = arrays(np.int64, (8, 3), elements=st.integers(0, 4))

# Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, example D: four coders, twelve
# units. The last unit has one rating only.
KRIPPENDORFF = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]

# Fleiss' kappa, the example of its Wikipedia article: ten subjects, fourteen raters.
FLEISS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]


def by_coder(coders):
    """Return (unit, rater, value) triples of one row a coder, None where a rating is missing."""
    return [
        (unit, coder, value)
        for coder, row in enumerate(coders)
        for unit, value in enumerate(row)
        if value is not None
    ]


def by_subject(subjects):
    return by_coder(zip(*subjects, strict=True))


def alpha_by_pairs(counts):
    """Compute nominal alpha from its meaning, pair by pair, in fractions."""
    units = [list(np.repeat(range(len(row)), row)) for row in counts]
    units = [unit for unit in units if len(unit) > 1]
    pooled = [value for unit in units for value in unit]
    n = len(pooled)
    within = sum(
        Fraction(sum(a != b for a, b in itertools.permutations(unit, 2)), len(unit) - 1)
        for unit in units
    )
    across = Fraction(sum(a != b for a, b in itertools.permutations(pooled, 2)), max(n - 1, 1))
    return None if across == 0 else float(1 - within / across)


@pytest.mark.parametrize(
    ("metric", "printed", "exact"),
    [
        # Nominal: coincidences 7 10 8 4 3 on the diagonal of 40, margins 9 13 10 5 3:
        # 1 - 39·8 / (1600 - 384) = 113/152.
        ("nominal", 0.743, 113 / 152),
        ("ordinal", 0.815, 0.8153875037548813),
        ("interval", 0.849, 0.8491071428571428),
        ("ratio", 0.797, 0.797402774711612),
    ],
)
def test_alpha_gives_krippendorffs_printed_values(metric, printed, exact):
    got = alpha_from_ratings(by_coder(KRIPPENDORFF), metric=metric)
    assert got.value == pytest.approx(printed, abs=5.01e-4)
    assert got.value == pytest.approx(exact, abs=1e-12)
    assert got.n == 11


def test_alpha_by_hand():
    # Ratings a a | a b: of 4, a three and b one. Disagreeing pairs within: 2 of 4. By chance
    # 2·3·1 = 6 of 4·3. alpha = 1 - 3·2 / 6 = 0.
    assert krippendorff_alpha([[2, 0], [1, 1]]).value == pytest.approx(0, abs=1e-15)
    # a b | a b: 1 - 3·4 / (16 - 8) = -1/2.
    assert krippendorff_alpha([[1, 1], [1, 1]]).value == pytest.approx(-0.5, abs=1e-15)


def test_perfect_agreement_is_exactly_one():
    assert krippendorff_alpha([[3, 0], [0, 3], [0, 2]]).value == 1.0


@settings(deadline=None)
@given(COUNTS)
def test_alpha_is_what_its_pairs_say(counts):
    expected = alpha_by_pairs(counts)
    got = krippendorff_alpha(counts).value
    assert got == (None if expected is None else pytest.approx(expected, abs=1e-12))


@settings(deadline=None)
@given(COUNTS, st.permutations(range(8)), st.permutations(range(3)))
def test_neither_order_of_units_nor_names_of_categories_matter(counts, units, categories):
    expected = krippendorff_alpha(counts)
    got = krippendorff_alpha(counts[np.ix_(units, categories)])
    assert got.n == expected.n
    assert got.value == (
        None if expected.value is None else pytest.approx(expected.value, abs=1e-12)
    )


def test_units_with_fewer_than_two_ratings_change_nothing():
    counts = [[2, 1], [0, 3], [3, 0], [0, 3], [1, 2], [3, 0], [0, 2], [3, 0]]
    assert krippendorff_alpha([*counts, [1, 0], [0, 0]]) == krippendorff_alpha(counts)
    assert pairwise_agreement([*counts, [1, 0], [0, 0]]) == pairwise_agreement(counts)
    assert alpha([*counts, [1, 0], [0, 0]], seed=1) == alpha(counts, seed=1)


@pytest.mark.parametrize("statistic", [krippendorff_alpha, lambda c: alpha(c, seed=1)])
def test_alpha_without_a_pair_is_undefined(statistic):
    for counts in ([[1, 0], [0, 1]], np.zeros((0, 2)), np.zeros((0, 0))):
        got = statistic(counts)
        assert (got.value, got.n, got.reason) == (None, 0, "no unit has two ratings")


@pytest.mark.parametrize("statistic", [krippendorff_alpha, lambda c: alpha(c, seed=1)])
def test_alpha_of_one_category_is_undefined(statistic):
    # The second category is there, but only in a unit that pairs with nothing.
    got = statistic([[3, 0], [2, 0], [0, 1]])
    assert (got.value, got.n, got.reason) == (None, 2, "only one category occurs")


def test_ratings_of_none_are_undefined():
    assert alpha_from_ratings([]).reason == "no unit has two ratings"


def test_ratings_are_counted_by_unit_and_value():
    counted = counts_from_ratings([("u2", "x", "b"), ("u1", "x", "a"), ("u2", "y", "a")])
    assert counted.units == ["u2", "u1"]
    assert counted.values == ["a", "b"]
    assert counted.counts.tolist() == [[1, 1], [1, 0]]


def test_a_rater_who_rates_a_unit_twice_is_refused():
    with pytest.raises(ValueError, match="twice"):
        alpha_from_ratings([("u", "x", 1), ("u", "x", 1)])


@pytest.mark.parametrize("counts", [[1, 2], [[1, -1]], [[[1]]]])
def test_what_are_no_counts_is_refused(counts):
    for statistic in (krippendorff_alpha, pairwise_agreement, fleiss_kappa):
        with pytest.raises(ValueError, match="units by categories"):
            statistic(counts)


def test_values_must_fit_the_categories_and_the_metric():
    with pytest.raises(ValueError, match="3 values for 2 categories"):
        krippendorff_alpha([[1, 1]], metric="interval", values=[1, 2, 3])
    with pytest.raises(ValueError, match="from 0 up"):
        krippendorff_alpha([[1, 1]], metric="ratio", values=[-1, 1])


def test_the_interval_metric_uses_the_values():
    counts = [[2, 0, 0], [1, 1, 0], [0, 0, 2]]
    near = krippendorff_alpha(counts, metric="interval", values=[1, 2, 10])
    far = krippendorff_alpha(counts, metric="interval", values=[1, 9, 10])
    assert near.value > far.value
    # Values 0 1 2 are what is taken where none are given.
    assert krippendorff_alpha(counts, metric="interval") == krippendorff_alpha(
        counts, metric="interval", values=[0, 1, 2]
    )


def test_the_ratio_metric_takes_a_zero():
    # 0 0 | 0 1: as nominal, since (0 - 1)² / (0 + 1)² is 1 and 0 against 0 is 0.
    assert krippendorff_alpha([[2, 0], [1, 1]], metric="ratio").value == pytest.approx(0)


def test_coincidences_sum_to_the_ratings_and_are_symmetric():
    tables = coincidences([[2, 1, 0], [1, 1, 2]])
    assert tables.sum(axis=(1, 2)) == pytest.approx([3, 4])
    np.testing.assert_allclose(tables, tables.transpose(0, 2, 1))
    # Unit a a b: a-a 2·1/2 = 1, a-b 2·1/2 = 1, b-b 0.
    assert tables[0].tolist() == [[1, 1, 0], [1, 0, 0], [0, 0, 0]]


def test_alpha_has_an_interval_around_it():
    counts = np.random.default_rng(2).multinomial(3, [0.7, 0.2, 0.1], size=80)
    counts[:40] = np.random.default_rng(3).permutation(np.diag([3, 3, 3]))[np.arange(40) % 3]
    got = alpha(counts, seed=5)
    low, high = got.interval
    assert low < got.value < high
    assert got.value == krippendorff_alpha(counts).value
    assert (got.n, got.reason) == (80, None)


def test_alphas_interval_is_scipys_bca_of_resampled_units():
    counts = np.random.default_rng(0).multinomial(3, [0.6, 0.4], size=60)

    def of_draws(drawn, axis=-1):
        values = [krippendorff_alpha(counts[units]).value for units in np.atleast_2d(drawn)]
        return np.array(values) if np.ndim(drawn) > 1 else values[0]

    expected = scipy.stats.bootstrap(
        (np.arange(60),), of_draws, n_resamples=4000, batch=1000, rng=1
    ).confidence_interval
    assert alpha(counts, seed=1, replicates=8000).interval == pytest.approx(expected, abs=0.015)


def test_alphas_interval_does_not_depend_on_the_order_of_units():
    # Thirds, sixths and halves: a cluster's sum must not change by rounding with the order either.
    rng = np.random.default_rng(4)
    counts = rng.permutation(np.repeat([[2, 1, 1], [3, 3, 1], [1, 1, 0], [5, 1, 0]], 150, axis=0))
    clusters, order = np.arange(600) // 5, rng.permutation(600)
    assert alpha(counts[order], seed=3) == alpha(counts, seed=3)
    shuffled = alpha(counts[order], seed=3, clusters=clusters[order])
    assert shuffled == alpha(counts, seed=3, clusters=clusters)


def test_units_of_one_cluster_are_drawn_together():
    # Each unit five times over in a cluster of its own is no more certain than the units once.
    counts = np.random.default_rng(6).multinomial(3, [0.5, 0.5], size=40)
    fivefold, clusters = np.repeat(counts, 5, axis=0), np.repeat(np.arange(40), 5)
    low, high = alpha(counts, seed=2).interval
    low5, high5 = alpha(fivefold, seed=2, clusters=clusters).interval
    loose_low, loose_high = alpha(fivefold, seed=2).interval
    assert high5 - low5 == pytest.approx(high - low, abs=0.03)
    assert loose_high - loose_low < 0.6 * (high5 - low5)


def test_clusters_of_another_length_are_refused():
    with pytest.raises(ValueError, match="for 2 units"):
        alpha([[2, 0], [0, 2]], seed=1, clusters=["a"])


def test_one_cluster_leaves_alpha_without_interval_and_says_so():
    got = alpha([[2, 1], [0, 3]], seed=1, clusters=["a", "a"])
    assert got.value is not None
    assert got.interval is None
    assert "fewer than two clusters" in got.reason


def test_pairwise_agreement_by_hand():
    # a a b: 1 of 3 pairs. a a a: 3 of 3. b alone: none. Together 4 of 6.
    got = pairwise_agreement([[2, 1], [3, 0], [0, 1]])
    assert (got.count, got.n, got.rate) == (4, 6, pytest.approx(2 / 3))


def test_pairs_of_one_unit_are_no_evidence_apart_from_each_other():
    # Forty units of four ratings, half unanimous: 6 of 6 pairs agree, or 2 of 6. Forty units do not
    # say as much as 240 pairs.
    counts = np.repeat([[4, 0], [2, 2]], 20, axis=0)
    found = pairwise_agreement(counts)
    assert (found.count, found.n) == (160, 240)
    plain_low, plain_high = wilson(160, 240)
    assert found.interval[0] < plain_low - 0.02
    assert found.interval[1] > plain_high + 0.02
    # Two ratings a unit are a pair a unit.
    pairs = np.repeat([[2, 0], [1, 1]], [30, 10], axis=0)
    assert pairwise_agreement(pairs) == rate(30, 40)
    together = pairwise_agreement(pairs, clusters=np.arange(40) // 2)
    assert together.interval == pytest.approx(wilson(15, 20), abs=0.02)
    with pytest.raises(ValueError, match="clusters of shape"):
        pairwise_agreement(pairs, clusters=[1])


def test_pairwise_agreement_without_a_pair_is_undefined():
    got = pairwise_agreement([[1, 0], [0, 1]])
    assert (got.rate, got.n, got.reason) == (None, 0, "no unit has two ratings")


def test_fleiss_kappa_gives_the_value_of_its_article():
    assert fleiss_kappa(FLEISS).value == pytest.approx(4211 / 20059, abs=1e-15)
    assert fleiss_kappa(FLEISS).n == 10


def test_fleiss_kappa_by_hand():
    # pa = (1 + 1/3) / 2 = 2/3; π = 5/6 1/6, pe = 26/36; (24 - 26) / (36 - 26) = -1/5.
    assert fleiss_kappa([[3, 0], [2, 1]]).value == pytest.approx(-0.2, abs=1e-15)


def test_fleiss_kappa_is_undefined_by_the_same_law():
    assert fleiss_kappa([[3, 0], [3, 0]]).reason == "only one category occurs"
    assert fleiss_kappa([[1, 0], [0, 1]]).reason == "no unit has two ratings"


@pytest.mark.parametrize("seed", range(3))
def test_fleiss_kappa_agrees_with_statsmodels(seed):
    counts = np.random.default_rng(seed).multinomial(5, [0.5, 0.3, 0.2], size=30)
    assert fleiss_kappa(counts).value == pytest.approx(statsmodels_fleiss(counts), abs=1e-12)


def test_alpha_nears_fleiss_kappa_as_units_grow():
    # For m ratings a unit, 1 - alpha = (1 - kappa)(1 - 1/n) with n ratings in all.
    n = 10 * 14
    expected = 1 - (1 - 4211 / 20059) * (1 - 1 / n)
    assert krippendorff_alpha(FLEISS).value == pytest.approx(expected, abs=1e-12)


@pytest.mark.published("krippendorff_alpha")
def test_alpha_gives_published_values(entry, read_lines):
    if "coders_by_units" in entry["inputs"]:
        ratings, levels = by_coder(entry["inputs"]["coders_by_units"]), entry["inputs"]["levels"]
    else:
        rows = read_lines(entry["inputs"]["labels"])
        prefix = (entry["inputs"]["filter"] or "case_id starts with ").split("starts with ")[1]
        ratings = [
            ((row["case_id"], row["statement_id"]), row["annotator"], row["verdict"])
            for row in rows
            if row["case_id"].startswith(prefix)
        ]
        levels = ["nominal"]
        assert alpha_from_ratings(ratings).n == entry["inputs"]["units"]
    for level in levels:
        expected = entry["expected"].get(level, entry["expected"].get("alpha_nominal"))
        got = alpha_from_ratings(ratings, metric=level)
        assert got.value == pytest.approx(expected, abs=entry["tolerance"])


@pytest.mark.published("multi_rater_agreement_with_missing", "multi_rater_distribution")
def test_alpha_and_fleiss_kappa_give_published_values_of_many_raters(entry):
    counts = entry["inputs"].get("subject_by_category_counts")
    if counts is None:
        counts = counts_from_ratings(by_subject(entry["inputs"]["subjects_by_raters"])).counts
    expected, tolerance = entry["expected"], entry["tolerance"]
    assert krippendorff_alpha(counts).value == pytest.approx(
        expected["krippendorff"], abs=tolerance
    )
    if "fleiss" in expected:
        assert fleiss_kappa(counts).value == pytest.approx(expected["fleiss"], abs=tolerance)


@pytest.mark.published("fleiss_kappa", "fleiss_kappa_fixed_and_free_marginal")
def test_fleiss_kappa_gives_published_values(entry):
    counts = entry["inputs"].get("subject_by_category_counts")
    if counts is None:
        counts = counts_from_ratings(by_subject(entry["inputs"]["subjects_by_raters"])).counts
    expected = entry["expected"].get("kappa", entry["expected"].get("fixed"))
    assert fleiss_kappa(counts).value == pytest.approx(expected, abs=entry["tolerance"])


@pytest.mark.published("two_rater_table")
def test_alpha_of_a_published_table_of_two_raters(entry):
    table = np.array(entry["inputs"]["table_rows_rater1_cols_rater2"])
    cells = np.repeat([(i, j) for i in range(3) for j in range(3)], table.ravel(), axis=0)
    counts = counts_from_ratings(by_subject(cells.tolist())).counts
    assert krippendorff_alpha(counts).value == pytest.approx(
        entry["expected"]["krippendorff"], abs=entry["tolerance"]
    )


@pytest.mark.parametrize(
    ("prefix", "units", "expected"),
    [("qags-", 953, 0.48788), ("qags-cnndm-", 714, 0.5135), ("qags-xsum-", 239, 0.3421)],
)
def test_alpha_of_crowd_workers_on_summary_sentences(prefix, units, expected, read_lines):
    ratings = [
        ((row["case_id"], row["statement_id"]), row["annotator"], row["verdict"])
        for row in read_lines("qags/labels.jsonl")
        if row["case_id"].startswith(prefix)
    ]
    got = alpha(counts_from_ratings(ratings).counts, seed=0)
    assert got.n == units
    assert got.value == pytest.approx(expected, abs=5e-5)
    assert got.interval[0] < got.value < got.interval[1]
