"""Whole columns of numbers out of the database, as arrays.

Words become codes where they are stored (`code_of`), and PostgreSQL hands all rows over as one
value, the bytes of their numbers. A hundred thousand rows then cost a few milliseconds here, where
as many tuples of words would cost some hundred.
"""

from __future__ import annotations

import gc
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from itertools import chain
from typing import Any, ClassVar, Final

import numpy as np
from django.core.exceptions import EmptyResultSet
from django.db import connections
from django.db.models import BigIntegerField, BooleanField, Case, F, Func, Q, QuerySet, Value, When
from django.db.models.functions import Cast
from numpy.typing import NDArray

Codes = NDArray[np.int64]
Flags = NDArray[np.bool_]

NOTHING: Final = -1
_AT_ONCE: Final = 10_000


class Coded(Case):
    """A column of codes below ``many``, or `NOTHING`."""

    def __init__(self, *cases: When, many: int) -> None:
        super().__init__(*cases, default=Value(NOTHING))
        self.many = many


def numbers(rows: QuerySet[Any, Any], *columns: str | Coded) -> tuple[Codes, ...]:
    """An array for each column of ``rows``, in one query; the rows come in no order of theirs.

    A column is the name of a field that holds whole numbers, or codes. Raises ValueError where a
    number is null.
    """
    plain = [one for one in columns if isinstance(one, str)]
    codes = [one for one in columns if isinstance(one, Coded)]
    named = {f"column_{place}": Cast(F(one), BigIntegerField()) for place, one in enumerate(plain)}
    if codes:
        named["codes"] = _as_one(codes)
    selected = rows.order_by().annotate(**named).values_list(*named)
    read = _as_bytes if connections[rows.db].vendor == "postgresql" else _as_rows
    table = [np.ascontiguousarray(column) for column in read(selected, list(named)).T]
    found = iter(table), iter(_apart(table[-1], [one.many + 1 for one in codes]))
    return tuple(next(found[isinstance(one, Coded)]) for one in columns)


def _as_one(codes: Sequence[Coded]) -> Any:
    """All codes of a row in one number, which the database is quicker to hand over: digits of a
    number whose every digit has a base of its own, here still counted from `NOTHING`."""
    if math.prod(one.many + 1 for one in codes) >= 2**63:
        raise ValueError("so many codes do not go into one number")
    number: Any = Cast(codes[0], BigIntegerField())
    for one in codes[1:]:
        number = number * Value(one.many + 1) + one
    return number


def _apart(numbers: Codes, bases: Sequence[int]) -> list[Codes]:
    """The codes that `_as_one` put together."""
    ones = 0
    for base in bases:
        ones = ones * base + 1
    rest, digits = numbers + ones, []
    for base in reversed(bases):
        rest, digit = np.divmod(rest, base)
        digits.append(digit + NOTHING)
    return digits[::-1]


def documents(rows: QuerySet[Any, Any], *columns: str | Case | Cast) -> tuple[list[Any], ...]:
    """A list for each column of ``rows``, in one query; the rows come in no order of theirs.

    For what is no whole number, or may be null; of a JSON field it is what the document holds.
    One text for all rows, and lists of columns: the collector of garbage would go through as many
    tuples again and again while they are made.
    """
    named = {
        f"column_{place}": F(one) if isinstance(one, str) else one
        for place, one in enumerate(columns)
    }
    selected = rows.order_by().annotate(**named).values_list(*named)
    if connections[rows.db].vendor == "postgresql":
        every = _as_text(selected, list(named))
    else:
        every = list(chain.from_iterable(selected.iterator(chunk_size=_AT_ONCE)))
    return tuple(every[place :: len(named)] for place in range(len(named)))


def code_of(field: str, vocabulary: Sequence[StrEnum]) -> Coded:
    """The place in ``vocabulary`` of the word in a field, `NOTHING` where it is null."""
    words = (When(**{field: word.value}, then=Value(code)) for code, word in enumerate(vocabulary))
    return Coded(*words, many=len(vocabulary))


def flag_of(holds: Q, otherwise: Q | None = None) -> Coded:
    """1 where a condition holds, 0 where ``otherwise`` does, `NOTHING` where neither."""
    no = [] if otherwise is None else [When(otherwise, then=Value(0))]
    return Coded(When(holds, then=Value(1)), *no, many=2)


