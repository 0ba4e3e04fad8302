"""A set as it stood at a revision, in columns.

Nothing of a revision ever changes, so what its statements, cases and expectations come to as
numbers is read out of their tables once and kept in a sheet (`RevisionSheet`). A sheet may be
deleted at any time: it is made again from the same rows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np
from django.db.models import Q, TextField
from django.db.models.functions import Cast

from grounding.contract import ClaimClass, ClaimType, SpeechAct, Verdict
from grounding.digests import quoted
from labeling.columns.arrays import Packed, pack
from labeling.columns.cited import Cited
from labeling.columns.numbers import (
    NOTHING,
    Codes,
    code_of,
    documents,
    flag_of,
    numbers,
    places_of,
    truth_of,
)
from labeling.models import (
    CalibrationSet,
    Case,
    CaseQuerySet,
    Expectation,
    RevisionSheet,
    Statement,
)

FORMAT: Final = 1
"""Raised whenever a sheet is to hold something else; those of another format are not read."""

_CASES_AT_ONCE: Final = 200
_OF_STATEMENTS: Final = ("statement", "of_case", "claim_type", "speech_act")
_FACTS: Final = ("answerable", "from_retrieved", "captured")
_OF_CASES: Final = ("case", "pair", "kind", *_FACTS, "admitted", "dropped")


class Stood:
    """The statements that made up a set, in the set's order, and their cases in theirs.

    Codes are places in the contract's vocabularies or in the words beside them, `NOTHING` where
    nothing is stated.
    """

    def __init__(self, sheet: Packed, key: Mapping[str, Any]) -> None:
        self._sheet, self._key = sheet, key

    def __len__(self) -> int:
        return self.statements.size

    # ---- An entry a statement

    @property
    def statements(self) -> Codes:
        """Primary keys."""
        return self._sheet.codes("statement")

    @property
    def case_of(self) -> Codes:
        """The place of each one's case."""
        return self._sheet.codes("of_case")

    @property
    def claim_type(self) -> Codes:
        return self._sheet.codes("claim_type")

    @property
    def speech_act(self) -> Codes:
        return self._sheet.codes("speech_act")

    def expected(self, contract_major: int) -> tuple[Codes, Codes]:
        """Class and verdict that the author states under a contract; no class without verdict."""
        under = self._sheet.codes("expected_major") == contract_major
        sides = (self._sheet.codes(f"expected_{side}") for side in ("class", "verdict"))
        claim_class, verdict = (np.where(under, side, NOTHING) for side in sides)
        return np.where(verdict == NOTHING, NOTHING, claim_class), verdict

    @cached_property
    def authored(self) -> Cited:
        """What authors cite; rows are places of statements."""
        return Cited.unpacked(self._sheet)

    @cached_property
    def named(self) -> tuple[Codes, list[str]]:
        """The statements by the text of their case's id and their own: their places in that
        order, and both ids of each as they stand in canonical JSON."""
        names = RevisionSheet.objects.values_list("names", flat=True).get(**self._key)
        return self._sheet.codes("by_name"), names.split("\n") if names else []

    def ids(self) -> list[tuple[str, str]]:
        """The id of each one's case, and its own."""
        places, lines = self.named
        read = json.loads(f"[{','.join(f'[{line}]' for line in lines)}]")
        found: list[tuple[str, str]] = [("", "")] * len(read)
        for place, (case_id, statement_id) in zip(places.tolist(), read, strict=True):
            found[place] = case_id, statement_id
        return found

    # ---- An entry a case

    @property
    def cases(self) -> Codes:
        """Primary keys."""
        return self._sheet.codes("case")

    @property
    def pair(self) -> Codes:
        """Places in `pairs`, which stand in the order of their first cases."""
        return self._sheet.codes("pair")

    @property
    def pairs(self) -> Sequence[str]:
        return self._sheet.words["pair"]

    @property
    def kind(self) -> Codes:
        """Places in `kinds`, which are sorted."""
        return self._sheet.codes("kind")

    @property
    def kinds(self) -> Sequence[str]:
        return self._sheet.words["kind"]

    @property
    def answerable(self) -> Codes:
        """1 or 0 whether the admitted context holds the answer to the question."""
        return self._sheet.codes("answerable")

    @property
    def from_retrieved(self) -> Codes:
        """1 or 0 whether the retrieved pool does."""
        return self._sheet.codes("from_retrieved")

    @property
    def captured(self) -> Codes:
        """1 or 0 whether the pool was kept with the case."""
        return self._sheet.codes("captured")

    @property
    def admitted(self) -> Codes:
        """How many passages of a captured pool are in the admitted context."""
        return self._sheet.codes("admitted")

    @property
    def dropped(self) -> Codes:
        """How many are not."""
        return self._sheet.codes("dropped")

    # ---- An entry for each tag of a case

    @property
    def tagged(self) -> tuple[Codes, Codes, Sequence[str]]:
        """The place of the case, the place of the tag, and the tags."""
        tags = self._sheet.words["tag"]
        return self._sheet.codes("tagged_case"), self._sheet.codes("tag"), tags


def of(calibration_set: CalibrationSet | int, revision: int) -> Stood:
    """One query where it is kept; else the sheet is made, by a constant number of them."""
    pk = calibration_set if isinstance(calibration_set, int) else calibration_set.pk
    key = {"set_id": pk, "revision": revision, "format": FORMAT}
    kept = RevisionSheet.objects.filter(**key).values_list("columns", flat=True).first()
    if kept is None:
        kept, names = _made(Case.objects.at(revision).filter(set=pk))
        RevisionSheet.objects.get_or_create(**key, defaults={"columns": kept, "names": names})
    return Stood(Packed(kept), key)


