"""Parts split off a statement, on their way through forms and drafts."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, ValidationError

from grounding.contract import ClaimClass, Verdict
from grounding.errors import BadInput
from grounding.evidence import slice_of
from grounding.interchange.models import Evidence
from grounding.splitting.premises import ProposedPremise, premises
from labeling.models import Statement
from labeling.values import Part

Span = tuple[int, int]

_WORDS: Final = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")


class _Sent(BaseModel):
    """A part as a form sends it: of the right shape, and else as unfinished as it may be."""

    model_config = ConfigDict(extra="forbid")

    text: str
    span: Span | None = None
    claim_class: ClaimClass | None = None
    verdict: Verdict | None = None
    rationale: str | None = None
    evidence: tuple[Evidence, ...] = ()


def read(raw: str) -> Part:
    """The part in one field of a form; BadInput where it cannot be read."""
    try:
        sent = _Sent.model_validate_json(raw)
    except ValidationError:
        raise BadInput("a part arrived that cannot be read", field="parts") from None
    return Part(**{name: getattr(sent, name) for name in _Sent.model_fields})


def readable(raws: Sequence[str]) -> list[Part]:
    """The parts of a draft, as far as they can be read."""
    found = []
    for raw in raws:
        try:
            found.append(read(raw))
        except BadInput:
            continue
    return found


def stored(premise: dict[str, Any]) -> Part:
    """The part that a label's row holds."""
    return read(json.dumps(premise))


def value_of(part: Part) -> str:
    """``part`` as one field of a form. JSON, because a form rewrites bare line ends."""
    return json.dumps(part.as_json(), ensure_ascii=False)


def span_in(words: str) -> Span | None:
    """The span that a form names as ``12-40``; None where it names none."""
    if not words:
        return None
    found = _WORDS.fullmatch(words)
    if found is None:
        raise BadInput("names no words of the answer", field="words")
    return int(found[1]), int(found[2])


def words_of(span: Span | None) -> str:
    return "" if span is None else f"{span[0]}-{span[1]}"


def proposed(statement: Statement) -> list[Part]:
    """What the statement's wording takes for granted, as parts that nobody has labelled: the
    same for everyone, made from its own words alone."""
    return [Part(one.text, _place(statement, one)) for one in premises(statement.text)]


def _place(statement: Statement, premise: ProposedPremise) -> Span | None:
    """Where it stands in the answer, if the statement stands there word for word."""
    start, end = statement.span_start, statement.span_end
    if premise.span is None or start is None or end is None:
        return None
    if statement.case.answer[start:end] != statement.text:
        return None
    return start + premise.span[0], start + premise.span[1]


def quoted(answer: str, span: Span | None, text: str) -> Part:
    """A part not labelled yet: the words of ``answer`` at ``span``, or ``text`` without one."""
    if span is None:
        return Part(text)
    return Part(slice_of(answer, *span, at="words"), span)
