"""What comes in from the desk, read and checked for shape.

Whether class, verdict and evidence may stand together is the contract's to say:
`labels.submit` asks it, and `refuse` puts its answer beside the field.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import uuid4

from django import forms
from django.utils import timezone
from django.utils.datastructures import MultiValueDict
from pydantic import ValidationError

from grounding.contract import ClaimClass, ClaimType, SpeechAct, Verdict
from grounding.errors import BadInput
from grounding.interchange.models import MAX_TEXT, Evidence
from labeling import constraints
from labeling.desk import parts, sheets
from labeling.desk.drafts import Typed
from labeling.models import Label, RemarkKind
from labeling.values import LabelValues, Part

_LINE_END = re.compile(r"\r+\n")
_MOST: Final = 2**31 - 1


class Many(forms.Widget):
    """Any number of fields of one name."""

    def value_from_datadict(self, data: Mapping[str, Any], files: Any, name: str) -> list[str]:
        return data.getlist(name) if isinstance(data, MultiValueDict) else list(data.get(name, ()))


class EvidenceField(forms.Field):
    """Fields of one name, each the JSON of one piece of evidence."""

    widget = Many

    def to_python(self, value: list[str] | None) -> tuple[Evidence, ...]:
        """The evidence in the order sent; the same twice counts once."""
        return tuple(dict.fromkeys(map(_evidence, value or ())))


class PartsField(forms.Field):
    """Fields of one name, each the JSON of one part."""

    widget = Many

    def to_python(self, value: list[str] | None) -> tuple[Part, ...]:
        try:
            return tuple(map(parts.read, value or ()))
        except BadInput:
            raise forms.ValidationError("A part arrived that cannot be read.") from None


def _evidence(raw: str) -> Evidence:
    try:
        return Evidence.model_validate_json(raw)
    except ValidationError:
        raise forms.ValidationError("A quote arrived that cannot be read.") from None


class OpenedForm(forms.Form):
    """What every form of the desk carries: its token, the draft's edition that it was opened on,
    and which of its saves comes next."""

    submission = forms.UUIDField()
    edition = forms.IntegerField(required=False, min_value=0, max_value=_MOST)
    number = forms.IntegerField(required=False, min_value=0, max_value=_MOST)

    def opening(self) -> dict[str, Any]:
        """What a save is told about the form; BadInput where the form does not say."""
        if not self.is_valid():
            raise BadInput(
                "this form is not from the desk; open it anew", field=next(iter(self.errors))
            )
        given = self.cleaned_data
        return {
            "form": given["submission"],
            "number": given["number"] or 0,
            "edition": given["edition"] or 0,
        }


class AfterForm(forms.Form):
    """The statement, by its key, after which the next one is asked for; none for now."""

    after = forms.UUIDField(required=False)


class RemarkForm(forms.Form):
    """Which kind of remark is meant."""

    kind = forms.TypedChoiceField(choices=RemarkKind.choices, coerce=RemarkKind)


class JudgedForm(OpenedForm):
    """What a label and a part of it are both judged by."""

    claim_class = forms.TypedChoiceField(
        label="Class",
        choices=constraints.choices(ClaimClass),
        coerce=ClaimClass,
        empty_value=None,
        required=False,
    )
    verdict = forms.TypedChoiceField(
        choices=constraints.choices(Verdict), coerce=Verdict, empty_value=None, required=False
    )
    evidence = EvidenceField(required=False)
    rationale = forms.CharField(required=False, max_length=MAX_TEXT, strip=False)

    def clean_rationale(self) -> str:
        # Browsers send every line end as two characters.
        return _LINE_END.sub("\n", self.cleaned_data["rationale"])

    def refuse(self, faults: Iterable[BadInput]) -> None:
        """Put what the contract says beside the fields that it names, but for those that could
        not even be read."""
        unread = set(self.errors)
        for fault in faults:
            name = (fault.field or "").split(".")[0]
            if name not in unread:
                self.add_error(name if name in self.fields else None, self._worded(fault))

    def _worded(self, fault: BadInput) -> str:
        return fault.message

    def chosen(self) -> tuple[Evidence, ...]:
        """The evidence on the form, as far as it can be read."""
        if self.is_bound:
            return tuple(self.cleaned_data.get("evidence") or ())
        found = []
        for raw in self.initial.get("evidence", ()):
            try:
                found.append(_evidence(raw))
            except forms.ValidationError:
                continue
        return tuple(found)


class LabelForm(JudgedForm):
    claim_type = forms.TypedChoiceField(
        choices=constraints.choices(ClaimType), coerce=ClaimType, empty_value=None, required=False
    )
    speech_act = forms.TypedChoiceField(
        choices=constraints.choices(SpeechAct),
        coerce=SpeechAct,
        empty_value=SpeechAct.ASSERTION,
        required=False,
    )
    confidence = forms.FloatField(required=False)
    part = PartsField(required=False, label="Parts")
    unsure = forms.BooleanField(required=False)
    skipped_reason = forms.CharField(required=False, label="Why you skip it")
    flagged_reason = forms.CharField(required=False, label="What is wrong with the case")
    active_seconds = forms.CharField(required=False)
    replaces = forms.IntegerField(required=False, min_value=1, max_value=2**63 - 1)

    def values(self) -> LabelValues:
        """What was filled in, as far as it can be read."""
        given = self.cleaned_data
        names = ("claim_class", "verdict", "evidence", "rationale")
        more = ("claim_type", "speech_act", "confidence")
        return LabelValues(
            **{name: given.get(name) for name in (*names[:2], *more)},
            rationale=given.get("rationale", ""),
            evidence=given.get("evidence", ()),
            parts=given.get("part", ()),
            unsure=given.get("unsure", False),
        )

    def active(self, since: datetime) -> float | None:
        """The seconds of work that the page measured; None where they cannot be true."""
        try:
            measured = float(self.cleaned_data.get("active_seconds", ""))
        except ValueError:
            return None
        possible = (timezone.now() - since).total_seconds()
        return measured if 0 <= measured <= possible else None

    def parts(self) -> Sequence[Part]:
        """The parts on the form, as far as they can be read."""
        return parts.readable(self["part"].value() or ())

    def _worded(self, fault: BadInput) -> str:
        _, number, field = (*(fault.field or "").split("."), "", "")[:3]
        if not number.isdigit():
            return fault.message
        return f"Part {int(number) + 1}, {_named(field)}: {fault.message}"

    def refuse(self, faults: Iterable[BadInput]) -> None:
        """Faults of parts all stand at the one field that carries them."""
        super().refuse(_at_part(fault) for fault in faults)


def _at_part(fault: BadInput) -> BadInput:
    if fault.field and fault.field.startswith("parts"):
        fault.field = "part" + fault.field.removeprefix("parts")
    return fault


def _named(field: str) -> str:
    return {"claim_class": "class", "span": "words"}.get(field, field)


class PartForm(JudgedForm):
    """One part: the words of the answer that it stands in, or words of the annotator's own."""

    words = forms.CharField(required=False, label="Where it stands")
    text = forms.CharField(required=False, max_length=MAX_TEXT, strip=False, label="What it states")

    def clean_text(self) -> str:
        return _LINE_END.sub("\n", self.cleaned_data["text"])

    def part(self, answer: str) -> Part:
        """The part as filled in, as far as it can be read; BadInput for words that the answer
        does not have, or where both the answer's words and others are given."""
        given = self.cleaned_data
        span, text = parts.span_in(given.get("words", "")), given.get("text", "")
        quoted = parts.quoted(answer, span, text)
        if span is not None and text.strip() and text != quoted.text:
            raise BadInput("choose the answer's words or write your own, not both", field="text")
        return Part(
            quoted.text,
            quoted.span,
            given.get("claim_class"),
            given.get("verdict"),
            given.get("rationale", ""),
            given.get("evidence", ()),
        )


def over(typed: Typed, *, edition: int) -> LabelForm:
    """A form to label with, filled with what `drafts.opened` says."""
    given = {"speech_act": SpeechAct.ASSERTION.value} | typed
    return LabelForm(initial=given | _fresh(edition))


def over_part(part: Part, *, edition: int) -> PartForm:
    filled = {
        "words": parts.words_of(part.span),
        "text": "" if part.span else part.text,
        "claim_class": part.claim_class,
        "verdict": part.verdict,
        "rationale": part.rationale,
        "evidence": [sheets.value_of(item) for item in part.evidence],
    }
    return PartForm(initial=filled | _fresh(edition))


def _fresh(edition: int) -> dict[str, Any]:
    return {"submission": uuid4(), "edition": edition, "number": 1}


def evidence_of(label: Label) -> tuple[Evidence, ...]:
    return tuple(Evidence.model_validate(item) for item in label.evidence)
