import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.stats.planning import Cell, half_width, labels_for, needs
from calibration.stats.rates import wilson


def test_the_half_width_by_hand():
    # 5 of 10: Wilson's limits are .236593 and .763407.
    assert half_width(0.5, 10) == pytest.approx(0.263407, abs=1e-6)
    # 0 of 20: 0 to .161125.
    assert half_width(0.0, 20) == pytest.approx(0.161125 / 2, abs=1e-6)


def test_the_labels_for_a_margin_by_hand():
    # At a share of 1/2 the half-width is z / (2 √(n + z²)): n = z² (1/(4 m²) - 1), for ± .05
    # 3.841459 · 99 = 380.3; the usual ± z √(pq/n) would ask for 385.
    assert labels_for(0.5, 0.05) == 381
    # At 0 it is z² / 2(n + z²): n = z² (1/(2m) - 1) = 3.841459 · 9 = 34.6.
    assert labels_for(0.0, 0.05) == labels_for(1.0, 0.05) == 35


@settings(deadline=None)
@given(st.floats(0, 1), st.floats(0.005, 0.4), st.sampled_from([0.8, 0.95, 0.99]))
def test_that_many_labels_are_enough_and_one_less_is_not(share, margin, level):
    n = labels_for(share, margin, level=level)
    assert half_width(share, n, level) <= margin + 1e-9
    assert n == 1 or half_width(share, n - 1, level) > margin - 1e-9


@settings(deadline=None)
@given(st.floats(0, 1), st.floats(0.1, 5000), st.floats(0.1, 100))
def test_the_half_width_falls_with_every_label(share, n, more):
    assert half_width(share, n + more) < half_width(share, n)


def test_a_design_effect_asks_for_as_many_times_the_labels():
    assert labels_for(0.5, 0.05, design_effect=1.8) == 685  # 380.3 · 1.8 = 684.55
    with pytest.raises(ValueError, match="1 or more"):
        labels_for(0.5, 0.05, design_effect=0.9)


def test_each_cell_has_its_need():
    found = needs(
        {
            "new": Cell(0),
            "begun": Cell(100, 0.9),
            "paired": Cell(100, 0.9, design_effect=2.0),
            "done": Cell(500, 0.5),
        },
        0.05,
    )
    assert list(found) == ["new", "begun", "paired", "done"]
    assert found["new"] == (None, 381, 381)
    low, high = wilson(90, 100)
    needed = labels_for(0.9, 0.05)
    assert found["begun"] == (pytest.approx((high - low) / 2), needed, needed - 100)
    low, high = wilson(45, 50)
    assert found["paired"].now == pytest.approx((high - low) / 2)
    assert found["paired"].needed == labels_for(0.9, 0.05, design_effect=2.0)
    assert found["done"].more == 0
    assert found["done"].now < 0.05


@pytest.mark.parametrize(("share", "margin"), [(0.5, 0), (0.5, 0.5), (1.1, 0.1), (-0.1, 0.1)])
def test_what_is_out_of_range_is_refused(share, margin):
    with pytest.raises(ValueError, match="±"):
        labels_for(share, margin)


def test_labels_below_0_and_half_widths_of_nothing_are_refused():
    with pytest.raises(ValueError, match="-1 labels"):
        needs({"cell": Cell(-1)}, 0.05)
    with pytest.raises(ValueError, match="n > 0"):
        half_width(0.5, 0)
    with pytest.raises(ValueError, match="between 0 and 1"):
        half_width(1.5, 10)
