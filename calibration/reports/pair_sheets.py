"""What became of a report's pairs, as it froze them: written once in columns, read in parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from calibration.agreement import pairs
from calibration.agreement.columns import NOTHING, Codes
from calibration.agreement.selfcheck import FATES, Words
from calibration.loading import Loaded
from calibration.models import PairSheet, Report
from labeling.columns.arrays import Packed, pack
from labeling.columns.numbers import listed
from labeling.models import Case

_WORDS: Final[Mapping[str, Sequence[str]]] = {"outcome": pairs.OUTCOMES, "twin": FATES}


@dataclass(frozen=True)
class PairOutcome:
    """What became of one pair; ``twin`` is None where its sides are no twins (`selfcheck`)."""

    pair_id: str
    outcome: str
    twin: str | None


def packed(loaded: Loaded, fates: Words) -> bytes:
    """The pairs of ``loaded`` in the set's order, each by the first of its cases."""
    paired = loaded.columns.where(loaded.columns.pair != NOTHING)
    _, first = np.unique(paired.pair, return_index=True)
    codes = {
        "case": paired.case[first],
        "outcome": _codes(pairs.outcome_of_each(paired), pairs.OUTCOMES),
        "twin": _codes(fates, FATES),
    }
    return pack(codes, _WORDS)


def _codes(words: Words, vocabulary: Sequence[str]) -> Codes:
    """Each word's place; `NOTHING` for the empty one."""
    alike, which = np.unique(words, return_inverse=True)
    places = [vocabulary.index(word) if word else NOTHING for word in alike.tolist()]
    return np.array(places, dtype=np.int64)[which]


class Outcomes:
    """The pairs of a report, or those that became one of ``outcomes`` and of ``twins``."""

    def __init__(
        self, report: Report, outcomes: Sequence[str] | None, twins: Sequence[str] | None
    ) -> None:
        kept = PairSheet.objects.filter(report=report).values_list("columns", flat=True)
        self._sheet = Packed(kept.get())
        chosen = np.ones(self._sheet.codes("case").size, dtype=np.bool_)
        for name, words in (("outcome", outcomes), ("twin", twins)):
            if words is not None:
                wanted = [self._sheet.code(name, word) for word in words]
                chosen &= np.isin(self._sheet.codes(name), wanted)
        self._places = np.flatnonzero(chosen)

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, part: slice) -> list[PairOutcome]:
        places = self._places[part].tolist()
        cases = self._sheet.codes("case")[places].tolist() if places else []
        named = Case.objects.filter(listed(cases)).order_by()
        pair_ids = dict(named.values_list("pk", "pair_id"))
        return [
            PairOutcome(
                str(pair_ids[case]),
                str(self._sheet.word("outcome", place)),
                self._sheet.word("twin", place),
            )
            for place, case in zip(places, cases, strict=True)
        ]
