"""Which version number a changed rubric needs.

Everything here rests on `grounding.rubrics.levels.LEVELS` and on nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol, TypeVar

from grounding.digests import digest
from grounding.errors import VersionRefused
from grounding.rubrics.definition import RubricDefinition
from grounding.rubrics.levels import Level, leaves, level_of


class BumpLevel(StrEnum):
    NONE = "none"
    PATCH = "patch"
    MINOR = "minor"
    MAJOR = "major"


class Numbered(Protocol):
    """Whatever has a version number."""

    @property
    def version_parts(self) -> tuple[int, int, int]: ...


N = TypeVar("N", bound=Numbered)

_ORDER: Final = (BumpLevel.NONE, BumpLevel.PATCH, BumpLevel.MINOR, BumpLevel.MAJOR)
_WEIGHT: Final = {
    Level.IDENTITY: BumpLevel.NONE,
    Level.PATCH: BumpLevel.PATCH,
    Level.MINOR: BumpLevel.MINOR,
    Level.MAJOR: BumpLevel.MAJOR,
}


@dataclass(frozen=True)
class Bump:
    """The least step of the version number, and the dotted paths that moved.

    ``fields`` names every path that differs, name and version aside, heaviest first.
    ``against`` is the version that was compared with, or None where there is none.
    """

    level: BumpLevel
    fields: tuple[str, ...]
    against: str | None = None


def content_digest(definition: RubricDefinition) -> str:
    """Of every field, name, version and notes included: equal only for the same content."""
    return digest(definition.model_dump(mode="json"))


def required_bump(old: RubricDefinition, new: RubricDefinition) -> Bump:
    """The least bump that leads from ``old``'s content to ``new``'s."""
    moved = _moved(old, new)
    weights = {path: _WEIGHT[level_of(path)] for path in moved}
    fields = [path for path in moved if weights[path] is not BumpLevel.NONE]
    fields.sort(key=lambda path: (-_ORDER.index(weights[path]), path))
    level = max(weights.values(), key=_ORDER.index, default=BumpLevel.NONE)
    return Bump(level, tuple(fields), old.version)


def check_release(new: RubricDefinition, released: Sequence[RubricDefinition]) -> Bump:
    """The bump that ``new`` needed, against the highest released version below it.

    ``released`` may hold other names; they are passed over. The same content again is
    ``none`` with no fields. Raises VersionRefused, with the fields that moved, for a
    released version with other content, for too small a step, and for a labelling
    scope that differs from another release of the same major.
    """
    family = [other for other in released if other.name == new.name]
    same = next((other for other in family if other.version == new.version), None)
    if same is not None:
        return _same_again(same, new)
    bump = _against_highest(family, new)
    _require_one_scope(family, new)
    return bump


def highest_below(version: Numbered, released: Iterable[N]) -> N | None:
    """The one that ``version`` is read against: the highest of ``released`` with a lower number,
    or None where none has."""
    below = [one for one in released if one.version_parts < version.version_parts]
    return max(below, key=lambda one: one.version_parts, default=None)


def _moved(old: RubricDefinition, new: RubricDefinition) -> list[str]:
    before, after = leaves(old.model_dump(mode="json")), leaves(new.model_dump(mode="json"))
    absent = object()
    return [
        path
        for path in sorted(before.keys() | after.keys())
        if _differs(before.get(path, absent), after.get(path, absent))
    ]


def _differs(before: object, after: object) -> bool:
    # 1, 1.0 and True are equal in Python and different in a digest.
    return type(before) is not type(after) or before != after


def _same_again(old: RubricDefinition, new: RubricDefinition) -> Bump:
    bump = required_bump(old, new)
    if content_digest(old) == content_digest(new):
        return bump
    raise VersionRefused(
        f"{new.reference} is released with other content; a {bump.level} bump is needed",
        fields=bump.fields,
    )


def _against_highest(family: Sequence[RubricDefinition], new: RubricDefinition) -> Bump:
    highest = highest_below(new, family)
    if highest is None:
        return Bump(BumpLevel.NONE, ())
    bump = required_bump(highest, new)
    step = _step(highest, new)
    if _ORDER.index(step) < _ORDER.index(bump.level):
        raise VersionRefused(
            f"{new.reference} is a {step} step from {highest.version}, but a {bump.level} bump "
            "is needed",
            fields=bump.fields,
        )
    return bump


def _step(old: RubricDefinition, new: RubricDefinition) -> BumpLevel:
    pairs = zip(old.version_parts, new.version_parts, strict=True)
    changed = [before != after for before, after in pairs]
    for level, moved in zip(reversed(_ORDER), changed, strict=False):
        if moved:
            return level
    return BumpLevel.NONE


def _require_one_scope(family: Iterable[RubricDefinition], new: RubricDefinition) -> None:
    # Without this, a scope could slip into a major from below its first release, where
    # no lower version stands to be compared with.
    for other in family:
        if (
            other.version_parts[0] == new.version_parts[0]
            and other.scope_digest != new.scope_digest
        ):
            moved = required_bump(other, new).fields
            fields = tuple(path for path in moved if level_of(path) is Level.MAJOR)
            raise VersionRefused(
                f"{other.reference} has another labelling scope than {new.reference}, "
                "and one major version has one scope",
                fields=fields,
            )
