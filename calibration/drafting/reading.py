"""From what a form sent to a definition, valid or not.

Field names are paths (``judge.parameters.supported_overlap``, ``examples.0.statement``).
A field that was not sent keeps what is stored, so a form may show a part of a definition.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from calibration.drafting.action import Action
from calibration.drafting.parts import (
    group_of,
    has_place,
    pairs_of,
    row_names,
    strays_of,
)
from calibration.drafting.shapes import Group, Items, Leaf, Lines, Rows, Shape, Variants
from calibration.drafting.values import MISSING, as_text, kept_or_read, read_value, sent


def read(
    shape: Group, posted: Mapping[str, str], stored: Mapping[str, Any], action: Action
) -> dict[str, Any]:
    """The definition as typed, with ``action``'s row added or removed."""
    return dict(_Reading(posted, action).group(shape, stored, ""))


@dataclass(frozen=True)
class _Reading:
    posted: Mapping[str, str]
    action: Action

    def value(self, shape: Shape, stored: Any, name: str) -> Any:
        if stored is not MISSING and not has_place(shape, stored):
            return MISSING if self.action.removes(name) else stored
        match shape:
            case Leaf():
                return self.leaf(shape, stored, name)
            case Lines():
                return self.lines(shape, stored, name)
            case Group():
                return self.group(shape, stored, name)
            case Variants():
                # By the kind that the form was made for, whatever is stored or chosen since.
                shown = self.posted.get(f"{name}.was")
                return self.group(group_of(shape, stored, shown), stored, name)
            case Rows():
                return self.rows(shape, stored, name)
            case Items():
                return self.items(shape, stored, name)

    def leaf(self, leaf: Leaf, stored: Any, name: str) -> Any:
        text = self.posted.get(name)
        return stored if text is None else kept_or_read(leaf, text, stored)

    def lines(self, shape: Lines, stored: Any, name: str) -> Any:
        text = self.posted.get(name)
        before = "" if stored is MISSING else "\n".join(map(as_text, stored))
        if text is None or sent(text) == sent(before):
            return stored
        lines = [line.strip() for line in sent(text).split("\n")]
        return [read_value(shape.item, line) for line in lines if line]

    def group(self, shape: Group, stored: Any, name: str) -> Any:
        before = {} if stored is MISSING else stored
        found = {
            key: self.value(shape.fields[key], before.get(key, MISSING), _below(name, key))
            for key in _in_order(before, shape)
            if key in shape.fields
        }
        strays = {
            key: before[key]
            for number, key in enumerate(strays_of(shape, before))
            if not self.action.removes(_below(name, f"!{number}"))
        }
        kept = {key: found.get(key, strays.get(key, MISSING)) for key in _in_order(before, shape)}
        group = {key: value for key, value in kept.items() if value is not MISSING}
        return group if group or stored is not MISSING else MISSING

    def rows(self, shape: Rows, stored: Any, name: str) -> Any:
        """The mapping; the list of its pairs where a word stands twice, so that none is lost."""
        before = pairs_of(stored)
        if f"{name}.rows" not in self.posted:
            return stored
        pairs = []
        for number, row in self.rows_of(name):
            old = before[number] if number < len(before) else ("", MISSING)
            key = self.leaf(Leaf("short"), old[0], f"{row}.key")
            value = self.value(shape.value, old[1], f"{row}.value")
            if key or value not in (MISSING, None, "", {}, []):
                pairs.append([key, "" if value is MISSING else value])
        whole = dict(map(tuple, pairs))
        return whole if len(whole) == len(pairs) else pairs

    def items(self, shape: Items, stored: Any, name: str) -> Any:
        before = [] if stored is MISSING else stored
        if f"{name}.rows" not in self.posted:
            return stored
        found = [
            self.value(shape.item, before[number] if number < len(before) else MISSING, row)
            for number, row in self.rows_of(name)
        ]
        items = [{} if item is MISSING else item for item in found]
        if self.action.adds_to(name):
            items.append({})
        return items if items or stored is not MISSING else MISSING

    def rows_of(self, name: str) -> Iterator[tuple[int, str]]:
        """The number and name of each row that was sent and is not to go."""
        for number, row in enumerate(row_names(name, self.posted[f"{name}.rows"])):
            if not self.action.removes(row):
                yield number, row


def _below(name: str, key: str) -> str:
    return f"{name}.{key}" if name else key


def _in_order(before: Mapping[str, Any], shape: Group) -> list[str]:
    """The keys as they stand, then those that the shape has besides."""
    return list(dict.fromkeys([*before, *shape.fields]))
