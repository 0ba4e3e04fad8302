"""What a run's judge and the people behind its references cite, for `calibration.evidence`.

Read when a report is made, and kept with it: labels move on, and a list must go on holding what its
number counted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
from django.db.models import TextField
from django.db.models.functions import Cast

from calibration.evidence import NEITHER, STATES, states
from calibration.loading import Loaded
from calibration.models import EvidenceSheet, Report, Run
from calibration.stats.overlap import Sizes, Spans, sizes
from grounding.interchange.models import Outcome
from labeling import evidence_behind
from labeling.arrays import Packed, pack
from labeling.models import Case, ReferenceSnapshot

_AT_ONCE: Final = 10_000

Texts = Mapping[int, Sequence[str]]
"""By row of the columns: evidence as the JSON text that is stored."""


def of(run: Run, loaded: Loaded, frozen: ReferenceSnapshot) -> Sizes:
    """How much evidence each row has on either side, and shares; three queries at most.

    Only where both sides cite is the evidence read. Elsewhere it is enough that there is some,
    and its size is 1.
    """
    judge, human = _judged(run, loaded), _behind(run, loaded, frozen)
    both = judge.keys() & human.keys()
    n = len(loaded.columns)
    places: dict[Any, int] = {}
    found = sizes(_spans(judge, both, places), _spans(human, both, places), n)
    for size, texts in ((found.judge, judge), (found.human, human)):
        size[list(texts.keys() - both)] = 1
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


def _judged(run: Run, loaded: Loaded) -> dict[int, list[str]]:
    graded = run.judgments.filter(repeat=0, outcome=Outcome.GRADED.value).exclude(evidence=[])
    told = graded.order_by().values_list("pk", Cast("evidence", TextField()))
    found = dict(told.iterator(chunk_size=_AT_ONCE))
    rows = {pk: row for row, pk in enumerate(loaded.judgments)} if found else {}
    return {rows[pk]: [text] for pk, text in found.items()}


def _behind(run: Run, loaded: Loaded, frozen: ReferenceSnapshot) -> dict[int, list[str]]:
    rows = {pk: row for row, pk in enumerate(loaded.statements)}
    references = {
        pk: (one.tier, str(one.verdict))
        for pk, one in zip(loaded.statements, loaded.references, strict=True)
        if one.verdict is not None
    }
    cases = Case.objects.at(run.revision).filter(set=run.set_id).order_by().values("pk")
    cited = evidence_behind.of_cases(cases, frozen.contract_major, references)
    return {rows[pk]: texts for pk, texts in cited.items()}


def _spans(cited: Texts, rows: set[int], places: dict[Any, int]) -> Spans:
    """Where all quotes stand; one of which that is not known, which no door lets in, is none.
    Passages and sources have the same number, in ``places``, whoever cites them."""
    found = [
        (row, places.setdefault(place, len(places)), start, end)
        for row in rows
        for place, start, end in _placed(cited[row])
    ]
    columns = np.array(found, dtype=np.int64).reshape(-1, 4)
    return Spans(*columns.T)


def _placed(texts: Sequence[str]) -> Iterator[tuple[Any, int, int]]:
    for text in texts:
        for one in json.loads(text):
            if one.get("start") is not None:
                yield (one.get("passage_id"), one.get("source_id")), one["start"], one["end"]
