"""What a run's judge and the people behind its references cite, for `agreement.evidence`.

Read when a report is made, and kept with it: labels move on, and a list must go on holding what its
number counted.
"""

from __future__ import annotations

import numpy as np

from calibration.agreement.columns import NOTHING, Flags
from calibration.agreement.evidence import NEITHER, STATES, states
from calibration.loading import Loaded
from calibration.models import EvidenceSheet, Report
from calibration.stats.overlap import Sizes, Spans, sizes
from labeling.columns.arrays import Packed, pack
from labeling.columns.cited import Cited, alike
from labeling.references import TIERS, evidence_behind
from labeling.references.said import Told


def of(loaded: Loaded, told: Told) -> Sizes:
    """How much evidence each row has on either side, and shares; two queries at most.

    Only where both sides cite is the evidence read. Elsewhere it is enough that there is some,
    and its size is 1.
    """
    n, cited = len(loaded.columns), loaded.judged.cited
    judge = _any(cited, n)
    behind = _behind(loaded, told, judge)
    human = _any(behind, n)
    found = _sizes(cited, behind, judge & human)
    found.judge[judge & ~human] = found.human[human & ~judge] = 1
    return found


def packed(loaded: Loaded, found: Sizes) -> bytes:
    """What a report keeps of each compared statement for which somebody cites evidence."""
    met = states(found)
    rows = np.flatnonzero(loaded.columns.compared & (met != STATES.index(NEITHER)))
    return pack({"judgment": loaded.judgments[rows], "state": met[rows]}, {"state": STATES})


def states_of(report: Report) -> dict[int, str]:
    """The state of each statement for which somebody cites evidence, by its judgment's primary
    key; nothing for a report that was made before evidence was measured."""
    kept = EvidenceSheet.objects.filter(report=report).values_list("columns", flat=True).first()
    if kept is None:
        return {}
    sheet = Packed(kept)
    words = map(sheet.words["state"].__getitem__, sheet.codes("state").tolist())
    return dict(zip(sheet.codes("judgment").tolist(), words, strict=True))


def _any(cited: Cited, rows: int) -> Flags:
    flags: Flags = np.bincount(cited.rows, minlength=rows) > 0
    return flags


def _behind(loaded: Loaded, told: Told, read: Flags) -> Cited:
    """Of the people behind the references."""
    tiers = [TIERS.index(one.tier) if one.verdict else NOTHING for one in loaded.answers]
    return evidence_behind.of_references(
        told,
        loaded.judged.rows.place,
        np.array(tiers, dtype=np.int64)[loaded.which],
        loaded.columns.reference_verdict,
        read,
    )


def _sizes(cited: Cited, behind: Cited, both: Flags) -> Sizes:
    every = np.arange(both.size)
    judge, human = (one.moved(every, both, both).spans for one in alike(cited, behind))
    return sizes(Spans(*judge), Spans(*human), both.size)
