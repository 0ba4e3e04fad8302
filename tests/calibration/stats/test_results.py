import json

import pytest

from calibration.stats.alt_test import alternative_annotator_test
from calibration.stats.confidence import reliability
from calibration.stats.overlap import mean_overlap
from calibration.stats.planning import Cell, needs
from calibration.stats.production import Production, corrected_share
from calibration.stats.results import NO_INTERVAL, Coefficient, PValue, Rate, defined_or, plain


def test_a_rate_writes_exactly_the_keys_of_a_report():
    assert json.loads(json.dumps(Rate(1, 2, 0.5, (0.1, 0.9), None).as_json())) == {
        "count": 1,
        "n": 2,
        "rate": 0.5,
        "interval": [0.1, 0.9],
        "reason": None,
    }


def test_a_coefficient_writes_exactly_the_keys_of_a_report():
    assert Coefficient(0.4, 10, (0.1, 0.7), None).as_json() == {
        "value": 0.4,
        "n": 10,
        "interval": [0.1, 0.7],
        "reason": None,
    }


def test_what_is_undefined_is_written_as_null_with_its_reason():
    assert Rate(0, 0, None, None, "no statements").as_json() == {
        "count": 0,
        "n": 0,
        "rate": None,
        "interval": None,
        "reason": "no statements",
    }
    assert Coefficient(None, 3, None, "one category").as_json() == {
        "value": None,
        "n": 3,
        "interval": None,
        "reason": "one category",
    }


@pytest.mark.parametrize(
    "make",
    [
        lambda: Rate(0, 0, None, None, None),
        lambda: Coefficient(None, 0, None, ""),
        lambda: PValue(None, 0, None),
    ],
)
def test_nothing_is_undefined_without_a_reason(make):
    with pytest.raises(ValueError, match="needs a reason"):
        make()


def test_what_is_undefined_has_no_interval():
    with pytest.raises(ValueError, match="has no interval"):
        Coefficient(None, 0, (0.0, 1.0), "nothing")


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_no_number_is_nan_or_infinite(number):
    with pytest.raises(ValueError, match="finite"):
        Coefficient(number, 1, None, None)
    with pytest.raises(ValueError, match="finite"):
        Rate(1, 1, 1.0, (number, 1.0), None)


def test_nan_becomes_undefined_with_its_reason():
    assert defined_or(float("nan"), 5, "why") == Coefficient(None, 5, None, "why")
    assert defined_or(0.0, 5, "why") == Coefficient(0.0, 5, None, None)


def test_an_interval_is_put_on_a_value_and_never_on_what_is_undefined():
    undefined = Coefficient(None, 0, None, "nothing was compared")
    assert Coefficient(0.5, 9, None, None).with_interval((0.2, 0.8)).interval == (0.2, 0.8)
    assert undefined.with_interval((0.2, 0.8)) == undefined


def test_a_value_whose_interval_is_missing_says_so():
    assert Coefficient(0.5, 9, None, None).with_interval(None) == Coefficient(
        0.5, 9, None, NO_INTERVAL
    )


def test_a_test_writes_exactly_the_keys_of_a_report():
    assert PValue(0.04, 12, None).as_json() == {"p": 0.04, "n": 12, "reason": None}
    assert PValue(None, 0, "why").as_json() == {"p": None, "n": 0, "reason": "why"}


def test_records_of_figures_are_written_by_the_names_of_their_fields():
    found = plain(reliability([0.5, 0.9], [1, 1], [1, 2], seed=1, replicates=10))
    assert found["bins"][0]["right"]["n"] == 1
    assert set(found["brier"]) == {"value", "n", "interval", "reason"}
    assert found["without"] == 0


@pytest.mark.parametrize(
    "record",
    [
        lambda: reliability([], [], [], seed=1),
        lambda: mean_overlap([], [], [], seed=1),
        lambda: corrected_share(Production(3, 9), [1, 0, 1], [1, 0, 0], range(3)),
        lambda: alternative_annotator_test([[0, 1]] * 40, [0, 1] * 20, epsilon=0.1),
        lambda: needs({"cell": Cell(3, 0.5)}, 0.1),
    ],
)
def test_every_record_of_figures_goes_into_json_as_it_is(record):
    written = json.dumps(plain(record()), allow_nan=False)
    assert json.loads(written) == plain(record())


def test_what_is_no_figure_is_refused():
    with pytest.raises(TypeError, match="object is no figure"):
        plain([object()])
