"""The shapes that a definition's JSON Schema is made of, as a form needs to tell them apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from grounding.rubrics import RubricDefinition

_LONG: Final = 1_000


@dataclass(frozen=True)
class Leaf:
    """One value. ``kind``: text (long), short (may still hold line ends), line (an id or the
    like), number, boolean, choice, null, or json for whatever has no field of its own."""

    kind: str
    hint: str = ""
    choices: tuple[str, ...] = ()
    nullable: bool = False


@dataclass(frozen=True)
class Group:
    """Named fields, each of its own shape."""

    fields: Mapping[str, Shape]
    hint: str = ""


@dataclass(frozen=True)
class Variants:
    """One of several groups, told apart by the word in ``tag``."""

    tag: str
    groups: Mapping[str, Group]
    hint: str = ""


@dataclass(frozen=True)
class Rows:
    """A mapping from free words to values."""

    value: Shape
    hint: str = ""


@dataclass(frozen=True)
class Items:
    """A list of things with fields of their own."""

    item: Shape
    hint: str = ""


@dataclass(frozen=True)
class Lines:
    """A list of single values, written one a line."""

    item: Leaf
    hint: str = ""


Shape: TypeAlias = Leaf | Group | Variants | Rows | Items | Lines


def shape_of(schema: Mapping[str, Any], definitions: Mapping[str, Any], hint: str = "") -> Shape:
    """The shape of one node of a JSON Schema."""
    hint = _plain(schema.get("description", "")) or hint
    if "$ref" in schema:
        named = definitions[schema["$ref"].rpartition("/")[2]]
        # What a class says of its words is said where it is used, if anything is.
        return shape_of(named, definitions, hint)
    if "anyOf" in schema:
        return _optional(schema, definitions, hint)
    if "oneOf" in schema:
        return _variants(schema, definitions, hint)
    if schema.get("type") == "object":
        return _object(schema, definitions, hint)
    if schema.get("type") == "array" and "items" in schema:
        item = shape_of(schema["items"], definitions)
        simple = isinstance(item, Leaf) and item.kind != "json"
        return Lines(item, _with_words(hint, item)) if simple else Items(item, hint)  # type: ignore[arg-type]
    return _leaf(schema, hint)


def _optional(schema: Mapping[str, Any], definitions: Mapping[str, Any], hint: str) -> Shape:
    others = [one for one in schema["anyOf"] if one.get("type") != "null"]
    inner = shape_of(others[0], definitions, hint) if len(others) == 1 else None
    if isinstance(inner, Leaf) and len(schema["anyOf"]) == 2:
        return Leaf(inner.kind, inner.hint, inner.choices, nullable=True)
    return Leaf("json", hint)


def _variants(schema: Mapping[str, Any], definitions: Mapping[str, Any], hint: str) -> Shape:
    told = schema.get("discriminator")
    if told is None:
        return Leaf("json", hint)
    groups = {
        word: shape_of({"$ref": reference}, definitions)
        for word, reference in told["mapping"].items()
    }
    tag = told["propertyName"]
    words = Leaf("choice", "Save after a change to see the fields of another kind.", tuple(groups))
    return Variants(
        tag,
        {
            word: Group(dict(group.fields) | {tag: words}, group.hint)
            for word, group in groups.items()
            if isinstance(group, Group)
        },
        hint,
    )


def _object(schema: Mapping[str, Any], definitions: Mapping[str, Any], hint: str) -> Shape:
    if "properties" in schema:
        fields = schema["properties"].items()
        return Group({name: shape_of(one, definitions) for name, one in fields}, hint)
    value = schema.get("additionalProperties")
    if not isinstance(value, Mapping):
        return Leaf("json", hint)
    keys = schema.get("propertyNames", {})
    named = definitions.get(keys.get("$ref", "").rpartition("/")[2], keys)
    inner = shape_of(value, definitions)
    if "enum" in named:
        return Group(dict.fromkeys(named["enum"], inner), hint)
    return Rows(inner, hint)


def _leaf(schema: Mapping[str, Any], hint: str) -> Leaf:
    words = schema.get("enum", [schema["const"]] if "const" in schema else [])
    if words and all(isinstance(word, str) for word in words):
        return Leaf("choice", hint, tuple(words))
    match schema.get("type"):
        case "number" | "integer":
            return Leaf("number", " ".join(filter(None, [hint, _bounds(schema)])))
        case "string":
            return Leaf("line" if "pattern" in schema else _text_kind(schema), hint)
        case "boolean" | "null" as kind:
            return Leaf(kind, hint)
    return Leaf("json", hint)


def _text_kind(schema: Mapping[str, Any]) -> str:
    return "text" if schema.get("maxLength", _LONG + 1) > _LONG else "short"


def _bounds(schema: Mapping[str, Any]) -> str:
    kind = "Whole number" if schema["type"] == "integer" else "Number"
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        return f"{kind} from {low} to {high}."
    return f"{kind}, at least {low}." if low is not None else f"{kind}."


def _with_words(hint: str, item: Leaf) -> str:
    words = f" Of: {', '.join(item.choices)}." if item.choices else ""
    return f"{hint} One a line.{words}".strip()


def _plain(description: str) -> str:
    """A docstring as a hint: its first paragraph, without marks."""
    return " ".join(description.split("\n\n")[0].replace("`", "").split())


def _rubric() -> Group:
    schema = RubricDefinition.model_json_schema()
    found = shape_of(schema, schema["$defs"])
    assert isinstance(found, Group)  # noqa: S101  # a model is an object
    return found


RUBRIC: Final = _rubric()
"""The shape of a whole definition."""
