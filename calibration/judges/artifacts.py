"""Artifacts: kept once under their digest, never changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calibration.models import Artifact
from grounding.digests import digest
from grounding.errors import Refused


def keep(kind: str, payload: Mapping[str, Any]) -> str:
    """The digest under which ``payload`` is from now on; an equal one is there once."""
    found = digest(dict(payload))
    Artifact.objects.get_or_create(digest=found, defaults={"kind": kind, "payload": payload})
    return found


def payload(wanted: str) -> Mapping[str, Any]:
    """What is kept under that digest; Refused where nothing is. Whoever uses it proves it."""
    found = Artifact.objects.filter(digest=wanted).values_list("payload", flat=True).first()
    if found is None:
        raise Refused(f"no artifact {wanted} is kept here")
    return dict(found)