def beyond(context: Iterable[Mapping[str, Any]], retrieved: Iterable[Any] | None) -> list[Any]:
    """The passages of a pool that are not in the admitted context."""
    admitted = {passage["id"] for passage in context}
    return [passage for passage in retrieved or () if passage["id"] not in admitted]


def _made(cases: CaseQuerySet) -> tuple[bytes, str]:
    held = _cases(cases)
    stated = _statements(cases, held["case"])
    expected, authored = _expectations(cases, stated["statement"])
    by_name, names = _names(held.pop("case_id"), stated.pop("statement_id"), stated["of_case"])
    tags, tag_names = _tags(held.pop("tags"))
    columns = {
        **{name: stated[name] for name in _OF_STATEMENTS},
        **{name: np.asarray(held[name], dtype=np.int64) for name in _OF_CASES},
        **expected,
        **authored.columns(),
        **tags,
        "by_name": by_name,
    }
    words = {"pair": held["pairs"], "kind": held["kinds"], "tag": tag_names, **authored.words()}
    return pack(columns, words), names


def _cases(cases: CaseQuerySet) -> dict[str, Any]:
    """In the set's order."""
    words = "case_id", "pair_id", "pair_kind", Cast("tags", TextField())
    captured = flag_of(Q(retrieved__isnull=False), Q(retrieved__isnull=True))
    facts = truth_of("answerable"), truth_of("answerable_from_retrieved"), captured
    position, *columns = documents(cases, "position", "pk", *words, *facts)
    order = sorted(range(len(position)), key=lambda at: (position[at], columns[0][at]))
    pk, case_id, pair, kind, tags, *known = ([each[at] for at in order] for each in columns)
    pairs = list(dict.fromkeys(one for one in pair if one))
    kinds = sorted({one for one in kind if one})
    return {
        "case": pk,
        "case_id": case_id,
        "pair": _coded(pair, pairs),
        "pairs": pairs,
        "kind": _coded(kind, kinds),
        "kinds": kinds,
        "tags": tags,
        **dict(zip(_FACTS, known, strict=True)),
        **_pools(cases, np.array(pk, dtype=np.int64)),
    }


def _coded(words: Iterable[str | None], names: Sequence[str]) -> list[int]:
    codes = {name: code for code, name in enumerate(names)}
    return [codes[word] if word else NOTHING for word in words]


def _pools(cases: CaseQuerySet, order: Codes) -> dict[str, Codes]:
    """How many passages of each captured pool were admitted and dropped."""
    counted = {"admitted": np.zeros_like(order), "dropped": np.zeros_like(order)}
    rows = cases.filter(retrieved__isnull=False).order_by()
    found = rows.values_list("pk", "context", "retrieved").iterator(chunk_size=_CASES_AT_ONCE)
    place = {pk: at for at, pk in enumerate(order.tolist())}
    for pk, context, retrieved in found:
        dropped = len(beyond(context, retrieved))
        counted["dropped"][place[pk]] = dropped
        counted["admitted"][place[pk]] = len(retrieved or ()) - dropped
    return counted


def _statements(cases: CaseQuerySet, order: Sequence[int]) -> dict[str, Any]:
    """In the set's order."""
    each = Statement.objects.filter(case__in=cases.order_by().values("pk"))
    words = code_of("claim_type", tuple(ClaimType)), code_of("speech_act", tuple(SpeechAct))
    *found, names = documents(each, "pk", "case_id", *words, "position", "statement_id")
    pk, case, claim_type, speech_act, position = (np.array(one, dtype=np.int64) for one in found)
    place = places_of(np.array(order, dtype=np.int64), case)
    rows = np.lexsort((pk, position, place))
    return {
        "statement": pk[rows],
        "of_case": place[rows],
        "claim_type": claim_type[rows],
        "speech_act": speech_act[rows],
        "statement_id": [names[row] for row in rows.tolist()],
    }


def _expectations(cases: CaseQuerySet, statements: Codes) -> tuple[dict[str, Codes], Cited]:
    stated = Expectation.objects.filter(statement__case__in=cases.order_by().values("pk"))
    words = code_of("claim_class", tuple(ClaimClass)), code_of("verdict", tuple(Verdict))
    pks, *columns = numbers(stated, "pk", *words, "contract_major")
    names = ("expected_class", "expected_verdict", "expected_major")
    expected = {name: np.full_like(statements, NOTHING) for name in names}
    places = places_of(statements, pks)
    for name, column in zip(names, columns, strict=True):
        expected[name][places] = column
    by, evidence = documents(stated.exclude(evidence=[]), "pk", "evidence")
    return expected, Cited.of(places_of(statements, np.array(by, dtype=np.int64)), evidence)


def _names(
    case_ids: Sequence[str], statement_ids: Sequence[str], of_case: Codes
) -> tuple[Codes, str]:
    each = [(case_ids[at], one) for at, one in zip(of_case.tolist(), statement_ids, strict=True)]
    order = sorted(range(len(each)), key=each.__getitem__)
    lines = (f"{quoted(each[at][0])},{quoted(each[at][1])}" for at in order)
    return np.array(order, dtype=np.int64), "\n".join(lines)


def _tags(lists: Sequence[str]) -> tuple[dict[str, Codes], list[str]]:
    """Cases have few different lists of tags, so each is read once."""
    names: dict[str, int] = {}
    read: dict[str, list[int]] = {}
    held: list[int] = []
    tags: list[int] = []
    for place, told in enumerate(lists):
        if told not in read:
            every = dict.fromkeys(json.loads(told))
            read[told] = [names.setdefault(tag, len(names)) for tag in every]
        held += [place] * len(read[told])
        tags += read[told]
    columns = {"tagged_case": held, "tag": tags}
    return {name: np.array(each, dtype=np.int64) for name, each in columns.items()}, list(names)
