"""What becomes of a form of cases that was sent: its errors, its check, or where it now stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from grounding.errors import BadInput
from labeling import authoring
from labeling.authoring import CaseConflict, Check, Clash, Written
from labeling.authoring.caseforms import asking, rows
from labeling.authoring.caseforms.reading import faults_of, record_of
from labeling.authoring.caseforms.typed import SIDES, TypedPair
from labeling.models import CalibrationSet

SHARED = ("pair_id", "pair_kind")


@dataclass(frozen=True)
class Answer:
    status: int = 200
    errors: Mapping[str, str] = field(default_factory=dict)
    check: Check | None = None
    stale: bool = False
    """It was to be saved, and what had been checked was something else."""
    clashes: Sequence[Clash] = ()
    saved: int | None = None


def answer(
    calibration_set: CalibrationSet, typed: TypedPair, *, button: str, checked: str, paired: bool
) -> Answer:
    """Do what ``button`` says. Cases are saved only behind a check of the very same texts."""
    try:
        if rows.act(typed, button):
            return Answer()
    except BadInput as error:
        return Answer(422, {"": error.message})
    written, errors = _written(typed, paired=paired)
    if errors:
        return Answer(422, errors)
    whole = not paired or len(written) == len(SIDES)
    return _stored(calibration_set, typed, written, checked if button == "save" and whole else None)


def _stored(
    calibration_set: CalibrationSet,
    typed: TypedPair,
    written: Sequence[Written],
    checked: str | None,
) -> Answer:
    try:
        if checked is not None:
            saved = authoring.save(calibration_set, written, checked=checked)
            if saved is not None:
                return Answer(saved=saved)
        check = authoring.check(calibration_set, written)
        return Answer(check=check, stale=checked is not None)
    except BadInput as error:
        side = sorted(typed.sides)[(error.line or 1) - 1]
        return Answer(422, {_name(side, error): error.message})
    except CaseConflict as conflict:
        _open_anew(typed, conflict.clashes)
        return Answer(409, clashes=conflict.clashes)


def _written(typed: TypedPair, *, paired: bool) -> tuple[list[Written], dict[str, str]]:
    written, errors = [], {}
    if paired and not typed.pair_id:
        errors["pair_id"] = asking.PAIR_ID
    for side in sorted(typed.sides):
        found = _wrong(typed, side)
        if not found:
            written.append(Written(record_of(typed, side), typed.sides[side].opened or None))
        for error in found:
            errors.setdefault(_name(side, error), error.message)
    return written, errors


def _wrong(typed: TypedPair, side: str) -> list[BadInput]:
    """What was left out, then what is there and wrong; a text that is not there is not also
    said to stand nowhere."""
    missing = list(asking.left_out(typed, side))
    silent = {f"{(one.field or '').removesuffix('text')}span" for one in missing}
    return [*missing, *(one for one in faults_of(typed, side) if one.field not in silent)]


def _name(side: str, error: BadInput) -> str:
    """The name that the form has for the field of an error."""
    if error.field in SHARED:
        return error.field
    return f"{side}.{error.field or ''}"


def _open_anew(typed: TypedPair, clashes: Sequence[Clash]) -> None:
    """The form goes on from the revision that is shown beside it."""
    live = {clash.mine.case_id: clash.live_digest for clash in clashes}
    for side in typed.sides.values():
        side.opened = live.get(side.case_id, side.opened)
