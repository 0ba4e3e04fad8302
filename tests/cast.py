"""The small set and the people around it. Import from tests or fixtures, not from conftest.py:
models can be loaded only once Django is set up."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from django.contrib.auth.models import User

from calibration import bundles
from labeling import accounts, sets
from labeling.models import CalibrationSet, Role

SMALL = Path(__file__).parent / "records" / "small"
"""A set written for the tests: 6 cases, 2 pairs, 11 statements, 10 labels, 2 sources."""


@dataclass(frozen=True)
class Cast:
    """One account of every kind in `set`; the stranger administers a set of their own."""

    set: CalibrationSet
    elsewhere: CalibrationSet
    admin: User
    lead: User
    annotator: User
    second: User
    ex_member: User
    stranger: User


def small(slug: str = "small") -> CalibrationSet:
    bundles.import_set(slug, SMALL)
    return sets.get(slug)


def assemble(calibration_set: CalibrationSet) -> Cast:
    """Accounts without a usable password: tests sign them in by force."""
    names = ("admin", "lead", "annotator", "second", "ex_member", "stranger")
    users = {name: User.objects.create_user(name) for name in names}
    cast = Cast(set=calibration_set, elsewhere=sets.get_or_create("elsewhere"), **users)
    accounts.join(calibration_set, cast.admin, Role.ADMIN)
    accounts.join(calibration_set, cast.lead, Role.LEAD)
    for user in (cast.annotator, cast.second, cast.ex_member):
        accounts.join(calibration_set, user, Role.ANNOTATOR)
    accounts.leave(calibration_set, cast.ex_member)
    accounts.join(cast.elsewhere, cast.stranger, Role.ADMIN)
    return cast
