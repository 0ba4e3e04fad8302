"""What takes long to make is made once in a process, and its rows are put back for each test that
asks for it: into a database as empty, or as full, as the one that it was made in.

For fixtures: after a test has changed a row in place, what is made of it would be another.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from django.apps import apps
from django.db import connection, transaction

T = TypeVar("T")
Row = tuple[Any, ...]
Place = tuple[str, str]
"""A table, and a key in it as text."""

# What was handed out, or leased, when it was made must still be so.
FRESH_SECONDS = 600
# They are there before any test, and have other keys after each one that empties the database.
_NEVER = {"django_content_type", "auth_permission"}


@dataclass(frozen=True)
class _Kept:
    made: Any
    before: frozenset[Place]
    gone: list[Place]
    rows: dict[str, list[Row]]
    moment: float


_kept: dict[str, _Kept] = {}


def put_back(name: str, make: Callable[[], T]) -> T:
    """What ``make`` gives, with what it writes; really made only the first time, and where the
    database is another than then."""
    before = _places()
    kept = _kept.get(name)
    if kept is None or kept.before != before or time.monotonic() - kept.moment > FRESH_SECONDS:
        kept = _kept[name] = _made(make, before)
    else:
        _write(kept)
    return copy.deepcopy(kept.made)  # type: ignore[no-any-return]


def _made(make: Callable[[], Any], before: frozenset[Place]) -> _Kept:
    old = _rows()
    moment = time.monotonic()
    made = make()
    new = _rows()
    gone = [place for place, row in old.items() if new.get(place) != row]
    rows: dict[str, list[Row]] = {}
    # In the order that they have there, which is the order of whoever asks for none.
    for place, row in new.items():
        if old.get(place) != row:
            rows.setdefault(place[0], []).append(row)
    return _Kept(copy.deepcopy(made), before, gone, rows, moment)


def _write(kept: _Kept) -> None:
    """References are looked at when the transaction ends, so that any order will do."""
    with transaction.atomic(), connection.cursor() as cursor:
        for table, key in kept.gone:
            cursor.execute(f'DELETE FROM "{table}" WHERE "{_tables()[table]}" = %s', [key])
        for table, rows in kept.rows.items():
            places = ", ".join(["%s"] * len(rows[0]))
            cursor.executemany(f'INSERT INTO "{table}" VALUES ({places})', rows)


@cache
def _tables() -> dict[str, str]:
    """The column of each table's key."""
    models = apps.get_models(include_auto_created=True)
    found = {model._meta.db_table: str(model._meta.pk.column) for model in models}
    return {table: key for table, key in found.items() if table not in _NEVER}


def _places() -> frozenset[Place]:
    """Every row that is there, in one query."""
    parts = [
        f'SELECT \'{table}\', CAST("{key}" AS text) FROM "{table}"'
        for table, key in _tables().items()
    ]
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(parts))
        return frozenset(cursor.fetchall())


def _rows() -> dict[Place, Row]:
    return dict(_of_each(_tables().items()))


def _of_each(tables: Iterable[tuple[str, str]]) -> Iterable[tuple[Place, Row]]:
    with connection.cursor() as cursor:
        for table, key in tables:
            cursor.execute(f'SELECT CAST("{key}" AS text), * FROM "{table}"')
            for found, *row in cursor.fetchall():
                yield (table, found), tuple(row)
