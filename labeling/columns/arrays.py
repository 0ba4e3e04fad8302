"""Columns of numbers kept in one field: what is written once and read whole.

The bytes are NumPy's own ``.npz`` with nothing pickled, each column in the smallest whole numbers
that hold it. The words that codes stand for are kept with them, so a vocabulary that grows or is
sorted otherwise changes nothing of what was kept.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from labeling.columns.numbers import NOTHING, Codes

_WORDS: Final = "words."
_SMALLEST: Final = (np.int8, np.int16, np.int32, np.int64)


def pack(
    columns: Mapping[str, Codes | NDArray[np.float64]],
    words: Mapping[str, Iterable[str]] | None = None,
) -> bytes:
    """``words`` are those of the columns that hold codes, in the order of their codes."""
    kept: dict[str, NDArray[np.generic]] = {
        name: _narrow(np.asarray(column)) for name, column in columns.items()
    }
    for name, vocabulary in (words or {}).items():
        kept[_WORDS + name] = np.array([str(word) for word in vocabulary], dtype=np.str_)
    file = io.BytesIO()
    # As `numpy.savez_compressed` writes it, which would take three times as long over it.
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, column in kept.items():
            with archive.open(f"{name}.npy", "w") as member:
                np.lib.format.write_array(member, column, allow_pickle=False)
    return file.getvalue()


class Packed:
    """What `pack` wrote; only the columns that are asked for are read."""

    def __init__(self, packed: bytes | memoryview) -> None:
        self._file = np.load(io.BytesIO(packed), allow_pickle=False)

    def codes(self, name: str) -> Codes:
        """The column, `NOTHING` where nothing is stated."""
        if name not in self._read:
            self._read[name] = self._file[name].astype(np.int64)
        return self._read[name]

    def floats(self, name: str) -> NDArray[np.float64]:
        """A column of other numbers, nan where nothing is stated."""
        column: NDArray[np.float64] = self._file[name].astype(np.float64)
        return column

    @cached_property
    def words(self) -> Mapping[str, Sequence[str]]:
        return {
            name.removeprefix(_WORDS): self._file[name].tolist()
            for name in self._file.files
            if name.startswith(_WORDS)
        }

    def code(self, name: str, word: str) -> int:
        return self.words[name].index(word)

    def word(self, name: str, place: int) -> str | None:
        code = int(self.codes(name)[place])
        return None if code == NOTHING else self.words[name][code]

    @cached_property
    def _read(self) -> dict[str, Codes]:
        return {}


def _narrow(column: NDArray[np.generic]) -> NDArray[np.generic]:
    if column.dtype.kind == "f":
        return column
    low, high = int(column.min(initial=0)), int(column.max(initial=0))
    for kind in _SMALLEST:
        if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max:
            return column.astype(kind)
    raise ValueError(f"no whole number of 64 bits holds {low} and {high}")
