"""Rubric versions: released once, never changed, and run only as they were released.

The shipped rubrics stand beside this file, as ``NAME@VERSION.yaml``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from django.db import connection, transaction
from pydantic import ValidationError

from calibration import judges
from calibration.judges import providers
from calibration.models import RubricVersion
from grounding.errors import NotFound, Refused
from grounding.rubrics import Bump, RubricDefinition, check_release


@dataclass(frozen=True)
class Released:
    """A release as it stands.

    ``required_bump`` is the least step that its content needed when it was released.
    ``baseline_of`` is ``NAME@MAJOR`` where this release opened that line, so that its
    first complete run on a set is the line's baseline there; None in a line that stood.
    """

    rubric_version: RubricVersion
    required_bump: str
    baseline_of: str | None


@transaction.atomic
def release(definition: RubricDefinition) -> Released:
    """Store ``definition`` for good; the same content again changes nothing.

    Raises VersionRefused, with the fields that moved, for a released version with other
    content and for too small a step; Refused for a name that recorded results hold.
    """
    _one_release_at_a_time()
    bump = preview(definition)
    same = RubricVersion.objects.filter(name=definition.name, version=definition.version).first()
    return _described(same or _store(definition, bump))


def preview(definition: RubricDefinition) -> Bump:
    """The bump that `release` would find now. Raises what it would raise, and stores nothing."""
    recorded = RubricVersion.objects.filter(
        name=definition.name, version=definition.version, recorded=True
    ).first()
    if recorded is not None:
        raise Refused(f"{recorded} is registered for results recorded elsewhere")
    return check_release(definition, released(definition.name))


def released(name: str) -> list[RubricDefinition]:
    """The definition of every released version of that name."""
    return [_loaded(one) for one in RubricVersion.objects.filter(name=name, recorded=False)]


def get(reference: str) -> RubricVersion:
    """The version of ``NAME@VERSION``; NotFound where there is none."""
    name, _, version = reference.partition("@")
    found = RubricVersion.objects.filter(name=name, version=version).first()
    if found is None:
        raise NotFound(f"there is no rubric version {reference}")
    return found


def identity(rubric_version: RubricVersion) -> dict[str, str | None]:
    """Which version this is, as everything that is published of it says."""
    return {
        "name": rubric_version.name,
        "version": rubric_version.version,
        "digest": rubric_version.digest,
        "scope_digest": rubric_version.scope_digest,
    }


def definition_of(rubric_version: RubricVersion) -> RubricDefinition:
    """The definition as released, proved to be so and to be what this code would run.

    Raises Refused where nothing was ever released, where the stored definition no longer
    has the digest it was released under, and where the judge here is another
    implementation than the definition names.
    """
    definition = verified_definition(rubric_version)
    judges.create(definition, providers.unasked(definition))
    return definition


def verified_definition(rubric_version: RubricVersion) -> RubricDefinition:
    """Like `definition_of`, for reading: the judge need not be able to run here."""
    if rubric_version.recorded:
        raise Refused(f"{rubric_version} is recorded: it has no definition that could run")
    definition = _loaded(rubric_version)
    if definition.digest != rubric_version.digest:
        raise Refused(
            f"{rubric_version} was released as {rubric_version.digest}, "
            f"but what is stored has the digest {definition.digest}"
        )
    return definition


def register_recorded(name: str, version: str) -> RubricVersion:
    """The version under which results from elsewhere are kept; a released one is left as it is."""
    found, _ = RubricVersion.objects.get_or_create(
        name=name, version=version, defaults={"recorded": True}
    )
    return found


def _one_release_at_a_time() -> None:
    # Each release is measured against all the others, so two at once would miss each other.
    # On SQLite the transaction is that lock, since it begins IMMEDIATE.
    if connection.vendor == "postgresql":
        table = connection.ops.quote_name(RubricVersion._meta.db_table)
        with connection.cursor() as cursor:
            cursor.execute(f"LOCK TABLE {table} IN SHARE ROW EXCLUSIVE MODE")


def _loaded(rubric_version: RubricVersion) -> RubricDefinition:
    """The stored definition, held to the name that it is stored under."""
    try:
        definition = RubricDefinition.model_validate_json(json.dumps(rubric_version.definition))
    except ValidationError as error:
        raise Refused(f"{rubric_version}: what is stored is no definition: {error}") from None
    if definition.reference != str(rubric_version):
        raise Refused(f"{rubric_version} holds the definition of {definition.reference}")
    return definition


def _store(definition: RubricDefinition, bump: Bump) -> RubricVersion:
    major, minor, patch = definition.version_parts
    return RubricVersion.objects.create(
        name=definition.name,
        version=definition.version,
        major=major,
        minor=minor,
        patch=patch,
        definition=definition.model_dump(mode="json"),
        digest=definition.digest,
        scope_digest=definition.scope_digest,
        contract_major=definition.contract.major,
        required_bump=bump.level.value,
    )


def _described(rubric_version: RubricVersion) -> Released:
    line = RubricVersion.objects.filter(
        name=rubric_version.name, major=rubric_version.major, recorded=False
    )
    opened = not line.filter(pk__lt=rubric_version.pk).exists()
    return Released(
        rubric_version=rubric_version,
        required_bump=str(rubric_version.required_bump),
        baseline_of=f"{rubric_version.name}@{rubric_version.major}" if opened else None,
    )
