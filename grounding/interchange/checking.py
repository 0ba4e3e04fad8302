"""Checks that need more than one field, or more than one line.

Each checker holds what it has seen, so that a file can be checked while it is
streamed; one checker serves one file. ``check`` returns the record with its
evidence resolved (quote and both offsets filled in) and raises BadInput with a
field and no place; `checked` adds source and line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, Protocol, TypeVar

from grounding.errors import BadInput
from grounding.interchange.models import (
    Attempt,
    Case,
    Judgment,
    JudgmentKey,
    Label,
    Outcome,
    Record,
    Source,
)
from grounding.interchange.resolving import CaseTexts as CaseTexts
from grounding.interchange.resolving import Ids, resolved_case, resolved_grading

R = TypeVar("R", bound=Record)

PAIR_SIZE: Final = 2

Sources = Iterable[Source] | Mapping[str, str]
"""Approved sources, or their texts by id: a mapping may read them only when asked."""


class Checker(Protocol[R]):
    def check(self, record: R, /) -> R: ...


def checked(
    records: Iterable[tuple[int, R]], checker: Checker[R], *, source: str
) -> Iterator[tuple[int, R]]:
    """``records`` as they pass ``checker``; BadInput gets ``source`` and the line."""
    for line, record in records:
        try:
            good = checker.check(record)
        except BadInput as error:
            raise error.at(source=source, line=line) from None
        yield line, good


class SourceChecker:
    """Approved sources: no id twice, nor differing by letter case only."""

    def __init__(self) -> None:
        self._ids = Ids("source")

    def check(self, source: Source) -> Source:
        self._ids.add(source.id, field="id")
        return source


class CaseChecker:
    """The cases of one file. ``known`` are case ids that the set holds already:
    they may come again, but not in another spelling."""

    def __init__(self, sources: Sources = (), *, known: Iterable[str] = ()) -> None:
        self._sources = _texts(sources)
        self._ids = Ids("case", known)
        self._pairs = Ids("pair")
        self._members: dict[str, int] = {}

    def check(self, case: Case) -> Case:
        self._ids.add(case.case_id, field="case_id")
        self._pair(case.pair_id)
        return resolved_case(case, self._sources)

    def unpaired(self) -> list[str]:
        """Pair ids met on one case only; its partner may stand in the set already."""
        return [pair_id for pair_id, count in self._members.items() if count < PAIR_SIZE]

    def _pair(self, pair_id: str | None) -> None:
        if pair_id is None:
            return
        self._pairs.meet(pair_id, field="pair_id")
        self._members[pair_id] = self._members.get(pair_id, 0) + 1
        if self._members[pair_id] > PAIR_SIZE:
            raise BadInput(f"a third case of pair {pair_id!r}; a pair is two", field="pair_id")


Find = Callable[[str], CaseTexts | None]


class LabelChecker:
    """The labels of one file; ``find`` gives the texts of a case by its id."""

    def __init__(self, find: Find, sources: Sources = ()) -> None:
        self._find = find
        self._sources = _texts(sources)
        self._annotators = Ids("annotator")
        self._met: set[tuple[object, ...]] = set()

    def check(self, label: Label) -> Label:
        self._annotators.meet(label.annotator, field="annotator")
        key = label_key(label)
        if key in self._met:
            raise BadInput(
                f"a second {label.role} by {label.annotator!r} for this statement under one"
                " major version of the contract",
                field="statement_id",
            )
        self._met.add(key)
        return resolved_grading(label, _found(self._find, label), self._sources)


class JudgmentChecker:
    """The judgments of one file; ``find`` gives the texts of a case by its id."""

    def __init__(self, find: Find, sources: Sources = ()) -> None:
        self._find = find
        self._sources = _texts(sources)
        self._met: set[tuple[object, ...]] = set()
        self._rubrics: dict[str, tuple[str, str]] = {}

    def check(self, judgment: Judgment) -> Judgment:
        _one_rubric(self._rubrics, judgment)
        key = judgment_key(judgment)
        if key in self._met:
            raise BadInput(
                f"a second judgment of this statement in one run, repeat {judgment.repeat}",
                field="statement_id",
            )
        self._met.add(key)
        texts = _found(self._find, judgment)
        # A failure may quote what is not there: that can be why it is one.
        if judgment.outcome is not Outcome.GRADED:
            return judgment
        return resolved_grading(judgment, texts, self._sources)


class AttemptChecker:
    """The attempts of one file: no attempt of a judgment numbered twice."""

    def __init__(self) -> None:
        self._met: set[tuple[object, ...]] = set()

    def check(self, attempt: Attempt) -> Attempt:
        key = (*judgment_key(attempt), attempt.number)
        if key in self._met:
            raise BadInput(f"a second attempt {attempt.number} of one judgment", field="number")
        self._met.add(key)
        return attempt


def _texts(sources: Sources) -> Mapping[str, str]:
    if isinstance(sources, Mapping):
        return sources
    return {source.id: source.text for source in sources}


def label_key(label: Label) -> tuple[object, ...]:
    """What one live label is unique by: statement, annotator, role, contract major (or None)."""
    version = label.contract_version
    major = int(version.split(".")[0]) if version else None
    return (label.case_id, label.statement_id, label.annotator, label.role, major)


def judgment_key(record: JudgmentKey) -> tuple[object, ...]:
    """What a judgment is unique by: run, case, statement, repeat.

    Results that were recorded without a run count as one run for each rubric version.
    """
    run = (record.run, "", "") if record.run else ("", record.rubric, record.version)
    return (*run, record.case_id, record.statement_id, record.repeat)


def _one_rubric(rubrics: dict[str, tuple[str, str]], judgment: Judgment) -> None:
    if judgment.run is None:
        return
    first = rubrics.setdefault(judgment.run, (judgment.rubric, judgment.version))
    if first != (judgment.rubric, judgment.version):
        raise BadInput(
            f"run {judgment.run!r} was of {first[0]} {first[1]} before; a run is of one version",
            field="rubric" if first[0] != judgment.rubric else "version",
        )


def _found(find: Find, record: Label | Judgment) -> CaseTexts:
    texts = find(record.case_id)
    if texts is None:
        raise BadInput(f"there is no case {record.case_id!r}", field="case_id")
    if record.statement_id not in texts.statement_ids:
        raise BadInput(
            f"case {record.case_id!r} has no statement {record.statement_id!r}",
            field="statement_id",
        )
    return texts
