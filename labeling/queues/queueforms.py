"""What a lead fills in to open a queue, or to give it another guideline."""

from __future__ import annotations

import secrets
from typing import Any, Final, cast

from django import forms

from grounding.errors import BadInput
from labeling.cases import caselists
from labeling.models import CalibrationSet, QueueOrder
from labeling.queues import MAX_OVERLAP, MAX_SEED, Terms, selections
from labeling.queues.selections import Kind, Selection

MAX_GUIDELINE = 50_000

NO_GOLD, DRAWN, TAGGED = "none", "drawn", "tag"

KINDS: Final = {
    Kind.ALL: "Every statement of the set",
    Kind.TAG: "Those of cases with a tag",
    Kind.PAIR_KIND: "Those of pairs of one kind",
    Kind.WITHOUT_REFERENCE: "Those without a human reference",
    Kind.DISPUTED: "Those where blind labels disagree",
}
ORDERS: Final = {
    QueueOrder.RANDOM: "At random",
    QueueOrder.FEWEST: "Statements with the fewest labels first, at random among equals",
}
GOLD: Final = {
    NO_GOLD: "None",
    DRAWN: "Some, drawn from statements whose answer is adjudicated or agreed on",
    TAGGED: "Those of cases with a tag whose answer is known",
}

# What `queues` and `selections` call a field that the form has under another name.
_NAMED: Final = {"lease_seconds": "lease_minutes", "selection": "kind", "gold": "gold_tag"}


class GuidelineForm(forms.Form):
    guideline = forms.CharField(
        label="Guideline",
        help_text="Markdown. It stands beside the work, for everyone who labels here.",
        required=False,
        strip=False,
        max_length=MAX_GUIDELINE,
        widget=forms.Textarea({"rows": 12}),
    )

    def clean_guideline(self) -> str:
        # Browsers send every line end as two characters.
        return str(self.cleaned_data["guideline"]).replace("\r\n", "\n")

    def refuse(self, error: BadInput) -> None:
        """Put what was refused beside the field that it names."""
        name = _NAMED.get(error.field or "", error.field)
        self.add_error(name if name in self.fields else None, error.message)

    @property
    def written(self) -> str:
        """The guideline as it stands on the form, taken or not."""
        return str(self["guideline"].value() or "")[:MAX_GUIDELINE]


