"""What a run's judge and the people behind its references cite, for `calibration.evidence`.

Read when a report is made, and kept with it: labels move on, and a list must go on holding what its
number counted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from django.db.models import TextField
from django.db.models.functions import Cast

from calibration.columns import NOTHING, Codes, Flags
from calibration.evidence import NEITHER, STATES, states
from calibration.loading import Loaded
from calibration.models import EvidenceSheet, Report, Run
from calibration.stats.overlap import Sizes, Spans, sizes
from grounding.interchange.models import Outcome
from labeling import evidence_behind
from labeling.arrays import Packed, pack
from labeling.models import Label, ReferenceSnapshot
from labeling.numbers import documents, places_of
from labeling.references import TIERS

_AT_ONCE: Final = 5_000


class _Cited(NamedTuple):
    """Evidence as the JSON text that is stored, each with its row of the columns; a row may have
    several."""

    rows: Codes
    texts: list[str]


def of(run: Run, loaded: Loaded, frozen: ReferenceSnapshot) -> Sizes:
    """How much evidence each row has on either side, and shares; three queries at most.

    Only where both sides cite is the evidence read. Elsewhere it is enough that there is some,
    and its size is 1.
    """
    n, sides = len(loaded.columns), (_judged(run, loaded), _behind(run, loaded, frozen))
    judge, human = (np.bincount(side.rows, minlength=n) > 0 for side in sides)
    places: dict[Any, int] = {}
    cited, behind = (_spans(side, judge & human, places) for side in sides)
    found = sizes(cited, behind, n)
    found.judge[judge & ~human] = found.human[human & ~judge] = 1
    return found


def packed(loaded: Loaded, found: Sizes) -> bytes:
    """What a report keeps of each compared statement for which somebody cites evidence."""
    met = states(found)
    rows = np.flatnonzero(loaded.columns.compared & (met != STATES.index(NEITHER)))
    judgments = np.array(loaded.judgments, dtype=np.int64)[rows]
    return pack({"judgment": judgments, "state": met[rows]}, {"state": STATES})


def states_of(report: Report) -> dict[int, str]:
    """The state of each statement for which somebody cites evidence, by its judgment's primary
    key; nothing for a report that was made before evidence was measured."""
    kept = EvidenceSheet.objects.filter(report=report).values_list("columns", flat=True).first()
    if kept is None:
        return {}
    sheet = Packed(kept)
    words = map(sheet.words["state"].__getitem__, sheet.codes("state").tolist())
    return dict(zip(sheet.codes("judgment").tolist(), words, strict=True))


def _judged(run: Run, loaded: Loaded) -> _Cited:
    graded = run.judgments.filter(repeat=0, outcome=Outcome.GRADED.value).exclude(evidence=[])
    pks, told = documents(graded, "pk", Cast("evidence", TextField()))
    return _Cited(places_of(_array(loaded.judgments), _array(pks)), told)


def _behind(run: Run, loaded: Loaded, frozen: ReferenceSnapshot) -> _Cited:
    """Of the people behind the references."""
    columns, statements = loaded.columns, _array(loaded.statements)
    held = columns.reference_verdict != NOTHING
    tiers = [TIERS.index(one.tier) if one.verdict else NOTHING for one in loaded.answers]
    of, told = evidence_behind.of_references(
        Label.objects.filter(annotator__set=run.set_id),
        frozen.contract_major,
        statements[held],
        _array(tiers)[loaded.which[held]],
        columns.reference_verdict[held],
    )
    return _Cited(places_of(statements, of), told)


def _spans(cited: _Cited, wanted: Flags, places: dict[Any, int]) -> Spans:
    """Where all quotes stand; one of which that is not known, which no door lets in, is none.
    Passages and sources have the same number, in ``places``, whoever cites them."""
    found = [
        (row, places.setdefault(_place(one), len(places)), one["start"], one["end"])
        for row, evidence in _read(cited, np.flatnonzero(wanted[cited.rows]))
        for one in evidence
        if one.get("start") is not None
    ]
    return Spans(*_array(found).reshape(-1, 4).T)


def _read(cited: _Cited, chosen: Codes) -> Iterator[tuple[int, Sequence[Mapping[str, Any]]]]:
    """Many texts as one, which is quicker, and not all at once."""
    for start in range(0, chosen.size, _AT_ONCE):
        part = chosen[start : start + _AT_ONCE]
        told = json.loads(f"[{','.join(map(cited.texts.__getitem__, part.tolist()))}]")
        yield from zip(cited.rows[part].tolist(), told, strict=True)


def _place(one: Mapping[str, Any]) -> tuple[Any, Any]:
    return one.get("passage_id"), one.get("source_id")


def _array(numbers: Sequence[Any]) -> Codes:
    return np.array(numbers, dtype=np.int64)
