"""What the provider answers when nothing goes wrong, and what it answers when it obeys.

`ReadsSchema` needs no knowledge of anyone's prompts: it fills the JSON schema of the request.
For the content it looks into the user's messages for JSON objects with ``statements`` and
``passages`` (lists of objects with an id and a text); a statement that stands word for word
in a passage is supported. Whoever writes prompts of another form gives a ``reads`` of their
own, or an `Answerer`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from tests.provider.dialects import schema_of, texts_of

STATEMENT_KEYS = ("statement_id", "id")
PASSAGE_KEYS = ("passage_id", "source_id", "id")


@dataclass(frozen=True)
class Asked:
    """What a request asks: its schema, and the statements and passages in it, text by id."""

    body: Mapping[str, Any]
    schema: Mapping[str, Any] | None
    statements: Mapping[str, str] = field(default_factory=dict)
    passages: Mapping[str, str] = field(default_factory=dict)


Reads = Callable[[Mapping[str, Any]], Asked]


class Answerer(Protocol):
    """From a request to the JSON value that the model answers with."""

    def read(self, body: Mapping[str, Any]) -> Asked: ...

    def answer(self, asked: Asked) -> Any: ...


def read_json(body: Mapping[str, Any]) -> Asked:
    """Statements and passages from JSON objects in the user's messages."""
    statements: dict[str, str] = {}
    passages: dict[str, str] = {}
    for text in texts_of(body, "user"):
        for value in objects_in(text):
            statements |= _by_id(value.get("statements"), STATEMENT_KEYS)
            passages |= _by_id(value.get("passages"), PASSAGE_KEYS)
    return Asked(body, schema_of(body), statements, passages)