class OpenForm(GuidelineForm):
    """``fixed`` is a selection that was made elsewhere; the form then asks for none."""

    title = forms.CharField(
        label="Title",
        max_length=200,
        help_text="Annotators see it, so it should not say what is expected of the statements.",
    )
    kind = forms.ChoiceField(label="Statements", initial=Kind.ALL, widget=forms.RadioSelect)
    tag = forms.ChoiceField(label="Tag", required=False)
    pair_kind = forms.ChoiceField(label="Pair kind", required=False)
    overlap = forms.IntegerField(
        label="Labels for each statement",
        help_text="From as many different annotators.",
        min_value=1,
        max_value=MAX_OVERLAP,
        initial=2,
    )
    order = forms.ChoiceField(
        label="Order", choices=ORDERS, initial=QueueOrder.RANDOM, widget=forms.RadioSelect
    )
    seed = forms.IntegerField(
        label="Seed",
        help_text="Left empty, one is drawn. It stands on the queue's page, and the same seed"
        " gives the same order again.",
        required=False,
        min_value=0,
        max_value=MAX_SEED,
    )
    lease_minutes = forms.IntegerField(
        label="Minutes that a statement is kept for someone",
        help_text="Then someone else may have it. What was written stays as a draft, and a late"
        " label is kept.",
        min_value=1,
        max_value=7 * 24 * 60,
        initial=30,
    )
    gold = forms.ChoiceField(
        label="Gold statements",
        help_text="Everyone meets all of them, whatever the number of labels, and none can tell"
        " them from the others.",
        choices=GOLD,
        initial=NO_GOLD,
        widget=forms.RadioSelect,
    )
    gold_count = forms.IntegerField(
        label="How many gold ones", required=False, min_value=1, max_value=1000, initial=10
    )
    gold_tag = forms.ChoiceField(label="Tag of the gold ones", required=False)
    gold_every = forms.IntegerField(
        label="One statement in how many",
        help_text="About as often a gold one comes next, as long as there are any.",
        required=False,
        min_value=2,
        max_value=1000,
        initial=10,
    )

    field_order = ("title", "kind", "tag", "pair_kind", "overlap", "order", "seed")

    def __init__(
        self, calibration_set: CalibrationSet, *args: Any, fixed: Selection | None = None
    ) -> None:
        super().__init__(*args)
        self.set, self.fixed = calibration_set, fixed
        tags, kinds = selections.tags_of(calibration_set), caselists.kinds_of(calibration_set)
        self._offer("tag", tags)
        self._offer("gold_tag", tags)
        self._offer("pair_kind", kinds)
        absent = {Kind.TAG: not tags, Kind.PAIR_KIND: not kinds}
        self._field("kind").choices = [one for one in KINDS.items() if not absent.get(one[0])]
        if not tags:
            self._field("gold").choices = [one for one in GOLD.items() if one[0] != TAGGED]
        if fixed is not None:
            for name in ("kind", "tag", "pair_kind"):
                del self.fields[name]

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        for name in self._needed(given):
            if not given.get(name) and name not in self.errors:
                self.add_error(name, "This is needed for what you chose.")
        return given

    def _needed(self, given: dict[str, Any]) -> list[str]:
        """The fields that must be filled in because of what others say."""
        kind, gold = given.get("kind"), given.get("gold")
        needed = [kind] if kind in (Kind.TAG, Kind.PAIR_KIND) else []
        if gold in (DRAWN, TAGGED):
            needed += ["gold_count" if gold == DRAWN else "gold_tag", "gold_every"]
        return [str(name) for name in needed]

    def selection(self) -> Selection | None:
        """What is selected; None where the form does not say it rightly."""
        if self.fixed is not None:
            return self.fixed
        kind, said = self._said("kind"), {Kind.TAG: "tag", Kind.PAIR_KIND: "pair_kind"}
        if kind is None or (kind in said and not self._said(said[Kind(kind)])):
            return None
        value = self._said(said[Kind(kind)]) if kind in said else ""
        return Selection(Kind(kind), str(value))

    def terms(self) -> Terms:
        """Only for a valid form. A seed that was not given is drawn here, since the gold
        statements are drawn by it too."""
        given = self.cleaned_data
        seed = given["seed"]
        return Terms(
            title=given["title"],
            guideline=given["guideline"],
            overlap=given["overlap"],
            lease_seconds=given["lease_minutes"] * 60,
            order=QueueOrder(given["order"]),
            seed=secrets.randbelow(2**31) if seed is None else seed,
            gold_every=given["gold_every"] if given["gold"] != NO_GOLD else 0,
        )

    def gold_statements(self, seed: int) -> list[int]:
        """The gold statements by primary key. BadInput, with the field, where there are none."""
        gold = self._said("gold")
        if gold == DRAWN and self._said("gold_count"):
            return selections.drawn(self.set, int(self._said("gold_count")), seed=seed)
        if gold == TAGGED and self._said("gold_tag"):
            return selections.tagged(self.set, str(self._said("gold_tag")))
        return []

    @property
    def asked_overlap(self) -> int | None:
        found: int | None = self._said("overlap")
        return found

    def _said(self, name: str) -> Any:
        """The value of a field, of a form that was sent or of a fresh one; None if it is wrong."""
        if not self.is_bound:
            return self.fields[name].initial
        return None if name in self.errors else self.cleaned_data.get(name)

    def _offer(self, name: str, values: list[str]) -> None:
        self._field(name).choices = [("", "choose one"), *((one, one) for one in values)]

    def _field(self, name: str) -> forms.ChoiceField:
        return cast(forms.ChoiceField, self.fields[name])
