from __future__ import annotations

import numpy as np
import pytest

from labeling.queues.times import Spread, spread


def test_quartiles_are_those_of_numpy_over_what_was_measured() -> None:
    seconds = [4.0, 9.5, 1.25, 30.0, 7.0, 12.0]
    found = spread([*seconds, None])
    assert (found.labels, found.measured) == (7, 6)
    expected = np.quantile(seconds, [0.25, 0.5, 0.75])
    assert [found.lower, found.median, found.upper] == pytest.approx(list(expected))


def test_of_one_all_are_that_one_and_of_none_nothing() -> None:
    assert spread([3.0]) == Spread(1, 1, 3.0, 3.0, 3.0)
    assert spread([None, None]) == Spread(2, 0, None, None, None)
