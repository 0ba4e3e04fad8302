"""The tags of the cases that a run judged, for `calibration.tags`."""

from __future__ import annotations

from calibration.loading import Loaded
from calibration.tags import Tagged


def of(loaded: Loaded) -> Tagged:
    case, tag, names = loaded.stood.tagged
    return Tagged(loaded.stood.cases[case], tag, tuple(names))
