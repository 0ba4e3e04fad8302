"""What comes in from the pages, read and checked for shape.

Whether class, verdict and evidence may stand together is the contract's to say:
`labels.submit` asks it, and `refuse` puts its answer beside the field.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from django import forms
from django.contrib.auth.forms import SetPasswordMixin, UsernameField
from django.contrib.auth.models import User
from django.utils.datastructures import MultiValueDict
from pydantic import ValidationError

from grounding.contract import ClaimClass, ClaimType, SpeechAct, Verdict
from grounding.errors import AssizeError, BadInput
from grounding.interchange.models import MAX_TEXT, Evidence
from labeling import accounts, constraints, invitations
from labeling.models import Label, Role
from labeling.values import LabelValues

_LINE_END = re.compile(r"\r+\n")


class EvidenceInput(forms.Widget):
    """Any number of fields of one name, each the JSON of one piece of evidence."""

    def value_from_datadict(self, data: Mapping[str, Any], files: Any, name: str) -> list[str]:
        return data.getlist(name) if isinstance(data, MultiValueDict) else list(data.get(name, ()))


class EvidenceField(forms.Field):
    widget = EvidenceInput

    def to_python(self, value: list[str] | None) -> tuple[Evidence, ...]:
        """The evidence in the order sent; the same twice counts once."""
        return tuple(dict.fromkeys(map(_evidence, value or ())))


def _evidence(raw: str) -> Evidence:
    try:
        return Evidence.model_validate_json(raw)
    except ValidationError:
        raise forms.ValidationError("A quote arrived that cannot be read.") from None


class LabelForm(forms.Form):
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
    submission = forms.UUIDField()
    replaces = forms.IntegerField(required=False, min_value=1, max_value=2**63 - 1)

    def clean_rationale(self) -> str:
        # Browsers send every line end as two characters.
        return _LINE_END.sub("\n", self.cleaned_data["rationale"])

    def values(self) -> LabelValues:
        """What was filled in; only for a valid form."""
        given = self.cleaned_data
        names = ("claim_class", "verdict", "evidence", "rationale")
        more = ("claim_type", "speech_act", "confidence")
        return LabelValues(**{name: given[name] for name in (*names, *more)})

    def refuse(self, error: BadInput) -> None:
        """Put what the contract says beside the field that it names."""
        name = (error.field or "").split(".")[0]
        self.add_error(name if name in self.fields else None, error.message)

    def chosen(self) -> tuple[Evidence, ...]:
        """The evidence on the form, as far as it can be read."""
        if not self.is_bound:
            return tuple(self.initial.get("evidence", ()))
        return tuple(self.cleaned_data.get("evidence") or ())


def empty_label() -> LabelForm:
    return LabelForm(initial={"speech_act": SpeechAct.ASSERTION, "submission": uuid4()})


def label_over(live: Label | None) -> LabelForm:
    """A form to label with: empty, or filled with the label that it would replace."""
    if live is None:
        return empty_label()
    names = ("claim_class", "verdict", "rationale", "claim_type", "speech_act", "confidence")
    filled = {name: getattr(live, name) for name in names}
    evidence = evidence_of(live)
    return LabelForm(
        initial=filled | {"evidence": evidence, "submission": uuid4(), "replaces": live.pk}
    )


def evidence_of(label: Label) -> tuple[Evidence, ...]:
    return tuple(Evidence.model_validate(item) for item in label.evidence)


class NameForm(forms.Form):
    """An account by name."""

    username = forms.CharField(max_length=150, label="Name")

    def clean_username(self) -> User:
        found = User.objects.filter(username=self.cleaned_data["username"]).first()
        if found is None:
            raise forms.ValidationError("There is no account of that name.")
        return found


class MemberForm(NameForm):
    """An account by name, and the role that it is to have."""

    role = forms.TypedChoiceField(choices=Role.choices, coerce=Role)

    def clean_username(self) -> User:
        found = super().clean_username()
        if not found.is_active:
            raise forms.ValidationError("That account is deactivated.")
        return found


class InviteForm(forms.Form):
    """Whom a link is to let in, and for how long."""

    role = forms.TypedChoiceField(choices=Role.choices, coerce=Role)
    note = forms.CharField(max_length=200, required=False)
    days = forms.IntegerField(min_value=1, max_value=30, initial=invitations.LASTS.days)


class JoinForm(SetPasswordMixin, forms.Form):  # type: ignore[type-arg]  # only in its stubs
    """The name and the password of a new account, chosen by whom they are for."""

    username = UsernameField(max_length=accounts.MAX_NAME)
    password1, password2 = SetPasswordMixin.create_password_fields()

    def clean_username(self) -> str:
        name: str = self.cleaned_data["username"]
        try:
            accounts.require_free_name(name)
        except AssizeError as error:
            raise forms.ValidationError(f"{error.message[0].upper()}{error.message[1:]}.") from None
        return name

    def clean(self) -> dict[str, Any]:
        self.validate_passwords()
        person = User(username=self.cleaned_data.get("username", ""))
        self.validate_password_for_user(person, "password1")
        return self.cleaned_data
