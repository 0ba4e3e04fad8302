"""A bundle: the files of one set, in a zip or a folder; or its cases alone, in one file."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, BinaryIO, Final, Literal, Self, TypeVar, cast, overload

from grounding.errors import BadInput
from grounding.interchange import strictjson
from grounding.interchange.containers import Container, SingleFile, open_container, reading
from grounding.interchange.fields import MAX_LINE
from grounding.interchange.models import (
    FORMAT_VERSION,
    Attempt,
    Case,
    FileEntry,
    Judgment,
    Label,
    Manifest,
    Record,
    Source,
)
from grounding.interchange.reading import decoded, read_records
from grounding.interchange.validation import validated

R = TypeVar("R")

Part = Literal["cases", "sources", "labels", "judgments", "attempts"]

Watch = Callable[[Part, int, int], None]
"""Told, while a part is read: which, how many of its records are done, how many it has."""

# In the order in which they are written.
PARTS: Final[Mapping[Part, type[Record]]] = MappingProxyType(
    {"cases": Case, "sources": Source, "labels": Label, "judgments": Judgment, "attempts": Attempt}
)
MANIFEST: Final = "manifest.json"
README: Final = "README.md"
RUBRIC: Final = re.compile(
    r"rubrics/[A-Za-z0-9._:-]{1,128}@[0-9]+\.[0-9]+\.[0-9]+[A-Za-z0-9.+-]{0,64}\.json"
)
_FILES: Final = frozenset({MANIFEST, README, *(f"{part}.jsonl" for part in PARTS)})
_MAX_WARNINGS: Final = 20
_TOLD_EVERY: Final = 200


def open_bundle(path: str | Path) -> Bundle:
    """The bundle at ``path``: a zip, a folder, or a cases file of any name.

    Raises BadInput where ``cases.jsonl`` is missing, or a manifest that is there
    does not match. Use it as a context manager, or close it.
    """
    path = Path(path)
    container = open_container(path, single="cases.jsonl")
    try:
        return Bundle(container, path.name)
    except BaseException:
        container.close()
        raise


class Bundle:
    """Streams of records; nothing but the manifest is held in memory."""

    manifest: Manifest | None
    """Checked against every file that it lists; None where there is none."""
    warnings: list[str]
    """What was passed over, one line each."""
    watch: Watch | None
    """Told how far the reading of each part is."""

    def __init__(self, container: Container, name: str) -> None:
        self.name = name
        self.watch = None
        self._container = container
        with reading(name):
            self._names = frozenset(container.names())
        self._require_cases()
        self.warnings = _passed_over(self._names)
        self.manifest = self._read_manifest()
        if self.manifest:
            self._require_match(self.manifest)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self._container.close()

    def has(self, part: Part) -> bool:
        """Whether the bundle holds a file for ``part``."""
        return f"{part}.jsonl" in self._names

    def source(self, part: Part) -> str:
        """The file name that errors in ``part`` carry."""
        return self.name if isinstance(self._container, SingleFile) else f"{part}.jsonl"

    @overload
    def records(self, part: Literal["cases"]) -> Iterator[tuple[int, Case]]: ...
    @overload
    def records(self, part: Literal["sources"]) -> Iterator[tuple[int, Source]]: ...
    @overload
    def records(self, part: Literal["labels"]) -> Iterator[tuple[int, Label]]: ...
    @overload
    def records(self, part: Literal["judgments"]) -> Iterator[tuple[int, Judgment]]: ...
    @overload
    def records(self, part: Literal["attempts"]) -> Iterator[tuple[int, Attempt]]: ...
    def records(self, part: Part) -> Iterator[tuple[int, Any]]:
        """Line number and record, in the order of the file; none where there is no file.

        Records are valid each by itself; `checking` holds the rest. Raises BadInput
        with source, line and field.
        """
        if not self.has(part):
            return
        source = self.source(part)
        with reading(source), self._container.open(f"{part}.jsonl") as stream:
            yield from self._watched(part, read_records(stream, PARTS[part], source=source))

    def rubrics(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """File name (``rubrics/NAME@VERSION.json``) and definition, sorted by name."""
        for name in sorted(filter(RUBRIC.fullmatch, self._names)):
            yield name, self._object(name)

    def _watched(self, part: Part, records: Iterator[R]) -> Iterator[R]:
        if self.watch is None:
            yield from records
            return
        total, done = self._count(part), 0
        for done, record in enumerate(records, start=1):
            yield record
            if done % _TOLD_EVERY == 0 and done < total:
                self.watch(part, done, total)
        if done >= _TOLD_EVERY:
            self.watch(part, done, done)

    def _count(self, part: Part) -> int:
        """How many records a part has: by the manifest, else about as many as it has lines."""
        entry = self.manifest.files.get(f"{part}.jsonl") if self.manifest else None
        if entry is not None and entry.records is not None:
            return entry.records
        with self._container.open(f"{part}.jsonl") as stream:
            return sum(chunk.count(b"\n") for chunk in iter(lambda: stream.read(1 << 20), b""))

    def _require_cases(self) -> None:
        if "cases.jsonl" in self._names:
            return
        deeper = [name for name in sorted(self._names) if name.endswith("/cases.jsonl")]
        hint = f" at the top; there is {strictjson.shown(deeper[0])}" if deeper else ""
        raise BadInput(f"holds no cases.jsonl{hint}", source=self.name)

    def _read_manifest(self) -> Manifest | None:
        if MANIFEST not in self._names:
            return None
        value = self._object(MANIFEST)
        if value.get("format_version") != FORMAT_VERSION:
            raise BadInput(
                f"only version {FORMAT_VERSION} of the format is read here",
                source=MANIFEST,
                field="format_version",
            )
        try:
            return validated(Manifest, value)
        except BadInput as error:
            raise error.at(source=MANIFEST) from None

    def _require_match(self, manifest: Manifest) -> None:
        for name, entry in manifest.files.items():
            if name not in self._names:
                raise _mismatch(name, "is listed, but not there")
            with reading(name), self._container.open(name) as stream:
                _require_same(stream, name, entry)
        for name in sorted(self._names - manifest.files.keys() - {MANIFEST}):
            if _belongs(name):
                raise _mismatch(name, "is there, but not listed")

    def _object(self, name: str) -> dict[str, Any]:
        with reading(name), self._container.open(name) as stream:
            content = stream.read(MAX_LINE + 1)
        if len(content) > MAX_LINE:
            raise BadInput(f"is longer than {MAX_LINE} bytes", source=name)
        try:
            value = strictjson.free(decoded(content).removeprefix("\ufeff"))
        except BadInput as error:
            raise error.at(source=name) from None
        if not isinstance(value, dict):
            raise BadInput("must be a JSON object", source=name)
        return cast("dict[str, Any]", value)


def _belongs(name: str) -> bool:
    return name in _FILES or RUBRIC.fullmatch(name) is not None


def _passed_over(names: Iterable[str]) -> list[str]:
    others = [strictjson.shown(name) for name in sorted(names) if not _belongs(name)]
    warnings = [f"{name} is not a file of this format and was passed over" for name in others]
    if len(warnings) > _MAX_WARNINGS:
        rest = len(warnings) - _MAX_WARNINGS
        warnings[_MAX_WARNINGS:] = [f"{rest} other files were passed over as well"]
    return warnings


def _require_same(stream: BinaryIO, name: str, entry: FileEntry) -> None:
    digest, records, rest = hashlib.sha256(), 0, b""
    while chunk := stream.read(1 << 20):
        digest.update(chunk)
        *lines, rest = (rest + chunk).split(b"\n")
        records += sum(1 for line in lines if line.strip())
        rest = rest.strip()[:1]
    records += 1 if rest else 0
    if digest.hexdigest() != entry.sha256:
        raise _mismatch(name, "is not the file that the manifest describes: its SHA-256 differs")
    if entry.records is not None and entry.records != records:
        raise _mismatch(name, f"is said to hold {entry.records} records and holds {records}")


def _mismatch(name: str, message: str) -> BadInput:
    return BadInput(f"{strictjson.shown(name)} {message}", source=MANIFEST, field="files")