def truth_of(field: str) -> Coded:
    """0 or 1 for a field that is false or true, `NOTHING` where it is null."""
    return flag_of(Q(**{field: True}), Q(**{field: False}))


def found_in(keys: Codes, wanted: Codes) -> Codes:
    """Where in ``keys``, different numbers in any order, each wanted one stands; `NOTHING` for
    one that does not."""
    if not keys.size:
        return np.full(wanted.shape, NOTHING, dtype=np.int64)
    order = np.argsort(keys)
    places: Codes = order[np.searchsorted(keys, wanted, sorter=order) % keys.size]
    return np.where(keys[places] == wanted, places, NOTHING)


def places_of(keys: Codes, wanted: Codes) -> Codes:
    """`found_in` for numbers that must be there; raises ValueError where one is not."""
    places = found_in(keys, wanted)
    if (places == NOTHING).any():
        raise ValueError("a wanted key is not there")
    return places


def different(table: Codes) -> tuple[Codes, Codes]:
    """The rows of ``table`` that differ, ascending, and which of them each row is."""
    key = np.zeros(len(table), dtype=np.int64)
    for column in table.T:
        low = int(column.min(initial=0))
        size = int(column.max(initial=0)) - low + 1
        # One number a row, since rows are slow to sort; made small again where it would not fit.
        if (int(key.max(initial=0)) + 1) * size >= 2**63:
            _, key = np.unique(key, return_inverse=True)
        key = key * size + (column - low)
    _, first, which = np.unique(key, return_index=True, return_inverse=True)
    return table[first], which


def listed(keys: Iterable[int]) -> Func:
    """A condition: the primary key is one of ``keys``, in any number, which are one parameter."""
    return _Listed(F("pk"), Value(",".join(map(str, keys))))


class _Listed(Func):
    output_field: ClassVar = BooleanField()

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        # Not a sub-query, of which the planner could not tell how many there are.
        return super().as_sql(
            compiler,
            connection,
            template="%(expressions)s, ',')::bigint[])",
            arg_joiner=" = ANY(string_to_array(",
            **context,
        )

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return super().as_sql(
            compiler,
            connection,
            template="%(expressions)s || ']'))",
            arg_joiner=" IN (SELECT value FROM json_each('[' || ",
            **context,
        )


def _as_bytes(rows: QuerySet[Any, Any], names: Sequence[str]) -> Codes:
    row = " || ".join(f"int8send({name})" for name in names)
    count, packed = _together(rows, f"count(*), string_agg({row}, '')") or (0, None)
    table = np.frombuffer(packed or b"", dtype=">i8").astype(np.int64).reshape(-1, len(names))
    if len(table) != count:
        raise ValueError("a column of numbers has no number in some row")
    return table


def _as_text(rows: QuerySet[Any, Any], names: Sequence[str]) -> list[Any]:
    row = " || ',' || ".join(f"coalesce(to_json({name})::text, 'null')" for name in names)
    (written,) = _together(rows, f"string_agg({row}, ',')") or (None,)
    with _uncollected():
        every: list[Any] = json.loads(f"[{written or ''}]")
    return every


@contextmanager
def _uncollected() -> Iterator[None]:
    """What is made here has no cycles, and the collector of garbage would go through all of it, and
    all else that lives, again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _together(rows: QuerySet[Any, Any], made: str) -> tuple[Any, ...] | None:
    """What is ``made`` of all rows in the database; None where it can be seen beforehand that no
    row passes, of which no statement can be written."""
    try:
        sql, params = rows.query.get_compiler(using=rows.db).as_sql()
    except EmptyResultSet:
        return None
    with connections[rows.db].cursor() as cursor:
        # Of the compiler's own making, with its parameters apart.
        cursor.execute(f"SELECT {made} FROM ({sql}) AS each", params)  # noqa: S608
        found: tuple[Any, ...] = cursor.fetchone()
    return found


def _as_rows(rows: QuerySet[Any, Any], names: Sequence[str]) -> Codes:
    every = chain.from_iterable(rows.iterator(chunk_size=_AT_ONCE))
    try:
        return np.fromiter(every, dtype=np.int64).reshape(-1, len(names))
    except TypeError:
        raise ValueError("a column of numbers has no number in some row") from None
