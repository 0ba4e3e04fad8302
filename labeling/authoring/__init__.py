"""Cases and pairs that a lead writes: checked, stored as new or as newer revisions.

There is one way into a set. What was written becomes records of the interchange format and
goes through the intake that an import uses; a check does all of that and takes it back, so
that what it says of revisions and labels is what happened and not a second set of rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import transaction

from grounding.digests import digest
from grounding.errors import BadInput, NotFound, Refused
from grounding.interchange import models as interchange
from labeling import exchange, sets
from labeling.cases import checks, records
from labeling.cases.checks import Finding
from labeling.models import CalibrationSet, Case, Label

# Errors of the intake name a line; here that is the number of the side.
SOURCE = "what was written"


@dataclass(frozen=True)
class Written:
    """One case as it was written; ``opened`` is the digest of the revision that it was
    opened on, None for a case that is to be new."""

    record: interchange.Case
    opened: str | None = None


@dataclass(frozen=True)
class Effect:
    """What saving does to one case, and to the live labels of the revision before it."""

    case_id: str
    change: str
    """``new``, ``superseded`` or ``unchanged``."""
    labels: int = 0
    carried: int = 0

    @property
    def staying(self) -> int:
        return self.labels - self.carried


@dataclass(frozen=True)
class Check:
    """What saving would do, and what the checks would find on it."""

    revision: int
    effects: Sequence[Effect]
    findings: Sequence[Finding]
    token: str
    """Equal for the same texts over the same state of the set."""

    @property
    def changes(self) -> bool:
        return any(effect.change != "unchanged" for effect in self.effects)


@dataclass(frozen=True)
class Clash:
    """A case that somebody else superseded after this one was opened."""

    live: interchange.Case
    live_digest: str
    mine: interchange.Case


class CaseConflict(Refused):
    """Saving would supersede revisions that its author never saw."""

    def __init__(self, clashes: Sequence[Clash]) -> None:
        names = ", ".join(repr(clash.mine.case_id) for clash in clashes)
        super().__init__(f"another lead has superseded {names} since this form was opened")
        self.clashes = tuple(clashes)


def check(calibration_set: CalibrationSet, written: Sequence[Written]) -> Check:
    """Everything that `save` would do, done and taken back.

    BadInput names the field, and as its line the place in ``written``, counted from 1.
    """
    before = set(checks.lint(calibration_set, minimum=0))
    with transaction.atomic():
        held = sets.locked(calibration_set)
        effects, token = _take(held, written)
        found = checks.lint(held, minimum=0)
        transaction.set_rollback(True)
    ids = {one.record.case_id for one in written}
    new = [one for one in found if one.case_id in ids or one not in before]
    return Check(held.revision, effects, new, token)


def save(
    calibration_set: CalibrationSet, written: Sequence[Written], *, checked: str
) -> int | None:
    """Store all of ``written`` or nothing; the revision in which it now stands.

    None, and nothing stored, where ``checked`` is not the token of a check of these very
    texts over the set as it is. What is stored already, as after a second click, is not
    stored again.
    """
    with transaction.atomic():
        held = sets.locked(calibration_set)
        effects, token = _take(held, written)
        changes = any(effect.change != "unchanged" for effect in effects)
        if changes and token != checked:
            transaction.set_rollback(True)
            return None
        return _stands_in(held, written)


def require_opened_here(
    calibration_set: CalibrationSet, written: Iterable[tuple[str, str]]
) -> None:
    """NotFound unless each case id and digest is of some revision of a case of this set."""
    for case_id, opened in written:
        if not Case.objects.filter(set=calibration_set, case_id=case_id, digest=opened).exists():
            raise NotFound("the form was opened on another case")


def _take(held: CalibrationSet, written: Sequence[Written]) -> tuple[list[Effect], str]:
    base = held.revision
    digests = [records.case_digest(one.record) for one in written]
    stream = [(number, one.record) for number, one in enumerate(written, 1)]
    exchange.take_cases(held, stream, source=SOURCE, supersede=True)
    if held.revision == base:
        effects = [Effect(one.record.case_id, "unchanged") for one in written]
    else:
        older = _superseded(held, written)
        _require_as_opened(written, older)
        effects = [_effect(held, one.record.case_id, older) for one in written]
    stated = [[e.case_id, e.change, e.labels, e.carried] for e in effects]
    return effects, digest([base, digests, stated])


def _superseded(held: CalibrationSet, written: Sequence[Written]) -> dict[str, Case]:
    """The revisions that the newest revision of the set took the place of, by case id."""
    ids = [one.record.case_id for one in written]
    rows = Case.objects.filter(set=held, case_id__in=ids, superseded_in=held.revision)
    return {row.case_id: row for row in rows}


def _require_as_opened(written: Sequence[Written], older: dict[str, Case]) -> None:
    clashes = []
    for line, one in enumerate(written, 1):
        row = older.get(one.record.case_id)
        if row is None or row.digest == one.opened:
            continue
        if one.opened is None:
            message = "is a case of this set already; edit it there as a new revision"
            raise BadInput(message, source=SOURCE, line=line, field="case_id")
        clashes.append(Clash(exchange.records_of([row])[0], row.digest, one.record))
    if clashes:
        raise CaseConflict(clashes)


def _effect(held: CalibrationSet, case_id: str, superseded: dict[str, Case]) -> Effect:
    older = superseded.get(case_id)
    live = Case.objects.live().get(set=held, case_id=case_id)
    if older is None:
        return Effect(case_id, "new" if live.added_in == held.revision else "unchanged")
    labels = Label.objects.live().filter(statement__case=older).count()
    carried = Label.objects.filter(statement__case=live, carried_from__isnull=False).count()
    return Effect(case_id, "superseded", labels, carried)


def _stands_in(held: CalibrationSet, written: Sequence[Written]) -> int:
    ids = [one.record.case_id for one in written]
    live = Case.objects.live().filter(set=held, case_id__in=ids)
    return max(live.values_list("added_in", flat=True))
