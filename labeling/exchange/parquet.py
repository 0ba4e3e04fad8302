"""A table as a Parquet file. It needs pyarrow, the extra ``parquet``, which is loaded here alone
and only where such a file is written.

What CSV has as JSON text (passages, evidence, premises, tags) is JSON text here as well: one
reading serves both, and whoever wants structs has the bundle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from grounding.errors import Refused
from labeling.wording import cells

NEEDED: Final = "pyarrow"

# Columns of anything but text.
_INTEGERS: Final = ("span_start", "span_end")
_NUMBERS: Final = ("confidence",)
_BOOLEANS: Final = ("answerable", "answerable_from_retrieved")
_MOMENTS: Final = ("labeled_at",)

# A row group ends with whichever is reached first. It is held in memory as a whole, and a row
# may hold a megabyte.
ROWS: Final = 20_000
CHARACTERS: Final = 16_000_000

Row = Mapping[str, Any]


def available() -> bool:
    return find_spec(NEEDED) is not None


def require() -> None:
    """Raises Refused where a Parquet file cannot be written."""
    if not available():
        raise Refused(
            f"a Parquet export needs {NEEDED}, not installed here: it is the extra parquet"
        )


def write(path: Path, columns: Sequence[str], rows: Iterable[Row]) -> int:
    """A new file at ``path``; how many rows there were."""
    require()
    from pyarrow.parquet import ParquetWriter

    schema = _schema(columns)
    count = 0
    with path.open("xb") as file, ParquetWriter(file, schema) as writer:
        for group in _groups([_value(name, row[name]) for name in columns] for row in rows):
            writer.write_batch(_batch(group, schema))
            count += len(group)
    return count


def _schema(columns: Iterable[str]) -> Any:
    import pyarrow as pa

    types = {
        **dict.fromkeys(_INTEGERS, pa.int64()),
        **dict.fromkeys(_NUMBERS, pa.float64()),
        **dict.fromkeys(_BOOLEANS, pa.bool_()),
        **dict.fromkeys(_MOMENTS, pa.timestamp("us", tz="UTC")),
    }
    return pa.schema([(name, types.get(name, pa.string())) for name in columns])


def _value(column: str, value: Any) -> Any:
    if value is None or column in (*_INTEGERS, *_NUMBERS, *_BOOLEANS):
        return value
    return datetime.fromisoformat(value) if column in _MOMENTS else cells.text(value)


def _groups(rows: Iterable[list[Any]]) -> Iterator[list[list[Any]]]:
    group: list[list[Any]] = []
    characters = 0
    for row in rows:
        group.append(row)
        characters += sum(len(value) for value in row if isinstance(value, str))
        if len(group) == ROWS or characters >= CHARACTERS:
            yield group
            group, characters = [], 0
    if group:
        yield group


def _batch(rows: list[list[Any]], schema: Any) -> Any:
    import pyarrow as pa

    columns = zip(schema.types, zip(*rows, strict=True), strict=True)
    return pa.record_batch([pa.array(values, kind) for kind, values in columns], schema=schema)
