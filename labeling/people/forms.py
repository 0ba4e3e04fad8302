"""Accounts as forms name them."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.forms import SetPasswordMixin, UsernameField
from django.contrib.auth.models import User

from grounding.errors import AssizeError
from labeling.models import Role
from labeling.people import accounts, invitations
from labeling.wording.vocabulary import sentence


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
            raise forms.ValidationError(f"{sentence(error.message)}.") from None
        return name

    def clean(self) -> dict[str, Any]:
        self.validate_passwords()
        person = User(username=self.cleaned_data.get("username", ""))
        self.validate_password_for_user(person, "password1")
        return self.cleaned_data
