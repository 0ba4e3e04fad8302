"""What was typed, laid out as the fields that a page draws, each with the error it met."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Final

from grounding.contract import ClaimClass, ClaimType, SpeechAct, Verdict
from grounding.errors import BadInput
from grounding.splitting import dropped_in
from labeling.authoring.caseforms.faults import Errors, placed_among
from labeling.authoring.caseforms.page import (
    Field,
    Option,
    PairForm,
    Row,
    Side,
    fields_of,
    places_of,
)
from labeling.authoring.caseforms.places import Span, sentence_place, sentences, span_of
from labeling.authoring.caseforms.typed import (
    FOUND,
    NOWHERE,
    TypedCase,
    TypedEvidence,
    TypedPair,
    TypedPassage,
    TypedStatement,
)
from labeling.cases.checks import named
from labeling.wording.vocabulary import words as words_of

_SHOWN: Final = 80
_YES_NO: Final = (("", "not stated"), ("yes", "yes"), ("no", "no"))


def lay_out(pair: TypedPair, errors: Errors, *, titles: Mapping[str, str]) -> PairForm:
    """Every field of the form; what ``errors`` names is found at its place or the nearest one."""
    places = {one.name: one for one in places_of(_bare(pair, {}, titles))}
    placed, loose = placed_among(errors, set(places))
    form = _bare(pair, placed, titles)
    wrong = [place for name, place in places.items() if name in placed]
    problems = [(place.id, place.called, placed[place.name]) for place in wrong]
    focus = next((place.id for place in wrong[:1] if place.typed), "")
    return PairForm(form.shared, form.sides, [*problems, *(("", "", one) for one in loose)], focus)


def posted_of(pair: TypedPair) -> dict[str, str]:
    """What a browser would send for the form of ``pair``."""
    form = _bare(pair, {}, {})
    return {one.name: one.value for one in fields_of(form) if one.kind != "tick" or one.value}


def _bare(pair: TypedPair, errors: Errors, titles: Mapping[str, str]) -> PairForm:
    shared = [
        Field(
            "pair_id",
            "Pair id",
            pair.pair_id,
            error=errors.get("pair_id", ""),
            hint="A short name for the two together, such as late-train.",
        ),
        Field(
            "pair_kind",
            "Pair kind",
            pair.pair_kind,
            error=errors.get("pair_kind", ""),
            hint="The rule that lies between the sides: one of the set's kinds, or a new one.",
            suggestions="kinds",
        ),
    ]
    sides = [_side(side, typed, errors, titles) for side, typed in sorted(pair.sides.items())]
    return PairForm(shared, sides)


def _side(side: str, typed: TypedCase, errors: Errors, titles: Mapping[str, str]) -> Side:
    draw = _Drawing(side, typed, errors)
    lists = ("context", "retrieved", "statements")
    return Side(
        side=side,
        title=titles.get(side, ""),
        fields={one.name.removeprefix(f"{side}."): one for one in draw.own()},
        context=[draw.passage("context", at, one) for at, one in enumerate(typed.context)],
        retrieved=[draw.passage("retrieved", at, one) for at, one in enumerate(typed.retrieved)],
        statements=[draw.statement(at, one) for at, one in enumerate(typed.statements)],
        passages=[one.id for one in typed.context],
        errors=[errors[f"{side}.{name}"] for name in lists if f"{side}.{name}" in errors],
    )


class _Drawing:
    """The fields of one side."""

    def __init__(self, side: str, typed: TypedCase, errors: Errors) -> None:
        self._side, self._typed, self._errors = side, typed, errors
        self._places = [
            (sentence_place(typed.answer, one.start, one.end), f"{at}. {_short(one.text)}")
            for at, one in enumerate(sentences(typed.answer), 1)
        ]

    def own(self) -> Iterator[Field]:
        typed = self._typed
        kind = "fixed" if typed.opened else "line"
        hint = "" if typed.opened else "A short name, unlike any other case's."
        yield self._field("case_id", "Case id", typed.case_id, kind=kind, hint=hint)
        yield self._field("opened", "", typed.opened, kind="hidden")
        yield self._field("question", "Question", typed.question, kind="text")
        yield self._field("answer", "Answer", typed.answer, kind="text", rows=4)
        hint = "Ticked with no passage below, it was captured and held nothing."
        label = "The retrieved pool was captured"
        yield self._field("pooled", label, typed.pooled, kind="tick", hint=hint)
        for name, label in (
            ("answerable", "The admitted context answers the question"),
            ("answerable_from_retrieved", "The retrieved pool answers it"),
        ):
            value = getattr(typed, name)
            yield self._field(name, label, value, kind="choice", options=_YES_NO)
        yield self._field("tags", "Tags", typed.tags, kind="text", hint="One a line.")
        yield self._field("source", "Source", typed.source, kind="text", rows=1)
        yield self._field("licence", "Licence", typed.licence, kind="text", rows=1)

    def passage(self, name: str, at: int, typed: TypedPassage) -> Row:
        path = f"{name}.{at}"
        fields = {
            "id": self._field(f"{path}.id", "Id", typed.id),
            "text": self._field(f"{path}.text", "Text", typed.text, kind="text", rows=3),
            "source": self._field(f"{path}.source", "Origin", typed.source, kind="text", rows=1),
        }
        return self._row(path, f"Passage {at + 1}", fields)

    def statement(self, at: int, typed: TypedStatement) -> Row:
        path = f"statements.{at}"
        expected = f"{path}.expected"
        quotes = [
            self._quote(f"{expected}.evidence.{number}", number, one)
            for number, one in enumerate(typed.evidence)
        ]
        fields = self._stated(path, typed) | {
            "claim_class": self._word(f"{expected}.claim_class", "Class", typed, ClaimClass),
            "verdict": self._word(f"{expected}.verdict", "Verdict", typed, Verdict),
            "rationale": self._field(
                f"{expected}.rationale", "Rationale", typed.rationale, kind="text"
            ),
        }
        row = self._row(path, f"Statement {at + 1}", fields, quotes)
        return replace(row, warning=self._lost(typed))

    def _lost(self, typed: TypedStatement) -> str:
        """The qualifiers of its sentence in the answer that a statement has not."""
        try:
            span = span_of(typed.span, typed.text, self._typed.answer, field="span")
        except BadInput:
            return ""
        lost = dropped_in(typed.text, span, self._typed.answer)
        return f"Its sentence in the answer has {named(lost)}, and this has not." if lost else ""

    def _stated(self, path: str, typed: TypedStatement) -> dict[str, Field]:
        parents = [one.statement_id for one in self._typed.statements if one is not typed]
        from_none = [("", "none"), *((id_, id_) for id_ in parents if id_)]
        options = _with(from_none, typed.parent_id, typed.parent_id)
        return {
            "statement_id": self._field(f"{path}.statement_id", "Id", typed.statement_id),
            "text": self._field(f"{path}.text", "Text", typed.text, kind="text"),
            "span": self._field(
                f"{path}.span",
                "In the answer",
                typed.span,
                kind="choice",
                options=self._spans(typed),
            ),
            "parent_id": self._field(
                f"{path}.parent_id", "Split from", typed.parent_id, kind="choice", options=options
            ),
            "claim_type": self._word(f"{path}.claim_type", "Claim type", typed, ClaimType),
            "speech_act": self._word(f"{path}.speech_act", "Speech act", typed, SpeechAct),
        }

    def _quote(self, path: str, at: int, typed: TypedEvidence) -> Row:
        side = self._side
        starts = _starts(self._typed, typed)
        hint = f"It begins at {', '.join(map(str, starts))}." if len(starts) > 1 else ""
        fields = {
            "passage_id": self._field(
                f"{path}.passage_id", "Passage", typed.passage_id, suggestions=f"passages-{side}"
            ),
            "source_id": self._field(
                f"{path}.source_id", "or source", typed.source_id, suggestions="sources"
            ),
            "quote": self._field(f"{path}.quote", "Quote", typed.quote, kind="text"),
            "start": self._field(f"{path}.start", "Begins at", typed.start, hint=hint),
        }
        return self._row(path, f"Quote {at + 1}", fields)

    def _spans(self, typed: TypedStatement) -> list[Option]:
        listed = [
            (FOUND, "where its text stands"),
            (NOWHERE, "nowhere: rewritten, or a premise"),
            *self._places,
        ]
        return _with(listed, typed.span, f"as chosen before: {self._before(typed.span)}")

    def _before(self, place: str) -> str:
        span = _span(place)
        return _short(self._typed.answer[span[0] : span[1]]) if span else "no place"

    def _word(
        self, path: str, label: str, typed: TypedStatement, vocabulary: type[StrEnum]
    ) -> Field:
        value = getattr(typed, path.rsplit(".", 1)[1])
        words = [("", "not stated"), *((word.value, words_of(word)) for word in vocabulary)]
        options = _with(words, value, value)
        return self._field(path, label, value, kind="choice", options=options)

    def _row(
        self, path: str, title: str, fields: Mapping[str, Field], quotes: Sequence[Row] = ()
    ) -> Row:
        at = f"{self._side}.{path}"
        return Row(at, title, self._errors.get(at, ""), fields, quotes)

    def _field(
        self,
        path: str,
        label: str,
        value: str,
        *,
        kind: str = "line",
        hint: str = "",
        options: Sequence[Option] = (),
        suggestions: str = "",
        rows: int = 2,
    ) -> Field:
        name = f"{self._side}.{path}"
        lines = max(rows, min(12, value.count("\n") + len(value) // 70 + 1))
        error = self._errors.get(name, "")
        return Field(name, label, value, kind, error, hint, options, suggestions, lines)


def _with(options: Sequence[Option], value: str, label: str) -> list[Option]:
    """``options``, and what was typed where it is none of them: nothing typed is dropped."""
    known = any(value == one for one, _ in options)
    return [*options] if known else [*options, (value, label)]


def _span(place: str) -> Span | None:
    parts = place.split("-")
    if len(parts) == 3 and all(part.isdigit() and len(part) < 8 for part in parts[:2]):
        return int(parts[0]), int(parts[1])
    return None


def _starts(case: TypedCase, typed: TypedEvidence, *, most: int = 10) -> list[int]:
    """Where the quote stands in the passage that it cites."""
    text = next((one.text for one in case.context if one.id == typed.passage_id), "")
    starts: list[int] = []
    at = text.find(typed.quote) if typed.quote else -1
    while at >= 0 and len(starts) < most:
        starts.append(at)
        at = text.find(typed.quote, at + 1)
    return starts


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"
