"""What both passes' prompts are made of, and the body of a request in each dialect.

The scaffold is ours and belongs to the judge's implementation number. What the rubric says is
put beside it as it stands: nothing of it is a format string or a template, so braces in it are
braces. The scaffold of each pass stands in the file that reads its answers.

Bodies, by the providers' references: OpenAI's chat completions (``response_format`` with a
strict ``json_schema``, ``seed``) and Anthropic's messages (``output_config.format`` with a
``json_schema``, no seed). The schemas keep to what both take: every property required, nothing
additional, no bounds on numbers or lengths, unless the rubric asks for a ``bounded`` one. Those
bounds are checked where answers are read. Ids are plain strings in them: a provider compiles a
schema when it first meets it, and so it meets two.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from grounding.judges.llm.calls import Request
from grounding.judges.llm.fencing import EXPLAINED, encoded, fenced
from grounding.rubrics import LlmSpec, RubricDefinition

Schema = Mapping[str, Any]

RISK: Final = {
    "low": "Low: a wrong `supported` costs little.",
    "medium": "Medium: a wrong `supported` misleads somebody.",
    "high": "High: a wrong `supported` does harm. Where you are in doubt, it is not supported.",
}
_FORM: Final = """\
Answer with one JSON object and nothing else: no fence, no word before or after it. It has one \
key, "answers": a list with exactly one object for each statement of the document, each naming \
its "statement_id" as the document does. Each object has these keys, in this order:"""
MEND: Final = """\
An earlier answer to this could not be used. What was wrong with it stands below, as JSON. Answer \
for the statements above afresh, in the form that was asked for."""


@dataclass(frozen=True)
class Prompt:
    """What one pass is told whatever the case, and the form that its answer must have."""

    name: str
    system: str
    schema: Schema


def assembled(
    definition: RubricDefinition,
    spec: LlmSpec,
    *,
    name: str,
    task: str,
    own: str,
    examples: Sequence[Mapping[str, Any]],
    fields: Mapping[str, tuple[str, Schema]],
) -> Prompt:
    """One pass's prompt: our task, the rubric's own text, and what else the rubric says.

    ``fields`` are the keys of one answer in order, each with what it means and its schema.
    """
    schema = _schema(fields)
    parts = [
        task,
        EXPLAINED,
        _part("The rubric", own),
        _part("Constraints", "\n".join(f"- {one}" for one in spec.constraints)),
        _part("Risk", RISK[spec.risk]),
        _part("Common knowledge", definition.common_knowledge.statement),
        _part("Examples of how statements come out", "\n".join(map(encoded, examples))),
        _part("Your answer", f"{_FORM}\n{_listed(fields)}"),
    ]
    if spec.parameters.answer_format == "prompted":
        parts.append(_part("The same as a JSON schema", encoded(schema)))
    return Prompt(name, "\n\n".join(part for part in parts if part), schema)


def request(
    spec: LlmSpec,
    prompt: Prompt,
    document: Mapping[str, Any],
    *,
    fault: str | None = None,
    fresh: bool = False,
) -> Request:
    """The request about one document; with ``fault``, what was wrong with the answer before.

    That answer itself is not repeated, so that the second is not talked into it.
    """
    user = fenced(document)
    if fault is not None:
        user = f"{user}\n\n{MEND}\n{fenced({'wrong': fault})}"
    schema = prompt.schema
    if spec.parameters.answer_format == "bounded":
        schema = bounded(schema, len(document["statements"]))
    body = _BODIES[spec.dialect](spec, prompt, user, schema)
    return Request(spec.dialect, body, spec.parameters.deadline_seconds, fresh)


MOST_LISTED: Final = 3
MOST_CHARACTERS: Final = 160


def bounded(schema: Schema, statements: int) -> Schema:
    """``schema`` with as many answers as there are statements, and with an end to every other list
    and text: a model that is held to it cannot go on until its tokens are spent. The bounds are
    narrow, since servers that build a grammar of them become very slow over wide ones."""
    answers = schema["properties"]["answers"]
    items = _ending(answers["items"])
    held = {**answers, "items": items, "minItems": statements, "maxItems": statements}
    return {**schema, "properties": {"answers": held}}


def _ending(schema: Schema) -> Schema:
    if "enum" in schema:
        return schema
    kind = schema.get("type")
    if kind == "string":
        return {**schema, "maxLength": MOST_CHARACTERS}
    if kind == "array":
        return {**schema, "items": _ending(schema["items"]), "maxItems": MOST_LISTED}
    if kind == "object":
        properties = {name: _ending(one) for name, one in schema["properties"].items()}
        return {**schema, "properties": properties}
    if "anyOf" in schema:
        return {**schema, "anyOf": [_ending(one) for one in schema["anyOf"]]}
    return schema


def nullable(schema: Schema) -> Schema:
    """``schema`` or null."""
    return {"anyOf": [schema, {"type": "null"}]}


def text() -> Schema:
    return {"type": "string"}


def one_of(words: Iterable[str]) -> Schema:
    return {"type": "string", "enum": [str(word) for word in words]}


def an_object(properties: Mapping[str, Schema]) -> Schema:
    """An object with exactly these keys."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def a_list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _schema(fields: Mapping[str, tuple[str, Schema]]) -> Schema:
    item = an_object({name: schema for name, (_, schema) in fields.items()})
    return an_object({"answers": a_list(item)})


def _listed(fields: Mapping[str, tuple[str, Schema]]) -> str:
    return "\n".join(f'- "{name}": {meaning}' for name, (meaning, _) in fields.items())


def _part(title: str, content: str) -> str:
    return f"# {title}\n{content}" if content else ""


def _openai(spec: LlmSpec, prompt: Prompt, user: str, schema: Schema) -> Mapping[str, Any]:
    parameters = spec.parameters
    body: dict[str, Any] = {
        "model": spec.model,
        "messages": [
            {"role": "system", "content": prompt.system},
            {"role": "user", "content": user},
        ],
        parameters.max_output_field: parameters.max_output_tokens,
    }
    if parameters.temperature is not None:
        body["temperature"] = parameters.temperature
    if parameters.seed is not None:
        body["seed"] = parameters.seed
    if parameters.answer_format != "prompted":
        asked = {"name": prompt.name, "strict": True, "schema": schema}
        body["response_format"] = {"type": "json_schema", "json_schema": asked}
    return body


def _anthropic(spec: LlmSpec, prompt: Prompt, user: str, schema: Schema) -> Mapping[str, Any]:
    parameters = spec.parameters
    body: dict[str, Any] = {
        "model": spec.model,
        "system": prompt.system,
        "messages": [{"role": "user", "content": user}],
        "max_tokens": parameters.max_output_tokens,
    }
    if parameters.temperature is not None:
        body["temperature"] = parameters.temperature
    if parameters.answer_format == "schema":
        body["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
    return body


_BODIES: Final = {"openai": _openai, "anthropic": _anthropic}
