"""Records to canonical JSON Lines: every key, in the order of the model, `\\n` ends."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import BinaryIO

from grounding.errors import BadInput
from grounding.interchange.fields import MAX_LINE
from grounding.interchange.models import Record


def dump_line(record: Record) -> str:
    """One record as one line of JSON that ends in ``\\n``; nothing but what JSON itself
    requires is escaped. BadInput where no reader of the format would take the line."""
    line = record.model_dump_json(ensure_ascii=False)
    # A code point takes at most four bytes, so most lines need no counting.
    if len(line) * 4 > MAX_LINE and len(line.encode()) > MAX_LINE:
        raise BadInput(f"written out with every key this is longer than {MAX_LINE} bytes")
    return line + "\n"


def write_records(stream: BinaryIO, records: Iterable[Record]) -> tuple[int, str]:
    """Write ``records`` in their order; how many there were, and the hex SHA-256 of the bytes."""
    count, digest = 0, hashlib.sha256()
    for record in records:
        line = dump_line(record).encode()
        digest.update(line)
        stream.write(line)
        count += 1
    return count, digest.hexdigest()
