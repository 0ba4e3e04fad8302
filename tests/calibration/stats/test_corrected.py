import numpy as np
import pytest

from calibration.stats.corrected import (
    NO_INFORMATION,
    Validation,
    ppi_mean,
    rogan_gladen,
    rogan_gladen_estimated,
)
from calibration.stats.rates import normal_quantile


def test_rogan_gladen_gives_a_published_value():
    # R epiR, epi.prev: 23 of 150 at .96 and .89: (.15333 - .11) / .85, "5.1 cases per 100 cows".
    got = rogan_gladen(23, 150, 0.96, 0.89)
    assert got.value == pytest.approx((23 / 150 - 0.11) / 0.85, abs=1e-12)
    assert got.value == pytest.approx(0.051, abs=5e-4)
    assert (got.n, got.interval) == (150, None)


def test_a_perfect_judge_needs_no_correction():
    assert rogan_gladen(30, 100, 1, 1).value == pytest.approx(0.3)


def test_a_share_that_contradicts_the_errors_is_not_cut():
    assert rogan_gladen(0, 100, 0.9, 0.9).value == pytest.approx(-0.125)


@pytest.mark.parametrize(("se", "sp"), [(0.5, 0.5), (1, 0), (0.7, 0.3), (1 - 1e-15, 0)])
def test_a_judge_that_tells_nothing_apart_cannot_be_corrected(se, sp):
    got = rogan_gladen(3, 10, se, sp)
    assert (got.value, got.n, got.reason) == (None, 10, NO_INFORMATION)


def test_nothing_judged_is_undefined():
    assert rogan_gladen(0, 0, 0.9, 0.9).reason == "no statements were judged"


@pytest.mark.parametrize("bad", [(4, 3, 0.9, 0.9), (-1, 3, 0.9, 0.9), (1, 3, 1.1, 0.9)])
def test_what_is_out_of_range_is_refused(bad):
    with pytest.raises(ValueError, match=" of 3 at "):
        rogan_gladen(*bad)


def test_estimated_errors_widen_the_interval():
    # Cole and others (2023): 680 of 950, 203 of 241, 71 of 89; computed there by the sandwich.
    got = rogan_gladen_estimated(680, 950, Validation(203, 241, 71, 89))
    assert got.value == pytest.approx(0.8023139646771528, abs=1e-12)
    low, high = got.interval
    assert (high - low) / 2 / normal_quantile(0.95) == pytest.approx(0.03951552, abs=1e-6)
    surer = rogan_gladen_estimated(680, 950, Validation(20300, 24100, 7100, 8900))
    assert surer.interval[1] - surer.interval[0] < high - low


@pytest.mark.parametrize("validation", [Validation(0, 0, 5, 9), Validation(5, 9, 0, 0)])
def test_a_side_without_labels_leaves_the_share_undefined(validation):
    got = rogan_gladen_estimated(3, 10, validation)
    assert (got.value, got.reason) == (None, "no labelled statement on one of the two sides")


def test_estimated_errors_follow_the_same_law():
    assert rogan_gladen_estimated(3, 10, Validation(1, 2, 1, 2)).reason == NO_INFORMATION
    with pytest.raises(ValueError, match="more hits"):
        rogan_gladen_estimated(3, 10, Validation(3, 2, 1, 2))


def test_the_prediction_powered_mean_by_hand():
    # Judge's mean on the rest 1/2, mean error on labels (0 + 1) / 2: θ = 1.
    # Variances (1/4)/4 and (1/4)/2: half width 1.96 √(3/16).
    got = ppi_mean([1, 1], [1, 0], [1, 0, 1, 0])
    half = normal_quantile(0.95) * np.sqrt(3 / 16)
    assert (got.value, got.n) == (1.0, 2)
    assert got.interval == pytest.approx((1 - half, 1 + half), abs=1e-12)


@pytest.mark.parametrize("samples", [([], [], [1.0]), ([1.0], [1.0], [])])
def test_the_prediction_powered_mean_of_nothing_is_undefined(samples):
    assert ppi_mean(*samples).reason == "one of the two samples is empty"


def test_labels_and_judgments_come_in_pairs():
    with pytest.raises(ValueError, match="2 labels for 1"):
        ppi_mean([1, 0], [1], [1])
    with pytest.raises(ValueError, match="one value a statement"):
        ppi_mean([[1]], [[1]], [1])


@pytest.mark.published("rogan_gladen_point")
def test_rogan_gladen_gives_published_points(entry):
    inputs, expected = entry["inputs"], entry["expected"]
    if "tested" in inputs:
        rates = inputs["sensitivity"], inputs["specificity"]
        got = rogan_gladen(inputs["positives"], inputs["tested"], *rates)
    else:
        labels, preds = np.array(inputs["test_labels"]), np.array(inputs["test_preds"])
        hits, rest = labels == preds, inputs["unlabeled_preds"]
        rates = float(hits[labels == 1].mean()), float(hits[labels == 0].mean())
        got = rogan_gladen(sum(rest), len(rest), *rates)
    value = expected.get("true_prevalence", expected.get("theta"))
    assert got.value == pytest.approx(value, abs=entry["tolerance"])


@pytest.mark.published("rogan_gladen_with_estimated_se_sp")
def test_rogan_gladen_gives_published_limits(entry):
    inputs, expected, cells = entry["inputs"], entry["expected"], entry["inputs"]["validation"]
    validation = Validation(
        cells["y1_pred1"],
        cells["y1_pred1"] + cells["y1_pred0"],
        cells["y0_pred0"],
        cells["y0_pred0"] + cells["y0_pred1"],
    )
    tested = inputs["main_positive"] + inputs["main_negative"]
    got = rogan_gladen_estimated(inputs["main_positive"], tested, validation)
    assert got.value == pytest.approx(expected["theta"], abs=entry["tolerance"])
    assert got.interval == pytest.approx((expected["lo"], expected["hi"]), abs=entry["tolerance"])


@pytest.mark.published("ppi_mean")
def test_the_prediction_powered_mean_gives_published_limits(entry):
    inputs, expected = entry["inputs"], entry["expected"]
    got = ppi_mean(inputs["Y"], inputs["Yhat"], inputs["Yhat_unlabeled"], 1 - inputs["alpha"])
    assert got.value == pytest.approx(expected["point"], abs=entry["tolerance"])
    assert got.interval == pytest.approx((expected["lo"], expected["hi"]), abs=entry["tolerance"])
