"""Accounts as forms name them."""

from __future__ import annotations

from django import forms
from django.contrib.auth.models import User

from labeling.models import Role


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
