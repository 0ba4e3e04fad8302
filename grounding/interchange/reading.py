"""JSON Lines to records, one at a time, in bounded memory.

One line is decoded once (`strictjson`) and validated once (`validation`).
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import BinaryIO, Final, TypeVar

from grounding.errors import BadInput
from grounding.interchange import strictjson
from grounding.interchange.fields import MAX_LINE
from grounding.interchange.models import Record
from grounding.interchange.validation import validated
from grounding.interchange.writing import dump_line

R = TypeVar("R", bound=Record)

_FOREIGN: Final = (
    (b"\x1f\x8b", "is packed with gzip; unpack it first"),
    (b"PK\x03\x04", "is a zip where a JSON Lines file is expected"),
    (codecs.BOM_UTF16_LE, "is UTF-16 or UTF-32; save it as UTF-8"),
    (codecs.BOM_UTF16_BE, "is UTF-16; save it as UTF-8"),
    (codecs.BOM_UTF32_BE, "is UTF-32; save it as UTF-8"),
)
# Keys that were left out are written as null, which lengthens a line several
# times at worst; shorter lines than this cannot grow past the limit.
_MAY_OUTGROW: Final = MAX_LINE // 8


def read_records(stream: BinaryIO, model: type[R], *, source: str) -> Iterator[tuple[int, R]]:
    """Each record of a JSON Lines stream with its line number, which counts from 1.

    Blank lines are skipped and counted. Raises BadInput with ``source``, line and
    field for the first line that is not one record of the format; a line longer
    than 16 MiB is refused without reading the rest of it.
    """
    for number, line in _lines(stream, source):
        try:
            record = validated(model, strictjson.decode(decoded(line)))
            if len(line) > _MAY_OUTGROW:
                dump_line(record)
        except BadInput as error:
            raise error.at(source=source, line=number) from None
        yield number, record


def decoded(line: bytes) -> str:
    """``line`` as text; BadInput where it is not UTF-8."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(
            f"is not UTF-8: byte 0x{line[error.start]:02X} at byte {error.start + 1}"
        ) from None


def _lines(stream: BinaryIO, source: str) -> Iterator[tuple[int, bytes]]:
    number = 0
    while line := stream.readline(MAX_LINE + 2):
        number += 1
        if number == 1:
            line = _first(line, source)
        if len(line.rstrip(b"\r\n")) > MAX_LINE:
            raise BadInput(f"is longer than {MAX_LINE} bytes", source=source, line=number)
        if line.strip(b" \t\r\n"):
            yield number, line


def _first(line: bytes, source: str) -> bytes:
    """The first line without its byte order mark; BadInput for another kind of file."""
    for magic, message in _FOREIGN:
        if line.startswith(magic):
            raise BadInput(message, source=source, line=1)
    if b"\x00" in line[:4]:
        raise BadInput("is UTF-16 or UTF-32; save it as UTF-8", source=source, line=1)
    return line.removeprefix(codecs.BOM_UTF8)
