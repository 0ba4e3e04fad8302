"""The tags of the cases that a run judged, for `calibration.agreement.tags`."""

from __future__ import annotations

from calibration.agreement.tags import Tagged
from calibration.loading import Loaded


def of(loaded: Loaded) -> Tagged:
    case, tag, names = loaded.stood.tagged
    return Tagged(loaded.stood.cases[case], tag, tuple(names))
