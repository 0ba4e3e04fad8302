"""The tags of the cases that a run judged, for `calibration.tags`."""

from __future__ import annotations

import json

import numpy as np
from django.db.models import TextField
from django.db.models.functions import Cast

from calibration.models import Run
from calibration.tags import Tagged
from labeling.models import Case
from labeling.numbers import documents


def of(run: Run) -> Tagged:
    """One query. Cases have few different lists of tags, so each list is read once."""
    cases = Case.objects.at(run.revision).filter(set=run.set_id).exclude(tags=[])
    rows = zip(*documents(cases, "pk", Cast("tags", TextField())), strict=True)
    names: dict[str, int] = {}
    lists: dict[str, list[int]] = {}
    held: list[int] = []
    tags: list[int] = []
    for pk, told in rows:
        if told not in lists:
            lists[told] = [
                names.setdefault(tag, len(names)) for tag in dict.fromkeys(json.loads(told))
            ]
        codes = lists[told]
        held += [pk] * len(codes)
        tags += codes
    case, tag = (np.array(codes, dtype=np.int64) for codes in (held, tags))
    return Tagged(case, tag, tuple(names))
