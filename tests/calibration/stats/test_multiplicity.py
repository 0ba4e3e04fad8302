import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from calibration.stats.multiplicity import benjamini_yekutieli, holm

P_VALUES = st.lists(st.integers(0, 1000).map(lambda thousandths: thousandths / 1000), max_size=12)


def test_holm_by_hand():
    # .01·3, .03·2, then .04·1, which may not fall below .06.
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.6, 0.7]) == pytest.approx([1.0, 1.0])
    assert holm([]).size == 0


@pytest.mark.parametrize("p", [[0.5, -0.1], [1.1], [float("nan")], [[0.5]]])
@pytest.mark.parametrize("adjusted", [holm, benjamini_yekutieli])
def test_what_is_no_list_of_p_values_is_refused(p, adjusted):
    with pytest.raises(ValueError, match="between 0 and 1"):
        adjusted(p)


@settings(deadline=None)
@given(P_VALUES)
def test_holm_raises_p_values_and_keeps_their_order(p):
    adjusted = holm(p)
    assert ((adjusted >= p) & (adjusted <= 1)).all()
    assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= 0).all()


@pytest.mark.parametrize("m", [1, 2, 5, 12])
def test_holm_agrees_with_statsmodels(m):
    p = np.random.default_rng(m).random(m) ** 3
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1], abs=1e-12)


@pytest.mark.published("p_adjust")
def test_holm_gives_published_values(entry):
    p = entry["inputs"]["p_sorted"]
    expected = [entry["expected"][f"holm_{place}"] for place in range(len(p))]
    assert holm(p) == pytest.approx(expected, abs=entry["tolerance"])
    assert holm(p[::-1]) == pytest.approx(expected[::-1], abs=entry["tolerance"])


def test_benjamini_yekutieli_by_hand():
    # 1 + 1/2 + 1/3 = 11/6; .01·3·11/6 = .055, .03·3/2·11/6 = .0825, .04·11/6 = .0733, which .0825
    # may not exceed.
    found = benjamini_yekutieli([0.01, 0.04, 0.03])
    assert found == pytest.approx([0.055, 0.22 / 3, 0.22 / 3])
    assert benjamini_yekutieli([0.6, 0.7]) == pytest.approx([1.0, 1.0])
    assert benjamini_yekutieli([]).size == 0


@pytest.mark.parametrize("m", [1, 2, 5, 12])
def test_benjamini_yekutieli_agrees_with_statsmodels(m):
    p = np.random.default_rng(m).random(m) ** 3
    expected = multipletests(p, method="fdr_by")[1]
    assert benjamini_yekutieli(p) == pytest.approx(expected, abs=1e-12)


@pytest.mark.published("p_adjust")
def test_benjamini_yekutieli_gives_published_values(entry):
    p = entry["inputs"]["p_sorted"]
    expected = [entry["expected"][f"by_{place}"] for place in range(len(p))]
    assert benjamini_yekutieli(p) == pytest.approx(expected, abs=entry["tolerance"])
    assert benjamini_yekutieli(p[::-1]) == pytest.approx(expected[::-1], abs=entry["tolerance"])
