"""References in columns: few different answers, and which of them each statement has."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from labeling.columns.arrays import Packed, pack
from labeling.columns.numbers import NOTHING, Codes


@dataclass(frozen=True)
class Frozen:
    """``statements`` are primary keys, ascending, ``places`` those of their answers.

    An answer is tier, class and verdict, followed by claim type, speech act and the verdicts of
    what was split off as far as labels state them.
    """

    statements: Codes
    places: Codes
    answers: Sequence[Sequence[Any]]

    @classmethod
    def of(cls, rows: Mapping[str, Sequence[Any]]) -> Frozen:
        """``rows`` are answers by the statement's primary key as text."""
        each = {int(pk): json.dumps(row) for pk, row in rows.items()}
        known = {told: place for place, told in enumerate(dict.fromkeys(each.values()))}
        statements = sorted(each)
        return cls(
            np.array(statements, dtype=np.int64),
            np.array([known[each[pk]] for pk in statements], dtype=np.int64),
            [json.loads(told) for told in known],
        )

    @classmethod
    def unpacked(cls, packed: bytes | memoryview, answers: Sequence[Sequence[Any]]) -> Frozen:
        columns = Packed(packed)
        return cls(columns.codes("statement"), columns.codes("answer"), answers)

    def packed(self) -> bytes:
        """All but the answers."""
        return pack({"statement": self.statements, "answer": self.places})

    def rows(self) -> dict[str, Sequence[Any]]:
        """Answers by the statement's primary key as text."""
        names = map(str, self.statements.tolist())
        return dict(zip(names, map(self.answers.__getitem__, self.places.tolist()), strict=True))

    def of_statements(self, statements: Codes) -> Codes:
        """The place in ``answers`` for each, `NOTHING` for one without a reference."""
        if not self.statements.size:
            return np.full(statements.shape, NOTHING, dtype=np.int64)
        at = np.searchsorted(self.statements, statements).clip(max=self.statements.size - 1)
        return np.where(self.statements[at] == statements, self.places[at], NOTHING)
