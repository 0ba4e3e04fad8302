"""What a lead may send in."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.contrib.auth.models import User

from calibration import rubrics
from calibration.access import sets_led_by
from calibration.drafting.trials import MOST_CASES
from calibration.models import RubricVersion
from calibration.runs import MAX_REPEATS, probes
from calibration.runs.probes import Probe
from calibration.runs.spending import Budget
from grounding.errors import BadInput
from grounding.rubrics.loading import MAX_BYTES
from labeling.models import CalibrationSet

BUDGET: Final = ("max_calls", "max_tokens", "max_cost")
MOST: Final = 999_999_999


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

    max_calls = forms.IntegerField(label="Most calls", min_value=1, max_value=MOST, required=False)
    max_tokens = forms.IntegerField(
        label="Most tokens", min_value=1, max_value=MOST, required=False
    )
    max_cost = forms.FloatField(
        label="Most money", min_value=0.000001, max_value=MOST, required=False
    )

    def __init__(self, *arguments: Any, asked: str | None = None, **options: Any) -> None:
        """``asked`` is the version, as NAME@VERSION, that stands chosen."""
        super().__init__(*arguments, **options)
        name, _, version = (asked or "").partition("@")
        versions = self.fields["rubric_version"].queryset  # type: ignore[attr-defined]
        self.fields["rubric_version"].initial = versions.filter(name=name, version=version).first()

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        version = given.get("rubric_version")
        if version is not None and not self.errors:
            try:
                self.budget.require_possible(rubrics.verified_definition(version))
            except BadInput as error:
                self.add_error(error.field if error.field in self.fields else None, error.message)
        return given

    @property
    def budget(self) -> Budget:
        return Budget(*(self.cleaned_data.get(name) for name in BUDGET))

    @property
    def plan(self) -> dict[str, Any]:
        chosen = self.cleaned_data
        return {
            "rubric_version": chosen["rubric_version"],
            "repeats": chosen["repeats"] or 1,
            "budget": self.budget,
        }

    @property
    def chosen(self) -> list[forms.BoundField]:
        return [field for field in self if field.name not in BUDGET]

    @property
    def budgets(self) -> list[forms.BoundField]:
        return [self[name] for name in BUDGET]

    @property
    def budgeted(self) -> bool:
        return any(field.value() or field.errors for field in self.budgets)

    @property
    def seal(self) -> str:
        """What an estimate was shown for; another plan needs another look."""
        chosen = self.plan
        return f"{chosen['rubric_version'].pk}-{chosen['repeats']}"


class StartProbe(forms.Form):
    """Which probe of a judge to start."""

    kind = forms.ChoiceField(choices=[(kind, kind) for kind in probes.KINDS])
    seed = forms.IntegerField(min_value=0, max_value=2**63 - 1, required=False)
    characters = forms.IntegerField(min_value=1, max_value=probes.MOST_CHARACTERS, required=False)

    @property
    def probe(self) -> Probe:
        given = self.cleaned_data
        return probes.probe(given["kind"], seed=given["seed"], characters=given["characters"])


class Rerun(forms.Form):
    """With what budget, for all rounds together, failures are judged again."""

    max_calls = forms.IntegerField(min_value=1, max_value=MOST, required=False)
    max_tokens = forms.IntegerField(min_value=1, max_value=MOST, required=False)
    max_cost = forms.FloatField(min_value=0.000001, max_value=MOST, required=False)

    @property
    def budget(self) -> Budget | None:
        """None leaves the run's own as it is."""
        given = Budget(*(self.cleaned_data.get(name) for name in BUDGET))
        return given if any(part is not None for part in given.parts) else None


class Train(forms.Form):
    """From which references on the learned judge is trained, and for which labelling scope."""

    reference = forms.ChoiceField(
        label="References taken",
        choices=[
            ("single", "blind labels: single, consensus, adjudicated"),
            ("consensus", "consensus and adjudicated"),
            ("adjudicated", "adjudicated alone"),
            ("author", "the author's expectations too"),
        ],
    )
    scope = forms.ModelChoiceField(
        RubricVersion.objects.filter(recorded=False).defer("definition").order_by("-pk"),
        label="Labelling scope of",
        required=False,
        empty_label="the shipped rubric",
    )


class BeginDraft(forms.Form):
    """What a draft starts from: a released version, or YAML or JSON as a file or pasted."""

    based_on = forms.ModelChoiceField(
        RubricVersion.objects.filter(recorded=False).defer("definition").order_by("-pk"),
        label="Released version",
        required=False,
        empty_label=None,
    )
    file = forms.FileField(label="File", required=False, allow_empty_file=True)
    text = forms.CharField(
        label="Or its text", required=False, strip=False, widget=forms.Textarea({"rows": 8})
    )

    def clean_file(self) -> str | None:
        file = self.cleaned_data["file"]
        if file is None:
            return None
        if file.size > MAX_BYTES:
            raise forms.ValidationError(f"A rubric may have at most {MAX_BYTES} bytes.")
        try:
            return str(file.read().decode())
        except UnicodeDecodeError:
            raise forms.ValidationError("The file is not UTF-8.") from None

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        stated = [one for one in ("based_on", "file", "text") if given.get(one) not in (None, "")]
        if not self.errors and len(stated) != 1:
            raise forms.ValidationError("Give one of the three: a version, a file or a text.")
        return given

    @property
    def yaml(self) -> str:
        return str(self.cleaned_data["file"] or self.cleaned_data["text"])


class TryOut(forms.Form):
    """On which set a definition is tried, and on which of its cases."""

    set: forms.ModelChoiceField[CalibrationSet] = forms.ModelChoiceField(
        CalibrationSet.objects.none(), to_field_name="slug", empty_label=None, label="Set"
    )
    cases = forms.CharField(
        label="Cases",
        required=False,
        max_length=1_000,
        help_text=f"Up to {MOST_CASES} ids, apart by spaces. Empty takes {MOST_CASES}, "
        "spread through the set.",
    )

    def __init__(self, user: User, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.fields["set"].queryset = sets_led_by(user)  # type: ignore[attr-defined]

    @property
    def case_ids(self) -> list[str]:
        return str(self.cleaned_data["cases"]).split()
