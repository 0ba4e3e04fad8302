"""Bundles written: the same records give the same bytes, and never half of them.

A bundle is written under a temporary name beside its own and renamed at the end.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import uuid
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol, cast

from grounding.errors import BadInput, Refused
from grounding.interchange.bundle import MANIFEST, PARTS, README, RUBRIC, Part
from grounding.interchange.containers import MAX_FILE
from grounding.interchange.models import FORMAT_VERSION, FileEntry, Manifest, Record
from grounding.interchange.writing import write_records

# The earliest moment that a zip can state: a bundle says nothing of when it was made.
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)


def write_bundle(
    path: str | Path,
    *,
    parts: Mapping[Part, Iterable[Record]],
    set_slug: str,
    revision: int,
    contract_version: str,
    rubrics: Mapping[str, Mapping[str, Any]] | None = None,
    readme: str | None = None,
) -> Manifest:
    """Write a bundle to ``path``, a zip where it ends in ``.zip``, else a new folder.

    ``parts`` may be streams; a part without records is left out, but for cases.
    ``rubrics`` is definitions by ``NAME@VERSION``. A zip of that name is replaced, a
    folder that holds anything is Refused. Returns the manifest as written.
    """
    path = Path(path)
    with _replacing(path) as sink:
        writer = BundleWriter(sink)
        if readme is not None:
            writer.text(README, readme)
        for part in PARTS:
            writer.part(part, parts.get(part, ()))
        for name in sorted(rubrics or {}):
            writer.rubric(name, (rubrics or {})[name])
        return writer.finish(set_slug, revision, contract_version)


class Sink(Protocol):
    def create(self, name: str) -> BinaryIO: ...


class BundleWriter:
    """Writes the files of one bundle, in the order of the calls, and its manifest last."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._files: dict[str, FileEntry] = {}

    def part(self, part: Part, records: Iterable[Record]) -> None:
        """Write one part; nothing where there are no records, unless it is the cases."""
        stream = iter(records)
        first = next(stream, None)
        if first is None and part != "cases":
            return
        name = f"{part}.jsonl"
        with self._sink.create(name) as file:
            everything = chain(() if first is None else (first,), stream)
            count, digest = write_records(cast(BinaryIO, _Bounded(file, name)), everything)
        self._files[name] = FileEntry(sha256=digest, records=count)

    def rubric(self, name: str, definition: Mapping[str, Any]) -> None:
        """Write ``rubrics/NAME@VERSION.json``."""
        file = f"rubrics/{name}.json"
        if not RUBRIC.fullmatch(file):
            raise BadInput("is not NAME@VERSION", source=name)
        self.text(file, _pretty(definition))

    def text(self, name: str, text: str) -> None:
        content = text.encode()
        self._write(name, content)
        self._files[name] = FileEntry(sha256=hashlib.sha256(content).hexdigest())

    def finish(self, set_slug: str, revision: int, contract_version: str) -> Manifest:
        """Write the manifest of everything that was written before."""
        manifest = Manifest(
            format_version=FORMAT_VERSION,
            set=set_slug,
            revision=revision,
            contract_version=contract_version,
            files=self._files,
        )
        self._write(MANIFEST, _pretty(manifest.model_dump(mode="json")).encode())
        return manifest

    def _write(self, name: str, content: bytes) -> None:
        with self._sink.create(name) as file:
            file.write(content)


class _Bounded:
    """Refuses to write a file that would be refused on reading."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file, self._name, self._size = file, name, 0

    def write(self, data: bytes) -> int:
        self._size += len(data)
        if self._size > MAX_FILE:
            raise Refused(f"{self._name} would be longer than {MAX_FILE} bytes")
        return self._file.write(data)


class _ZipSink:
    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive

    def create(self, name: str) -> BinaryIO:
        info = zipfile.ZipInfo(name, _EPOCH)
        info.compress_type = zipfile.ZIP_DEFLATED
        info.create_system = 3  # the same on every system
        info.external_attr = 0o100644 << 16
        return cast(BinaryIO, self._archive.open(info, "w"))


class _FolderSink:
    def __init__(self, root: Path) -> None:
        self._root = root

    def create(self, name: str) -> BinaryIO:
        path = self._root / name
        path.parent.mkdir(exist_ok=True)
        return path.open("xb")


@contextmanager
def _replacing(path: Path) -> Iterator[Sink]:
    """A sink whose files stand at ``path`` once the block has ended well, and nowhere else."""
    partial = path.with_name(f".{path.name}.{uuid.uuid4().hex}.part")
    try:
        if path.suffix.lower() == ".zip":
            with zipfile.ZipFile(partial, "x") as archive:
                yield _ZipSink(archive)
            _settle(partial)
            partial.replace(path)
        else:
            _require_free(path)
            partial.mkdir()
            yield _FolderSink(partial)
            partial.replace(path)
    finally:
        _remove(partial)


def _require_free(path: Path) -> None:
    if path.exists() and not (path.is_dir() and not any(path.iterdir())):
        raise Refused(f"{path.name} is there already and is not an empty folder")


def _settle(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _pretty(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
