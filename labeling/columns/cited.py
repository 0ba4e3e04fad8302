"""Evidence in columns: which rows cite anything, and where each of their quotes stands."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, Final, NamedTuple

import numpy as np

from labeling.columns.arrays import Packed
from labeling.columns.numbers import NOTHING, Codes, Flags


class Spans(NamedTuple):
    """An entry a quote: the row that cites it, the code of its passage or source, and where it
    begins and ends there."""

    row: Codes
    place: Codes
    start: Codes
    end: Codes


@dataclass(frozen=True)
class Cited:
    """``rows`` cite something; a row stands once for everybody who does. A quote of which it is
    not known where it stands, which no door lets in, is in no span. ``places`` are passage and
    source of each code."""

    rows: Codes
    spans: Spans
    places: Sequence[tuple[Any, Any]]

    @classmethod
    def of(cls, rows: Codes, evidence: Sequence[Sequence[Mapping[str, Any]]]) -> Cited:
        """From evidence as it is stored, each with its row."""
        each = [one for quotes in evidence for one in quotes]
        row = np.repeat(rows, np.fromiter(map(len, evidence), dtype=np.int64, count=rows.size))
        known = np.array([one.get("start") is not None for one in each], dtype=np.bool_)
        kept = list(compress(each, known.tolist()))
        named = [(one.get("passage_id"), one.get("source_id")) for one in kept]
        places = {name: code for code, name in enumerate(dict.fromkeys(named))}
        code, start, end = (
            np.fromiter(column, dtype=np.int64, count=len(kept))
            for column in (
                map(places.__getitem__, named),
                (one["start"] for one in kept),
                (one["end"] for one in kept),
            )
        )
        return cls(rows, Spans(row[known], code, start, end), list(places))

    @classmethod
    def unpacked(cls, sheet: Packed) -> Cited:
        places = [tuple(json.loads(word)) for word in sheet.words[f"{_PREFIX}place"]]
        spans = Spans(*(sheet.codes(_PREFIX + name) for name in Spans._fields))
        return cls(sheet.codes(f"{_PREFIX}by"), spans, places)

    def columns(self) -> dict[str, Codes]:
        """For `arrays.pack`, beside `words`."""
        named = {_PREFIX + name: column for name, column in self.spans._asdict().items()}
        return {f"{_PREFIX}by": self.rows, **named}

    def words(self) -> dict[str, list[str]]:
        return {f"{_PREFIX}place": [json.dumps(place) for place in self.places]}

    def moved(self, to: Codes, kept: Flags, read: Flags) -> Cited:
        """What stood in row i stands in row ``to[i]``, in none where that is `NOTHING`. Of the
        new rows those that are ``kept``, with the spans of those that are ``read``."""
        rows, row = to[self.rows], to[self.spans.row]
        chosen = _flagged(row, kept & read)
        spans = Spans(row[chosen], *(column[chosen] for column in self.spans[1:]))
        return Cited(rows[_flagged(rows, kept)], spans, self.places)


def joined(one: Cited, other: Cited) -> Cited:
    """What both cite, of the same rows."""
    one, other = alike(one, other)
    columns = zip(one.spans, other.spans, strict=True)
    spans = Spans(*(np.concatenate(sides) for sides in columns))
    return Cited(np.concatenate([one.rows, other.rows]), spans, one.places)


def alike(one: Cited, other: Cited) -> tuple[Cited, Cited]:
    """Both, with one code for the same passage or source."""
    places = {place: code for code, place in enumerate(dict.fromkeys((*one.places, *other.places)))}
    return _coded(one, places), _coded(other, places)


def _coded(cited: Cited, places: Mapping[tuple[Any, Any], int]) -> Cited:
    codes = np.array([places[place] for place in cited.places], dtype=np.int64)
    spans = cited.spans._replace(place=codes[cited.spans.place])
    return Cited(cited.rows, spans, list(places))


def _flagged(rows: Codes, flags: Flags) -> Flags:
    found: Flags = (rows != NOTHING) & flags[rows]
    return found


_PREFIX: Final = "cited."
