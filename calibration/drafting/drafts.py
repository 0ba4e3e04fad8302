"""Drafts of rubric versions: begun, saved, checked, released, discarded.

A draft belongs to no set, as released versions do: whoever leads a set sees every draft and
may go on with it. Two people, or two tabs, never overwrite each other: a save says from
which edition it began. What was typed is kept whether or not it is a rubric yet.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from calibration import rubrics
from calibration.models import RubricDraft, RubricVersion
from calibration.rubrics import Released
from calibration.rubrics.definitions import ABSENT, Move, moves_of, said
from grounding.errors import BadInput, Refused, VersionRefused
from grounding.rubrics import (
    Fault,
    RubricDefinition,
    check_storable,
    examine,
    highest_below,
    parse_rubric,
    required_bump,
)
from grounding.rubrics.loading import MAX_BYTES
from grounding.trees import leaves


class StaleDraft(Refused):
    """A draft that was saved elsewhere after this form was opened; ``stored`` is how it stands."""

    def __init__(self, stored: RubricDraft) -> None:
        super().__init__(f"{stored} was saved elsewhere after this form was opened")
        self.stored = stored


@dataclass(frozen=True)
class Check:
    """What is wrong with a definition; or, where nothing is, what its release would need.

    ``against`` is the released version that it is compared with, ``refusal`` why it could not
    be released as it is, ``suggested`` the least number that it could be released under, and
    ``warning`` what it could never do though it can be released.
    """

    faults: Sequence[Fault]
    against: str | None = None
    bump: str | None = None
    moves: Sequence[Move] = ()
    refusal: str | None = None
    suggested: str | None = None
    warning: str | None = None


def open_drafts() -> QuerySet[RubricDraft]:
    found = RubricDraft.objects.filter(released_as__isnull=True, discarded_at__isnull=True)
    return found.select_related("based_on", "updated_by").defer(
        "definition", "based_on__definition"
    )


def begin(based_on: RubricVersion, user: User) -> RubricDraft:
    """A draft of what comes after a released version, under the next free number."""
    definition = rubrics.verified_definition(based_on)
    follows = definition.model_dump(mode="json")
    follows["version"] = _suggested(definition, rubrics.released(definition.name))
    return _create(follows, user, based_on)


def take_in(text: str, user: User) -> RubricDraft:
    """A draft of what a file says, be it a rubric yet or not; BadInput where it is unreadable."""
    return _create(parse_rubric(text), user, None)


def definition_of(draft: RubricDraft) -> dict[str, Any]:
    """What was typed so far."""
    return dict(json.loads(draft.definition))


def save(
    draft: RubricDraft, definition: Mapping[str, Any], user: User, *, edition: int
) -> RubricDraft:
    """Store what was typed; StaleDraft where someone has saved since ``edition``."""
    _change(
        draft,
        edition,
        definition=_text(definition),
        title=_title(definition),
        updated_by=user,
        updated_at=timezone.now(),
    )
    draft.refresh_from_db()
    return draft


@transaction.atomic
def release(draft: RubricDraft, *, edition: int) -> Released:
    """Release the stored definition as `rubrics.release` does, with its refusals."""
    definition, faults = examine(definition_of(draft))
    if definition is None:
        raise Refused(f"this is no rubric yet: {_counted(faults)} to be mended first")
    released = rubrics.release(definition)
    _change(draft, edition, released_as=released.rubric_version)
    return released


def discard(draft: RubricDraft, *, edition: int) -> None:
    """Put the draft away; its row stays."""
    _change(draft, edition, discarded_at=timezone.now())


def check(definition: Mapping[str, Any]) -> Check:
    """What stands against releasing this, and how far it is from what is released."""
    read, faults = examine(check_storable(dict(definition)))
    if read is None:
        return Check(faults)
    family = rubrics.released(read.name)
    before = _compared_with(read, family)
    return Check(
        (),
        against=before.reference if before else None,
        bump=required_bump(before, read).level if before else None,
        moves=moves_of(before, read) if before else (),
        refusal=_refusal(read),
        suggested=_suggested(read, family),
        warning=read.gate.never_passes,
    )


def renumbered(definition: Mapping[str, Any]) -> dict[str, Any]:
    """The same under the number that `check` suggests, where it has one."""
    suggested = check(definition).suggested
    return dict(definition) | ({"version": suggested} if suggested else {})


def differences(stored: Mapping[str, Any], typed: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Where two versions of a draft differ: the path, what is stored, what was typed."""
    before, after = dict(leaves(stored)), dict(leaves(typed))
    nothing = object()
    return [
        (
            ".".join(map(str, path)),
            said(before.get(path, ABSENT)),
            said(after.get(path, ABSENT)),
        )
        for path in dict.fromkeys([*before, *after])
        if before.get(path, nothing) != after.get(path, nothing)
    ]


def _create(
    definition: Mapping[str, Any], user: User, based_on: RubricVersion | None
) -> RubricDraft:
    return RubricDraft.objects.create(
        definition=_text(definition),
        title=_title(definition),
        based_on=based_on,
        created_by=user,
        updated_by=user,
    )


def _change(draft: RubricDraft, edition: int, **values: Any) -> None:
    """Write only over the edition that the writer saw, and only while the draft is open."""
    open_still = RubricDraft.objects.filter(
        pk=draft.pk, released_as__isnull=True, discarded_at__isnull=True
    )
    if open_still.filter(edition=edition).update(edition=F("edition") + 1, **values):
        return
    stored = open_still.first()
    if stored is None:
        raise Refused(f"{draft} is no longer open: it was released or discarded")
    raise StaleDraft(stored)


def _text(definition: Mapping[str, Any]) -> str:
    text = json.dumps(check_storable(dict(definition)), ensure_ascii=False, allow_nan=False)
    if len(text.encode()) > MAX_BYTES:
        raise BadInput(f"a rubric may have at most {MAX_BYTES} bytes")
    return text


def _title(definition: Mapping[str, Any]) -> str:
    """Name and number as far as they are typed, for lists."""
    parts = [one for key in ("name", "version") if isinstance(one := definition.get(key), str)]
    return "@".join(part[:128] for part in parts if part)


def _counted(faults: Sequence[Fault]) -> str:
    return "1 field is" if len(faults) == 1 else f"{len(faults)} fields are"


def _refusal(definition: RubricDefinition) -> str | None:
    try:
        rubrics.preview(definition)
    except VersionRefused as refused:
        return refused.reason
    except Refused as refused:
        return str(refused)
    return None


def _compared_with(
    definition: RubricDefinition, family: Sequence[RubricDefinition]
) -> RubricDefinition | None:
    """The same version where it is released, else the highest below it."""
    same = next((one for one in family if one.version == definition.version), None)
    return same or highest_below(definition, family)


def _suggested(definition: RubricDefinition, family: Sequence[RubricDefinition]) -> str | None:
    """The least step from the newest of the same major, or a new major where the scope moved."""
    major = definition.version_parts[0]
    line = [one for one in family if one.version_parts[0] == major]
    if not line:
        return None
    newest = max(line, key=lambda one: one.version_parts)
    _, minor, patch = newest.version_parts
    match required_bump(newest, definition).level:
        case "major":
            return f"{max(one.version_parts[0] for one in family) + 1}.0.0"
        case "minor":
            return f"{major}.{minor + 1}.0"
    return f"{major}.{minor}.{patch + 1}"