def objects_in(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects in a text, outermost ones, in order."""
    decoder = json.JSONDecoder()
    at = text.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except ValueError:
            end = at + 1
        else:
            yield value
        at = text.find("{", end)


def _by_id(rows: Any, keys: tuple[str, ...]) -> dict[str, str]:
    if not isinstance(rows, list):
        return {}
    named = [(next((row[key] for key in keys if key in row), None), row) for row in rows]
    return {name: row.get("text", "") for name, row in named if name is not None}


@dataclass(frozen=True)
class ReadsSchema:
    """Fills the request's schema. ``says`` overrides by statement id and key."""

    reads: Reads = read_json
    says: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def read(self, body: Mapping[str, Any]) -> Asked:
        return self.reads(body)

    def answer(self, asked: Asked) -> Any:
        if asked.schema is None:
            return {"answer": "yes"}
        only = next(iter(asked.statements), None) if len(asked.statements) == 1 else None
        return _Filling(asked, self.says).fill(asked.schema, "", only)


@dataclass(frozen=True)
class _Filling:
    asked: Asked
    says: Mapping[str, Mapping[str, Any]]

    def fill(self, schema: Mapping[str, Any], key: str, about: str | None) -> Any:
        schema = self._plain(schema)
        said = self.says.get(about or "", {})
        if key in said:
            return said[key]
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self._chosen(schema["enum"], key, about)
        kinds = {"object": self._object, "array": self._array, "string": self._string}
        kind = schema.get("type")
        kind = next(one for one in kind if one != "null") if isinstance(kind, list) else kind
        return kinds.get(str(kind), self._scalar)(schema, key, about)

    def _plain(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """The schema behind a reference, or the first choice that is not null."""
        while True:
            if "$ref" in schema:
                name = schema["$ref"].rsplit("/", 1)[-1]
                schema = ((self.asked.schema or {}).get("$defs") or {})[name]
            elif options := schema.get("anyOf") or schema.get("oneOf"):
                schema = next((one for one in options if one.get("type") != "null"), options[0])
            else:
                return schema

    def _object(self, schema: Mapping[str, Any], key: str, about: str | None) -> Any:
        return {
            name: self.fill(inner, name, about)
            for name, inner in schema.get("properties", {}).items()
        }

    def _array(self, schema: Mapping[str, Any], key: str, about: str | None) -> Any:
        inner = self._plain(schema.get("items", {}))
        properties = inner.get("properties", {})
        if any(name in properties for name in STATEMENT_KEYS):
            return [self.fill(inner, key, one) for one in self._ids(properties)]
        cites = "quote" in properties or "passage_id" in properties or key == "passage_ids"
        if cites and self._found(about) is not None:
            return [self.fill(inner, "passage_id" if not properties else key, about)]
        return [self.fill(inner, key, about) for _ in range(schema.get("minItems", 0))]

    def _ids(self, properties: Mapping[str, Any]) -> list[str]:
        """The statements of the request, or those that the schema itself lists."""
        name = next(name for name in STATEMENT_KEYS if name in properties)
        return list(self.asked.statements) or self._plain(properties[name]).get("enum", ["s1"])

    def _chosen(self, options: list[Any], key: str, about: str | None) -> Any:
        if key in STATEMENT_KEYS and about in options:
            return about
        found = self._found(about)
        if key in PASSAGE_KEYS and found and found[0] in options:
            return found[0]
        wanted = "supported" if found else "unsupported"
        if key.endswith("verdict") and wanted in options:
            return wanted
        return options[0]

    def _string(self, schema: Mapping[str, Any], key: str, about: str | None) -> Any:
        found = self._found(about)
        if key in STATEMENT_KEYS and about is not None:
            return about
        if key in PASSAGE_KEYS:
            return found[0] if found else next(iter(self.asked.passages), "p1")
        if key == "quote":
            return found[1] if found else ""
        if key.endswith("verdict"):
            return "supported" if found else "unsupported"
        return f"{key or 'text'} of {about or 'the answer'}"

    def _scalar(self, schema: Mapping[str, Any], key: str, about: str | None) -> Any:
        if schema.get("type") == "number":
            return 0.9
        if schema.get("type") == "integer":
            return self._offset(key, about)
        return False if schema.get("type") == "boolean" else None

    def _offset(self, key: str, about: str | None) -> int:
        found = self._found(about)
        if found is None:
            return 0
        start = self.asked.passages[found[0]].find(found[1])
        return {"start": start, "end": start + len(found[1])}.get(key, 0)

    def _found(self, about: str | None) -> tuple[str, str] | None:
        """The passage that has the statement word for word, and the words as they stand."""
        text = self.asked.statements.get(about or "", "").strip(" .")
        for name, passage in self.asked.passages.items():
            at = passage.casefold().find(text.casefold()) if text else -1
            if at >= 0:
                return name, passage[at : at + len(text)]
        return None


_ORDER = re.compile(
    r"(?:mark(?:ed)?|label(?:led)?|grade[d]?|judge[d]?|verdict|answer(?:ed)?)\W[^.\n]{0,60}?"
    r"\b(supported|unsupported|contradictory|not_applicable)\b",
    re.IGNORECASE,
)


def order_in(text: str) -> str | None:
    """The verdict that a text orders its reader to give, if it does."""
    found = _ORDER.search(text)
    return found.group(1).lower() if found else None


@dataclass(frozen=True)
class Obedient:
    """Answers like ``inner``, until a passage tells it what to answer: then it answers that,
    for every statement, and cites the passage that said so."""

    inner: Answerer = field(default_factory=ReadsSchema)

    def read(self, body: Mapping[str, Any]) -> Asked:
        return self.inner.read(body)

    def answer(self, asked: Asked) -> Any:
        honest = self.inner.answer(asked)
        for name, text in asked.passages.items():
            if order := order_in(text):
                return _ordered(honest, order, name, text)
        return honest


def _ordered(value: Any, order: str, passage: str, text: str) -> Any:
    if isinstance(value, list):
        return [_ordered(one, order, passage, text) for one in value]
    if not isinstance(value, dict):
        return value
    done = {key: _ordered(one, order, passage, text) for key, one in value.items()}
    if "verdict" in done:
        done["verdict"] = order
    if "evidence" in done and order == "supported":
        done["evidence"] = [{"passage_id": passage, "quote": text}]
    return done
