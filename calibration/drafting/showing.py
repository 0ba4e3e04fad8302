"""From a definition, valid or not, to the fields of its form, each with its errors."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol

from calibration.drafting.parts import (
    MOST_ROWS,
    group_of,
    has_place,
    kind_of,
    pairs_of,
    strays_of,
)
from calibration.drafting.shapes import Group, Items, Leaf, Lines, Rows, Shape, Variants
from calibration.drafting.values import MISSING, as_text
from grounding.rubrics import Fault
from grounding.rubrics.levels import dotted
from grounding.trees import Path

MOST_FIELDS: Final = 1_000
"""A form of more is cut by its lists, which then are edited as YAML: a request has an end."""


class Moved(Protocol):
    """A value that is another than in the version that the draft is compared with."""

    @property
    def path(self) -> str: ...


@dataclass(frozen=True)
class Shown:
    """One field, or a part with fields of its own. ``kind`` is its leaf's kind, or one of
    lines, group, rows, row, items, item, long (a list without fields) and stray (a value
    that has no field here)."""

    kind: str
    name: str
    label: str
    value: str = ""
    hint: str = ""
    choices: Sequence[str] = ()
    errors: Sequence[str] = ()
    children: Sequence[Shown] = ()
    moves: Sequence[Moved] = ()
    """Of its value; of a part, what moved and has no field any more."""
    blank: str = ""
    """What an empty choice says."""

    @property
    def height(self) -> int:
        """Lines that a text needs in its field, up to a screenful."""
        lines = sum(1 + len(line) // 80 for line in self.value.split("\n"))
        return min(max(lines, 1 if self.kind == "short" else 3), 16)

    @property
    def fields(self) -> Iterator[Shown]:
        """Itself and everything below it."""
        yield self
        for child in self.children:
            yield from child.fields


@dataclass(frozen=True)
class Layout:
    sections: Sequence[Shown]
    unplaced: Sequence[Fault]
    """Faults that belong to no field that is shown."""

    @property
    def fields(self) -> Iterator[Shown]:
        for section in self.sections:
            yield from section.fields

    @property
    def places(self) -> dict[str, str]:
        """The name of the field of each value that moved, by its path."""
        return {move.path: field.name for field in self.fields for move in field.moves}


def lay_out(
    shape: Group,
    definition: Mapping[str, Any],
    faults: Sequence[Fault],
    moves: Sequence[Moved] = (),
) -> Layout:
    """The form of a definition, its single values first and then part by part."""
    full = _laid_out(shape, definition, _Laying(faults, moves))
    if sum(1 for _ in full.fields) <= MOST_FIELDS:
        return full
    return _laid_out(shape, definition, _Laying(faults, moves, most_rows=0))


def _laid_out(shape: Group, definition: Mapping[str, Any], laying: _Laying) -> Layout:
    whole = laying.group(shape, definition, (), "", "")
    alone = [one for one in whole.children if not one.children and one.kind not in _PARTS]
    first = Shown("group", "about", "Name, number and notes", children=alone)
    sections = [first, *(one for one in whole.children if one not in alone)]
    # What is wrong between two parts belongs to no field, though it was claimed for the whole.
    unplaced = [one for one in laying.faults if not one.path or one not in laying.claimed]
    return Layout(sections, unplaced)


_PARTS: Final = ("group", "rows", "items", "long")


@dataclass(frozen=True)
class _Laying:
    faults: Sequence[Fault]
    moves: Sequence[Moved] = ()
    most_rows: int = MOST_ROWS
    claimed: list[Fault] = field(default_factory=list)
    placed: set[str] = field(default_factory=set)

    def value(self, shape: Shape, value: Any, path: Path, name: str, label: str) -> Shown:
        """The field, or the part with its fields; a part's own moves are those that no field
        within it has taken."""
        shown = self.drawn(shape, value, path, name, label)
        return replace(shown, moves=self.moved(path))

    def drawn(self, shape: Shape, value: Any, path: Path, name: str, label: str) -> Shown:
        if value is not MISSING and not has_place(shape, value):
            return self.stray(value, path, name, label)
        match shape:
            case Leaf():
                return self.leaf(shape, value, path, name, label)
            case Lines():
                text = "" if value is MISSING else "\n".join(map(as_text, value))
                errors = self.under(path)
                return Shown("lines", name, label, text, shape.hint, errors=errors)
            case Group():
                return self.group(shape, value, path, name, label)
            case Variants():
                shown = self.group(group_of(shape, value), value, path, name, label)
                return replace(shown, value=kind_of(shape, value))
            case Rows():
                return self.rows(shape, value, path, name, label)
            case Items():
                return self.items(shape, value, path, name, label)

    def leaf(self, leaf: Leaf, value: Any, path: Path, name: str, label: str) -> Shown:
        text = as_text(value)
        errors = self.under(path)
        choices = _offered(leaf, text)
        blank = "not set" if leaf.nullable else "choose one"
        return Shown(leaf.kind, name, label, text, leaf.hint, choices, errors, blank=blank)

    def stray(self, value: Any, path: Path, name: str, label: str) -> Shown:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
        return Shown("stray", name, label, text, errors=self.under(path))

    def group(self, shape: Group, value: Any, path: Path, name: str, label: str) -> Shown:
        holds = {} if value is MISSING else value
        children = [
            self.value(one, holds.get(key, MISSING), (*path, key), _below(name, key), _label(key))
            for key, one in shape.fields.items()
            if not _says_nothing(one, holds.get(key))
        ]
        children += [
            self.stray(holds[key], (*path, key), _below(name, f"!{number}"), key)
            for number, key in enumerate(strays_of(shape, holds))
        ]
        errors = self.at(path)
        return Shown("group", name, label, "", shape.hint, errors=errors, children=children)

    def rows(self, shape: Rows, value: Any, path: Path, name: str, label: str) -> Shown:
        pairs: list[tuple[str, Any]] = pairs_of(value)
        if len(pairs) > self.most_rows:
            return self.long(len(pairs), path, name, label)
        twice = isinstance(value, list)
        children = [
            self.row(shape, pair, (*path, number if twice else pair[0]), f"{name}.{number}")
            for number, pair in enumerate([*pairs, ("", MISSING)])
        ]
        errors = ["one word stands twice"] if self.at(path) and twice else self.at(path)
        return Shown("rows", name, label, str(len(children)), shape.hint, (), errors, children)

    def row(self, shape: Rows, pair: tuple[str, Any], path: Path, name: str) -> Shown:
        key = Shown("short", f"{name}.key", "Word", pair[0])
        value = self.value(shape.value, pair[1], path, f"{name}.value", "Stands for")
        return Shown("row", name, pair[0], children=[key, value])

    def items(self, shape: Items, value: Any, path: Path, name: str, label: str) -> Shown:
        items = [] if value is MISSING else value
        if len(items) > self.most_rows:
            return self.long(len(items), path, name, label)
        children = [
            Shown("item", f"{name}.{number}", one.label, children=[one])
            for number, one in enumerate(self.each(shape, items, path, name, label))
        ]
        errors = self.at(path)
        return Shown("items", name, label, str(len(items)), shape.hint, (), errors, children)

    def each(
        self, shape: Items, items: Sequence[Any], path: Path, name: str, label: str
    ) -> Iterator[Shown]:
        for number, item in enumerate(items):
            called = f"{label} {number + 1}"
            yield self.value(shape.item, item, (*path, number), f"{name}.{number}", called)

    def long(self, count: int, path: Path, name: str, label: str) -> Shown:
        return Shown("long", name, label, str(count), errors=self.under(path))

    def at(self, path: Path) -> list[str]:
        return self._claim([fault for fault in self.faults if fault.path == path])

    def under(self, path: Path) -> list[str]:
        """What is wrong here and below: of a value that one field shows whole."""
        return self._claim([fault for fault in self.faults if fault.path[: len(path)] == path])

    def moved(self, path: Path) -> list[Moved]:
        """What moved here and below, each at one place alone."""
        at = dotted(path)
        found = [
            move
            for move in self.moves
            if move.path not in self.placed and f"{move.path}.".startswith(f"{at}.")
        ]
        self.placed.update(move.path for move in found)
        return found

    def _claim(self, found: Sequence[Fault]) -> list[str]:
        self.claimed.extend(found)
        return list(dict.fromkeys(fault.message for fault in found))


def _offered(leaf: Leaf, text: str) -> Sequence[str]:
    """The words to choose from; what stands there is one of them, though it may be wrong."""
    words = ("yes", "no") if leaf.kind == "boolean" else leaf.choices
    blank = ("",) if words and (leaf.nullable or not text) else ()
    wrong = (text,) if words and text and text not in words else ()
    return (*blank, *words, *wrong)


def _says_nothing(shape: Shape, value: Any) -> bool:
    return isinstance(shape, Leaf) and shape.kind == "null" and value is None


def _below(name: str, key: str) -> str:
    return f"{name}.{key}" if name else key


def _label(key: str) -> str:
    return key.replace("_", " ").capitalize()
