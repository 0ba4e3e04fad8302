"""What a lead may send in."""

from __future__ import annotations

from typing import Any

from django import forms

from calibration.models import RubricVersion
from calibration.runs import MAX_REPEATS


class StartRun(forms.Form):
    """Which rubric version to run, and how often each statement is judged."""

    rubric_version = forms.ModelChoiceField(
        RubricVersion.objects.filter(recorded=False).defer("definition"),
        label="Rubric version",
        empty_label=None,
    )
    repeats = forms.IntegerField(
        label="Repeats", min_value=1, max_value=MAX_REPEATS, initial=1, required=False
    )

    @property
    def plan(self) -> dict[str, Any]:
        chosen = self.cleaned_data
        return {"rubric_version": chosen["rubric_version"], "repeats": chosen["repeats"] or 1}
