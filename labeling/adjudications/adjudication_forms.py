"""The forms on which a lead decides: one statement by the desk's fields, or many at once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID, uuid4

from django import forms

from grounding.contract import SpeechAct
from grounding.interchange.models import MAX_TEXT
from labeling.adjudications import Opened
from labeling.desk import sheets
from labeling.desk.deskforms import LabelForm, Many, evidence_of
from labeling.models import Label

_LIST: Final = re.compile(r"(?:[1-9][0-9]{0,17}(?:,[1-9][0-9]{0,17})*)?")
_LONGEST: Final = 10_000
_FIELDS: Final = ("claim_class", "verdict", "rationale", "claim_type", "speech_act")


class LabelsField(forms.Field):
    """Labels by primary key, as one text: ``3,7,12``."""

    def to_python(self, value: str | None) -> list[int]:
        text = value or ""
        if len(text) > _LONGEST or not _LIST.fullmatch(text):
            raise forms.ValidationError("The form arrived damaged; open it anew.")
        return [int(pk) for pk in text.split(",") if pk]


class AdjudicationForm(LabelForm):
    over = LabelsField(required=False)
    split_as = forms.IntegerField(required=False, min_value=1, max_value=2**63 - 1)

    def opened(self) -> Opened:
        given = self.cleaned_data
        return Opened(given["over"], given["replaces"])


def over_text(labels: Sequence[int]) -> str:
    return ",".join(map(str, labels))


def deciding(over: Sequence[int], stands: Label | None) -> AdjudicationForm:
    """A form to decide on: empty, or filled with the decision that it would replace."""
    if stands is None:
        return _filled(over, None, {"speech_act": SpeechAct.ASSERTION})
    return _filled(over, stands, _said_by(stands))


def following(
    label: Label, over: Sequence[int], stands: Label | None, *, rationale: str
) -> AdjudicationForm:
    """The form filled with what ``label`` says; a ``rationale`` that was written stays."""
    said = _said_by(label)
    if label.premises:
        said["split_as"] = label.pk
    return _filled(over, stands, said | ({"rationale": rationale} if rationale else {}))


def _filled(over: Sequence[int], stands: Label | None, said: dict[str, Any]) -> AdjudicationForm:
    own = {
        "submission": uuid4(),
        "over": over_text(over),
        "replaces": stands.pk if stands else None,
    }
    return AdjudicationForm(initial=said | own)


def _said_by(label: Label) -> dict[str, Any]:
    said = {name: getattr(label, name) for name in _FIELDS}
    return said | {"evidence": [sheets.value_of(item) for item in evidence_of(label)]}


class ChosenField(forms.Field):
    """Any number of fields of one name, each ``statement:labels``."""

    widget = Many

    def to_python(self, value: list[str] | None) -> dict[UUID, list[int]]:
        """The labels that were shown, by the public key of their statement."""
        return dict(map(_chosen, value or ()))


def _chosen(raw: str) -> tuple[UUID, list[int]]:
    key, _, labels = raw.partition(":")
    try:
        return UUID(key), LabelsField(required=False).clean(labels)
    except ValueError:
        raise forms.ValidationError("The form arrived damaged; open it anew.") from None


class MajoritiesForm(forms.Form):
    chosen = ChosenField(error_messages={"required": "Tick what is to be decided."})
    rationale = forms.CharField(
        max_length=MAX_TEXT,
        strip=False,
        error_messages={"required": "Say in a sentence why; it is kept with each decision."},
    )
    submission = forms.UUIDField()

    def clean_rationale(self) -> str:
        text: str = self.cleaned_data["rationale"].replace("\r\n", "\n")
        if not text.strip():
            raise forms.ValidationError("Say in a sentence why; it is kept with each decision.")
        return text
