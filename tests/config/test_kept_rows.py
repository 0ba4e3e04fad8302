"""What the suite makes once and puts back is what was made, and never put where it does not fit."""

from __future__ import annotations

from typing import Any

import pytest

from labeling.models import CalibrationSet
from tests import cast, kept_rows
from tests.access.test_writes import stored
from tests.kept_rows import put_back
from tests.taken_back import taken_back

pytestmark = pytest.mark.django_db


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What was really made, by a process that has made nothing yet."""
    monkeypatch.setattr(kept_rows, "_kept", {})
    return []


def small(made: list[Any]) -> CalibrationSet:
    def make() -> CalibrationSet:
        made.append(cast.small())
        return made[-1]

    return put_back("small", make)


def test_the_same_rows_are_there_again(made: list[Any]) -> None:
    with taken_back():
        first, rows = small(made), stored()
    again = small(made)
    assert stored() == rows
    assert again == first
    assert again is not first
    assert len(made) == 1


def test_rows_that_were_changed_or_are_gone_are_so_again(made: list[Any]) -> None:
    CalibrationSet.objects.create(slug="changed", revision=1)
    CalibrationSet.objects.create(slug="gone", revision=1)

    def change() -> None:
        made.append(CalibrationSet.objects.filter(slug="changed").update(title="Another"))
        CalibrationSet.objects.get(slug="gone").delete()

    for _ in range(2):
        with taken_back():
            put_back("change", change)
            assert list(CalibrationSet.objects.values_list("title", flat=True)) == ["Another"]
    assert len(made) == 1


def test_beside_other_rows_it_is_made_anew(made: list[Any]) -> None:
    with taken_back():
        small(made)
    CalibrationSet.objects.create(slug="other", revision=1)
    assert small(made) == made[-1]
    assert len(made) == 2


def test_what_has_grown_old_is_made_anew(made: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_rows, "FRESH_SECONDS", -1)
    for _ in range(2):
        with taken_back():
            small(made)
    assert len(made) == 2
