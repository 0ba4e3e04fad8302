import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import cohen_kappa_score, matthews_corrcoef
from statsmodels.stats.inter_rater import cohens_kappa

from calibration.stats.coefficients import ac1, cohen_kappa, gwet_ac1, kappa, matthews, mcc
from calibration.stats.confusion import confusion

CORES = [cohen_kappa, ac1, matthews]
TABLES = arrays(np.int64, (4, 4), elements=st.integers(0, 50))


def test_all_three_by_hand():
    # n = 50, agreed 35, rows 25 25, columns 30 20.
    table = [[20, 5], [10, 15]]
    # kappa: pe = .5·.6 + .5·.4 = .5, (.7 - .5) / (1 - .5) = .4
    assert kappa(table).value == pytest.approx(0.4, abs=1e-15)
    # AC1: π = .55 .45, pe = 2·.55·.45 / (2 - 1) = .495, (.7 - .495) / .505 = 41/101
    assert gwet_ac1(table).value == pytest.approx(41 / 101, abs=1e-15)
    # Matthews: (20·15 - 5·10) / √(25·25·30·20) = 250 / √375000 = 1/√6
    assert mcc(table).value == pytest.approx(6**-0.5, abs=1e-15)
    assert kappa(table).n == gwet_ac1(table).n == mcc(table).n == 50


@pytest.mark.parametrize(
    ("table", "expected", "tolerance"),
    [
        # Feinstein and Cicchetti (1990): the same 85 of 100 agreed, (8500 - 5008) / (10000 - 5008)
        # against (8500 - 7800) / (10000 - 7800); printed 0.70 and 0.32.
        pytest.param([[40, 9], [6, 45]], 3492 / 4992, 1e-15, id="balanced margins"),
        pytest.param([[80, 10], [5, 5]], 7 / 22, 1e-15, id="skewed margins"),
        # SAS PROC FREQ, quoted in statsmodels' tests; four places.
        pytest.param([[0, 4, 1], [0, 8, 0], [0, 1, 5]], 0.4842, 6e-5, id="SAS 3 by 3"),
        # R irrCAC README, cont3x3abstractors.
        pytest.param([[13, 0, 0], [0, 20, 7], [0, 4, 56]], 0.7964094, 6e-8, id="irrCAC"),
        # WiCE: (7700 - 5728) / (10000 - 5728) and (3900 - 3488) / (10000 - 3488).
        pytest.param([[18, 4], [19, 59]], 1972 / 4272, 1e-15, id="WiCE GPT-4, 0.4616"),
        pytest.param([[19, 3], [58, 20]], 412 / 6512, 1e-15, id="WiCE GPT-3.5, 0.0633"),
    ],
)
def test_kappa_gives_published_values(table, expected, tolerance):
    assert kappa(table).value == pytest.approx(expected, abs=tolerance)


def test_ac1_gives_a_published_value():
    # R irrCAC README, cont3x3abstractors.
    table = [[13, 0, 0], [0, 20, 7], [0, 4, 56]]
    assert gwet_ac1(table).value == pytest.approx(0.8493305, abs=6e-8)


def test_ac1_does_not_fall_with_skew_as_kappa_does():
    # The skewed table of Feinstein and Cicchetti: π = .875 .125, pe = 2·.875·.125 = .21875,
    # (.85 - .21875) / .78125 = .808, where kappa is .318.
    assert gwet_ac1([[80, 10], [5, 5]]).value == pytest.approx(0.808, abs=1e-12)


def test_ac1_counts_only_categories_that_occur():
    # Four declared, two used: q is 2, and the value that of the 2 by 2 table.
    declared = np.zeros((4, 4), dtype=int)
    declared[np.ix_([0, 2], [0, 2])] = [[20, 5], [10, 15]]
    assert gwet_ac1(declared).value == gwet_ac1([[20, 5], [10, 15]]).value
    # A category that only one side uses occurs: q is 3 here, π = 1/2 3/8 1/8,
    # pe = (1/4 + 15/64 + 7/64) / 2 = 19/64, (3/4 - 19/64) / (45/64) = 29/45.
    one_sided = [[2, 0, 0], [0, 1, 1], [0, 0, 0]]
    assert gwet_ac1(one_sided).value == pytest.approx(29 / 45, abs=1e-15)


def test_multiclass_matthews_by_hand():
    # n = 6, agreed 3, rows 2 2 2, columns 2 3 1: (6·3 - 12) / √((36 - 12)(36 - 14)) = 6 / √528.
    table = [[2, 0, 0], [0, 1, 1], [0, 2, 0]]
    assert mcc(table).value == pytest.approx(6 / 528**0.5, abs=1e-15)


@pytest.mark.parametrize("statistic", [kappa, gwet_ac1, mcc])
def test_an_empty_table_is_undefined(statistic):
    empty = statistic(np.zeros((3, 3), dtype=int))
    assert (empty.value, empty.n, empty.reason) == (None, 0, "nothing was compared")


@pytest.mark.parametrize(
    ("statistic", "reason"),
    [
        (kappa, "both sides use one and the same category only"),
        (gwet_ac1, "only one category occurs"),
        (mcc, "each side uses one category only"),
    ],
)
def test_both_sides_constant_and_equal_is_undefined(statistic, reason):
    constant = statistic([[10, 0], [0, 0]])
    assert (constant.value, constant.n, constant.reason) == (None, 10, reason)


