"""What labels cite, in columns.

A label never changes, so where its quotes stand is read out of its evidence once, for all labels
of a set at a time, and kept in a sheet (`LabelSheet`). A label that came since, or that the sheet
misses for whatever reason, is read by itself; so a sheet may be old, or deleted at any time.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from labeling.columns.arrays import Packed, pack
from labeling.columns.cited import Cited, Spans, joined
from labeling.columns.numbers import NOTHING, Codes, documents, found_in, listed
from labeling.models import CalibrationSet, Label, LabelQuerySet, LabelSheet

FORMAT: Final = 1
"""Raised whenever a sheet is to hold something else; those of another format are not read."""


def keep(calibration_set: CalibrationSet) -> None:
    """Make the sheet of a set's labels anew."""
    cited = _read(Label.objects.filter(annotator__set=calibration_set).exclude(evidence=[]))
    columns = pack(cited.columns(), cited.words())
    LabelSheet.objects.update_or_create(
        set=calibration_set, format=FORMAT, defaults={"columns": columns}
    )


def of(calibration_set: CalibrationSet, labels: Codes) -> Cited:
    """What these labels cite, primary keys of some that cite anything; each is the row of its
    own. Two queries, or one where all of them are in the sheet."""
    sheets = LabelSheet.objects.filter(set=calibration_set, format=FORMAT)
    packed = sheets.values_list("columns", flat=True).first()
    if packed is None:
        return _read(Label.objects.filter(listed(labels.tolist())))
    kept = Cited.unpacked(Packed(packed))
    found, since = _among(kept, labels), labels[found_in(kept.rows, labels) == NOTHING]
    if not since.size:
        return found
    return joined(found, _read(Label.objects.filter(listed(since.tolist()))))


def _read(labels: LabelQuerySet) -> Cited:
    pks, evidence = documents(labels, "pk", "evidence")
    return Cited.of(np.array(pks, dtype=np.int64), evidence)


def _among(kept: Cited, labels: Codes) -> Cited:
    chosen = found_in(labels, kept.spans.row) != NOTHING
    spans = Spans(*(column[chosen] for column in kept.spans))
    return Cited(kept.rows[found_in(labels, kept.rows) != NOTHING], spans, kept.places)
