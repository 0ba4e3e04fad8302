"""What is being written at a desk, kept as it was typed until it is submitted.

The newest save of one opened form wins, however late another arrives; over a draft that some
other form changed meanwhile nothing is saved. A draft never takes the place of a label.
"""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.http import QueryDict
from django.utils import timezone

from grounding.errors import BadInput, Refused
from grounding.interchange.models import MAX_TEXT, Evidence
from labeling import labels
from labeling.desk import parts, sheets
from labeling.models import Annotator, Assignment, Label
from labeling.queues import claims, remarks
from labeling.values import MAX_EVIDENCE, MAX_PARTS, Part

Typed = dict[str, Any]
"""The fields of a form by name, as typed: one text each, a list of texts in those of LISTS."""

FIELDS: Final = (
    "claim_class",
    "verdict",
    "rationale",
    "claim_type",
    "speech_act",
    "confidence",
    "unsure",
    "replaces",
    "active_seconds",
)
LISTS: Final = {"evidence": MAX_EVIDENCE, "part": MAX_PARTS}

_COLUMNS: Final = ("", "_tab", "_number", "_edition", "_at")
# Stands in every form, whether or not anything was written.
_GIVEN: Final = {"speech_act", "replaces", "active_seconds"}


class DraftConflict(Refused):
    """Another draft stands than the one that was written on. Nothing was saved: ``stored`` is
    the assignment with what stands (its draft may be None), ``typed`` what was sent."""

    def __init__(self, stored: Assignment, typed: Typed) -> None:
        super().__init__("this statement's draft was changed elsewhere after the form was opened")
        self.stored = stored
        self.typed = typed


class LateDraft(DraftConflict):
    """A save that was overtaken by a newer one of the same form."""


class AlreadySubmitted(Refused):
    """The form was submitted: its label stands, and a draft does not take its place."""


def typed_in(posted: QueryDict) -> Typed:
    """What stands in the fields of a form, right or wrong; BadInput where it cannot be kept."""
    typed: Typed = {name: _lines(str(posted.get(name, ""))) for name in FIELDS}
    typed |= {name: [str(one) for one in posted.getlist(name)] for name in LISTS}
    _require_storable(typed)
    return typed


def opened(assignment: Assignment) -> Typed:
    """What the form of an assignment opens with: its draft, else what the live label says."""
    if assignment.draft is not None:
        return dict(assignment.draft)
    live = labels.live_of(assignment)
    if live is None:
        return {"evidence": [], "part": []}
    return of_label(live, unsure=remarks.is_unsure(assignment))


def of_label(label: Label, *, unsure: bool) -> Typed:
    """The form that a label would have come from."""
    names = ("claim_class", "verdict", "rationale", "claim_type", "speech_act", "confidence")
    evidence = [Evidence.model_validate(item) for item in label.evidence]
    return {name: getattr(label, name) for name in names} | {
        "unsure": "on" if unsure else "",
        "replaces": label.pk,
        "evidence": [sheets.value_of(item) for item in evidence],
        "part": [parts.value_of(part) for part in parts_of(label)],
    }


def parts_of(label: Label) -> list[Part]:
    return [parts.stored(premise) for premise in label.premises]


def save(
    assignment: Assignment, typed: Typed, *, form: UUID, number: int, edition: int
) -> Assignment:
    """Keep ``typed`` and renew the lease; the assignment as it stands then.

    ``form`` is the token of the opened form, ``number`` which of its saves this is, ``edition``
    the draft's that it was opened on. Raises DraftConflict, LateDraft where a later save came
    first, AlreadySubmitted.
    """
    with transaction.atomic():
        stored = _held(assignment)
        if Label.objects.filter(submission=form).exists():
            raise AlreadySubmitted("this form was submitted: its label stands")
        if stored.draft_tab == form and number <= stored.draft_number:
            return _overtaken(stored, typed)
        if stored.draft_tab != form and stored.draft_edition != edition:
            raise DraftConflict(stored, typed)
        return _kept(stored, typed, form, number)


def discard(assignment: Assignment, *, form: UUID, edition: int) -> Assignment:
    """Throw the draft away that the form was opened on, or that it saved itself."""
    with transaction.atomic():
        stored = _held(assignment)
        if stored.draft_tab != form and stored.draft_edition != edition:
            raise DraftConflict(stored, stored.draft or {})
        return _kept(stored, {}, None, 0)


def undo(assignment: Assignment) -> Assignment:
    """Take the label back; what it said is the draft now, unless another was begun already."""
    with transaction.atomic():
        unsure = remarks.is_unsure(assignment)
        label = labels.take_back(assignment)
        stored = _held(assignment)
        typed = stored.draft or of_label(label, unsure=unsure)
        return _kept(stored, typed | {"replaces": ""}, None, 0)


def lease_of(assignment: Assignment) -> str:
    """``lost`` where the place went to someone else, else ``held``, and renewed."""
    return "held" if assignment.label_id is not None or claims.renew(assignment) else "lost"


def _held(assignment: Assignment) -> Assignment:
    """The assignment as stored, held against submits and other saves of the same annotator."""
    Annotator.objects.select_for_update().get(pk=assignment.annotator_id)
    return Assignment.objects.select_related("queue").get(pk=assignment.pk)


def _overtaken(stored: Assignment, typed: Typed) -> Assignment:
    if stored.draft != (typed if _written(typed) else None):
        raise LateDraft(stored, typed)
    return stored


def _kept(stored: Assignment, typed: Typed, form: UUID | None, number: int) -> Assignment:
    stored.draft = typed if _written(typed) else None
    stored.draft_tab, stored.draft_number = form, number
    stored.draft_edition += 1
    stored.draft_at = timezone.now()
    stored.save(update_fields=[f"draft{name}" for name in _COLUMNS])
    return stored


def _written(typed: Typed) -> bool:
    """Whether there is anything to keep: over a label even an emptied form is."""
    something = any(value for name, value in typed.items() if name not in _GIVEN)
    return something or bool(typed.get("replaces"))


def _lines(text: str) -> str:
    # Browsers send every line end as two characters.
    return text.replace("\r\n", "\n")


def _require_storable(typed: Typed) -> None:
    for name, most in LISTS.items():
        if len(typed[name]) > most:
            raise BadInput(f"takes at most {most}", field=name)
    texts = [typed[name] for name in FIELDS]
    texts += [one for name in LISTS for one in typed[name]]
    if any("\x00" in text or len(text) > MAX_TEXT for text in texts):
        raise BadInput("cannot be kept: it is too long or holds U+0000", field="draft")
