"""Where the files of a bundle lie: in a zip, in a folder, or one file by itself.

Nothing is ever unpacked to disk, and only names that a container lists can be
opened, so a name that a file holds (a manifest's, a zip's) reaches nothing else.
"""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, Protocol

from grounding.errors import BadInput
from grounding.interchange.strictjson import shown

MAX_FILE: Final = 1024 * 1024 * 1024
MAX_ENTRIES: Final = 10_000
# Text rarely packs better than 50 to 1; deflate can reach 1,000 to 1.
MAX_RATIO: Final = 200
_RATIO_MATTERS_FROM: Final = 32 * 1024 * 1024
_ZIP_STARTS: Final = (b"PK\x03\x04", b"PK\x05\x06")
_DAMAGE: Final = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError)


class Container(Protocol):
    """Named files; names use ``/``."""

    def names(self) -> list[str]: ...

    def open(self, name: str) -> BinaryIO:
        """A stream of one of ``names()``; BadInput where it may not be read."""

    def close(self) -> None: ...


def open_container(path: Path, *, single: str) -> Container:
    """The container at ``path``; a plain file is one whose only name is ``single``."""
    if path.is_dir():
        return Folder(path)
    if not path.is_file():
        raise BadInput("there is no such file or folder", source=path.name)
    with path.open("rb") as file:
        start = file.read(4)
    if start in _ZIP_STARTS:
        return Zip(path)
    if path.suffix.lower() == ".zip":
        raise BadInput("is not a zip, though its name says so", source=path.name)
    return SingleFile(path, single)


@contextmanager
def reading(source: str) -> Iterator[None]:
    """Turns the ways a file can be damaged or out of reach into BadInput."""
    try:
        yield
    except _DAMAGE as error:
        raise BadInput(f"is damaged: {shown(str(error))}", source=source) from None
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror or 'damaged'}", source=source) from None


@contextmanager
def _headers(source: str) -> Iterator[None]:
    # The zip reader lets these out where a header says what makes no sense.
    try:
        with reading(source):
            yield
    except (ValueError, struct.error):
        raise BadInput("is damaged: its headers make no sense", source=source) from None


class SingleFile:
    def __init__(self, path: Path, name: str) -> None:
        self._path, self._name = path, name

    def names(self) -> list[str]:
        return [self._name]

    def open(self, name: str) -> BinaryIO:
        return self._path.open("rb")

    def close(self) -> None:
        pass


class Folder:
    """The files at the top of a folder, and those one level below it."""

    def __init__(self, path: Path) -> None:
        self._root = path.resolve()

    def names(self) -> list[str]:
        found = [*self._root.iterdir()]
        found += [
            below for entry in found if self._is_own_folder(entry) for below in entry.iterdir()
        ]
        return sorted(e.relative_to(self._root).as_posix() for e in found if not e.is_dir())

    def open(self, name: str) -> BinaryIO:
        real = (self._root / name).resolve()
        if not real.is_relative_to(self._root):
            raise BadInput("is a link out of the folder", source=name)
        # A pipe or a device would block or never end.
        if not real.exists() or not stat.S_ISREG(real.stat().st_mode):
            raise BadInput("is not a file", source=name)
        return real.open("rb")

    def close(self) -> None:
        pass

    def _is_own_folder(self, entry: Path) -> bool:
        return entry.is_dir() and not entry.is_symlink()


class Zip:
    """The entries of a zip. Sizes are bounded by what its directory declares: no more
    than that is ever read of an entry, and an entry that differs fails its checksum."""

    def __init__(self, path: Path) -> None:
        self._name = path.name
        with _headers(path.name):
            self._zip = zipfile.ZipFile(path)
        self._entries: dict[str, zipfile.ZipInfo] = {}
        try:
            self._list()
        except BadInput:
            self._zip.close()
            raise

    def names(self) -> list[str]:
        return sorted(self._entries)

    def open(self, name: str) -> BinaryIO:
        entry = self._entries[name]
        _require_modest(entry, name)
        with _headers(name):
            return io.BufferedReader(self._zip.open(entry), 1 << 16)  # type: ignore[type-var]

    def close(self) -> None:
        self._zip.close()

    def _list(self) -> None:
        entries = self._zip.infolist()
        if len(entries) > MAX_ENTRIES:
            raise BadInput(f"holds more than {MAX_ENTRIES} files", source=self._name)
        for entry in entries:
            if entry.filename in self._entries:
                raise BadInput(f"holds {shown(entry.filename)} twice", source=self._name)
            if not entry.is_dir():
                self._entries[entry.filename] = entry


def _require_modest(entry: zipfile.ZipInfo, name: str) -> None:
    if entry.flag_bits & 0x1:
        raise BadInput("is encrypted", source=name)
    # The other methods unpack a chunk without a bound on what comes out.
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise BadInput("is packed in a way other than deflate", source=name)
    if entry.file_size > MAX_FILE:
        raise BadInput(f"unpacks to more than {MAX_FILE} bytes", source=name)
    unpacked = entry.file_size
    if unpacked > _RATIO_MATTERS_FROM and unpacked > MAX_RATIO * entry.compress_size:
        raise BadInput(f"unpacks to more than {MAX_RATIO} times its size", source=name)
