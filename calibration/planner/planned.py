"""The statements that a plan listed, sealed, so that a queue is opened over exactly these.

A plan moves with every label, and a form is filled in for minutes. So the list goes along with
the form. It is signed: only what a plan chose, which knows of no judge, is asked as unselected.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from django.core import signing

from calibration.planner import Asked
from grounding.errors import BadInput
from labeling.models import CalibrationSet
from labeling.queues.selections import Kind, Selection

_SALT: Final = "assize.plan"


def seal(calibration_set: CalibrationSet, statements: Iterable[int], terms: Asked) -> str:
    kept = {
        "set": calibration_set.pk,
        "statements": list(statements),
        "value": f"± {100 * terms.margin:g} points, seed {terms.seed}",
    }
    return signing.dumps(kept, salt=_SALT, compress=True)


def opened(calibration_set: CalibrationSet, sealed: str) -> Selection:
    """What `seal` sealed for this set; BadInput for all else."""
    try:
        kept = signing.loads(sealed, salt=_SALT)
    except signing.BadSignature:
        kept = {}
    if kept.get("set") != calibration_set.pk:
        raise BadInput("is no list that a plan of this set made: open it again", field="planned")
    return Selection(Kind.PLANNED, value=kept["value"], statements=kept["statements"])
