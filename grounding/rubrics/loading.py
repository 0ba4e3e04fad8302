"""Rubrics in and out of YAML and JSON.

YAML is read by the rules of 1.2's core schema, minus what a rubric has no use
for: no anchors, no aliases, no tags, no merge keys, and no dates, so that what
is not quoted is never turned into something else behind the author's back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

import yaml
from pydantic import ValidationError
from yaml.nodes import MappingNode, Node

from grounding.errors import BadInput
from grounding.interchange import strictjson
from grounding.interchange.fields import MAX_DEPTH
from grounding.rubrics.definition import RubricDefinition

MAX_BYTES: Final = 1_048_576


@dataclass(frozen=True)
class Fault:
    """What keeps plain data from being a rubric, and the keys that lead to it."""

    path: tuple[str | int, ...]
    message: str


def load_rubric(text: str, *, source: str | None = None) -> RubricDefinition:
    """The definition that ``text`` states, in JSON if it begins with ``{``, else in YAML.

    Raises BadInput with the file, the line where there is one, and the field.
    """
    definition, faults = examine(parse_rubric(text, source=source))
    if definition is None:
        field = ".".join(map(str, faults[0].path))
        raise BadInput(faults[0].message, field=field, source=source)
    return definition


def parse_rubric(text: str, *, source: str | None = None) -> dict[str, Any]:
    """The mapping that ``text`` states, which need not be a rubric yet.

    Raises BadInput for what cannot be read or stored, whatever it means.
    """
    text = text.removeprefix("\ufeff")
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise BadInput(f"a rubric may have at most {MAX_BYTES} bytes", source=source)
    try:
        is_json = text.lstrip().startswith("{")
        return check_storable(strictjson.free(text) if is_json else _from_yaml(text))
    except BadInput as error:
        raise error.at(source=source) from None


def check_storable(data: Any) -> dict[str, Any]:
    """``data`` if it is a mapping that JSON can hold anywhere; BadInput otherwise."""
    if not isinstance(data, dict):
        raise BadInput("a rubric is a mapping of fields")
    return cast("dict[str, Any]", strictjson.flawless(data))


def examine(data: Mapping[str, Any]) -> tuple[RubricDefinition | None, tuple[Fault, ...]]:
    """The definition that ``data`` is, or None and everything that is wrong with it."""
    try:
        # Through JSON, so that strictness means the same for both notations.
        return RubricDefinition.model_validate_json(json.dumps(data, allow_nan=False)), ()
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False, include_input=False)
        return None, tuple(
            Fault(_path(data, one["loc"]), one["msg"].removeprefix("Value error, "))
            for one in found
        )


def _path(data: Any, location: Sequence[str | int]) -> tuple[str | int, ...]:
    """``location`` without what names no key: the kind of a union, the mark of a bad key."""
    node, path = data, []
    for position, step in enumerate(location, 1):
        below = _below(node, step)
        if below is not None:
            node = below[0]
        elif position < len(location) or step == "[key]":
            continue
        path.append(step)
    return tuple(path)


def _below(node: Any, step: str | int) -> tuple[Any] | None:
    if isinstance(node, dict) and step in node:
        return (node[step],)
    if isinstance(node, list) and isinstance(step, int) and step < len(node):
        return (node[step],)
    return None


def dump_rubric(definition: RubricDefinition) -> str:
    """The definition as JSON that `load_rubric` reads back, every field written out."""
    return definition.model_dump_json(indent=2) + "\n"


class _Loader(yaml.SafeLoader):
    """Safe loading, without aliases and with keys that are text and unique."""

    depth = 0

    def compose_node(self, parent: Node | None, index: int) -> Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise BadInput("anchors and aliases are not allowed", line=line)
        if getattr(event, "tag", None):
            raise BadInput("tags are not allowed", line=line)
        if self.depth > MAX_DEPTH:
            raise BadInput(f"nested more than {MAX_DEPTH} deep", line=line)
        self.depth += 1
        try:
            return super().compose_node(parent, index)
        finally:
            self.depth -= 1

    def construct_mapping(self, node: MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            line = key.start_mark.line + 1
            if key.tag != "tag:yaml.org,2002:str":
                raise BadInput("a key must be text; put it in quotes", line=line)
            if key.value in seen:
                raise BadInput("stands twice", line=line, field=key.value)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


# Only what a rubric can mean: YAML 1.1 also reads dates, "no" and 1:30 as something else.
_Loader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("null", r"^(?:~|null|)$", ["~", "n", ""]),
    ("bool", r"^(?:true|false)$", list("tf")),
    ("int", r"^[-+]?(?:0|[1-9][0-9]{0,18})$", list("-+0123456789")),
    ("float", r"^[-+]?[0-9]{1,18}(?:\.[0-9]{0,25})(?:[eE][-+]?[0-9]{1,3})?$", list("-+0123456789")),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), _first)


def _from_yaml(text: str) -> Any:
    loader = None
    try:
        loader = _Loader(text)
        return loader.get_single_data()
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise BadInput(f"not YAML: {error.problem}", line=line) from None
    except yaml.YAMLError as error:
        raise BadInput(f"not YAML: {str(error).splitlines()[0]}") from None
    finally:
        if loader is not None:
            loader.dispose()