def test_a_constant_judge_of_mixed_statements():
    table = [[6, 0], [4, 0]]
    # kappa: agreed 6 of 10, and so by chance: 1·.6. Defined, and 0.
    assert kappa(table).value == 0.0
    # AC1: π = .8 .2, pe = .32, (.6 - .32) / .68
    assert gwet_ac1(table).value == pytest.approx(0.28 / 0.68, abs=1e-15)
    assert (mcc(table).value, mcc(table).reason) == (None, "the judge uses one category only")


def test_a_constant_reference_names_its_side():
    assert mcc([[6, 4], [0, 0]]).reason == "the reference uses one category only"


def test_two_constant_sides_that_never_agree():
    table = [[0, 7], [0, 0]]
    # kappa: agreed 0, by chance 0: defined. AC1: π = .5 .5, pe = .5, (0 - .5) / .5 = -1.
    assert kappa(table).value == 0.0
    assert gwet_ac1(table).value == -1.0
    assert mcc(table).value is None


@pytest.mark.parametrize("statistic", [kappa, gwet_ac1, mcc])
@pytest.mark.parametrize("table", [[[1, 2, 3]], [1, 2], [[1, -1], [0, 3]]])
def test_what_is_no_table_of_counts_is_refused(statistic, table):
    with pytest.raises(ValueError, match="square table of counts"):
        statistic(table)


@pytest.mark.parametrize("statistic", [kappa, gwet_ac1, mcc])
def test_perfect_agreement_on_two_categories_is_exactly_one(statistic):
    assert statistic([[7, 0, 0], [0, 3, 0], [0, 0, 0]]).value == 1.0
    assert statistic([[1, 0], [0, 1]]).value == 1.0  # where √2 · √2 would be a little over 2


@pytest.mark.parametrize("core", CORES)
def test_a_stack_of_tables_gives_each_tables_value(core):
    tables = np.random.default_rng(5).integers(0, 9, (6, 2, 3, 3))
    tables[0, 0] = 0
    tables[1, 1] = [[4, 0, 0], [0, 0, 0], [0, 0, 0]]
    stacked = core(tables)
    assert stacked.shape == (6, 2)
    singly = [[float(core(table)) for table in pair] for pair in tables]
    np.testing.assert_array_equal(stacked, singly)
    assert np.isnan(stacked[0, 0])
    assert np.isnan(stacked[1, 1])


@settings(deadline=None)
@given(TABLES, st.permutations(range(4)))
def test_naming_the_categories_otherwise_changes_nothing(table, order):
    renamed = table[np.ix_(order, order)]
    for core in CORES:
        np.testing.assert_allclose(core(renamed), core(table), atol=1e-12)


@settings(deadline=None)
@given(TABLES)
def test_exchanging_the_sides_changes_nothing(table):
    for core in CORES:
        np.testing.assert_allclose(core(table.T), core(table), atol=1e-12)


@settings(deadline=None)
@given(TABLES)
def test_values_are_undefined_or_at_most_one(table):
    for core in CORES:
        value = float(core(table))
        assert np.isnan(value) or -1 - 1e-12 <= value <= 1 + 1e-12


@settings(deadline=None)
@given(TABLES)
def test_a_table_ten_times_over_agrees_as_much(table):
    for core in CORES:
        np.testing.assert_allclose(core(10 * table), core(table), atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_kappa_and_matthews_agree_with_scikit_learn_and_statsmodels(seed):
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 4, 200)
    cols = np.where(rng.random(200) < 0.6, rows, rng.integers(0, 4, 200))
    table = confusion(rows, cols, 4)
    assert kappa(table).value == pytest.approx(cohen_kappa_score(rows, cols), abs=1e-12)
    assert kappa(table).value == pytest.approx(cohens_kappa(table).kappa, abs=1e-12)
    assert mcc(table).value == pytest.approx(matthews_corrcoef(rows, cols), abs=1e-12)


def test_large_counts_stay_exact():
    # n² is near 10^18 here: 900 million of a billion agree, by chance half.
    table = np.array([[450, 50], [50, 450]]) * 10**6
    assert kappa(table).value == pytest.approx(0.8, abs=1e-12)


@pytest.mark.published("cohen_kappa")
def test_kappa_gives_more_published_values(entry):
    inputs = entry["inputs"]
    if "table" in inputs:
        table = inputs["table"]
    else:
        table = confusion(inputs["rater2"], inputs["rater3"], 7)
    expected = entry["expected"].get("kappa", entry["expected"].get("unweighted"))
    assert kappa(table).value == pytest.approx(expected, abs=entry["tolerance"])


@pytest.mark.published("judge_vs_human_accuracy_f1")
def test_kappa_of_a_published_judge(entry):
    cells = entry["inputs"]["confusion"]
    table = [[cells["tp"], cells["fn"]], [cells["fp"], cells["tn"]]]
    assert kappa(table).value == pytest.approx(entry["expected"]["kappa"], abs=1e-12)


@pytest.mark.published("two_rater_table")
def test_a_published_table_of_two_raters(entry):
    table, expected = entry["inputs"]["table_rows_rater1_cols_rater2"], entry["expected"]
    assert kappa(table).value == pytest.approx(expected["cohen"], abs=entry["tolerance"])
    assert gwet_ac1(table).value == pytest.approx(expected["ac1"], abs=entry["tolerance"])
