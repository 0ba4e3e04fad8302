"""One record checked by itself, and its evidence resolved.

Nothing here knows of other lines; `checking` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from grounding.errors import BadInput
from grounding.evidence import Texts, resolve
from grounding.interchange.fields import MAX_LINE
from grounding.interchange.models import (
    Case,
    Evidence,
    Judgment,
    Label,
    Passage,
    Premise,
    Record,
    Statement,
)
from grounding.interchange.writing import dump_line

R = TypeVar("R", bound=Record)
G = TypeVar("G", Label, Judgment)


class Ids:
    """The ids of one kind met so far; two that differ by letter case alone are refused."""

    def __init__(self, kind: str, known: Iterable[str] = ()) -> None:
        self._kind = kind
        self._spellings = {id_.lower(): id_ for id_ in known}
        self._met: set[str] = set()

    def meet(self, id_: str, *, field: str) -> None:
        """Note ``id_``, which may have been met before, in this spelling."""
        spelling = self._spellings.setdefault(id_.lower(), id_)
        if spelling != id_:
            raise BadInput(
                f"{self._kind} {id_!r} differs from {spelling!r} by letter case only", field=field
            )

    def add(self, id_: str, *, field: str) -> None:
        """Note ``id_``, which must be new."""
        self.meet(id_, field=field)
        if id_ in self._met:
            raise BadInput(f"{self._kind} {id_!r} stands here a second time", field=field)
        self._met.add(id_)


def resolved_case(case: Case, sources: Mapping[str, str]) -> Case:
    """One case, checked by itself, with the evidence of its expectations resolved against
    the admitted context and ``sources`` (text by id)."""
    _check_passages(case)
    _check_statements(case)
    resolver = _Resolver(_texts(case.context, sources))
    statements = tuple(
        _resolved_statement(statement, resolver, f"statements.{index}")
        for index, statement in enumerate(case.statements)
    )
    return resolver.outcome(case, statements=statements)


@dataclass(frozen=True)
class CaseTexts:
    """What labels and judgments of a case may refer to."""

    answer: str
    passages: Mapping[str, str]
    """Admitted passages only, text by id."""
    statement_ids: frozenset[str]

    @classmethod
    def of(cls, case: Case) -> CaseTexts:
        return cls(
            answer=case.answer,
            passages={passage.id: passage.text for passage in case.context},
            statement_ids=frozenset(statement.statement_id for statement in case.statements),
        )


def resolved_grading(record: G, texts: CaseTexts, sources: Mapping[str, str]) -> G:
    """One label or judgment with its evidence, and that of its premises, resolved."""
    for index, premise in enumerate(record.premises):
        _check_span(premise.span, texts.answer, f"premises.{index}.span")
    resolver = _Resolver(Texts(texts.passages, sources))
    premises = tuple(
        _resolved_premise(premise, resolver, f"premises.{index}")
        for index, premise in enumerate(record.premises)
    )
    evidence = resolver.every(record.evidence, "evidence")
    return resolver.outcome(record, evidence=evidence, premises=premises)


def _check_passages(case: Case) -> None:
    spellings, admitted, pool = Ids("passage"), Ids("passage"), Ids("passage")
    texts = {passage.id: passage.text for passage in case.context}
    for index, passage in enumerate(case.context):
        spellings.meet(passage.id, field=f"context.{index}.id")
        admitted.add(passage.id, field=f"context.{index}.id")
    for index, passage in enumerate(case.retrieved or ()):
        spellings.meet(passage.id, field=f"retrieved.{index}.id")
        pool.add(passage.id, field=f"retrieved.{index}.id")
        if texts.get(passage.id, passage.text) != passage.text:
            raise BadInput(
                f"passage {passage.id!r} has another text in the context",
                field=f"retrieved.{index}.text",
            )


def _check_statements(case: Case) -> None:
    ids = Ids("statement")
    for index, statement in enumerate(case.statements):
        ids.add(statement.statement_id, field=f"statements.{index}.statement_id")
        _check_span(statement.span, case.answer, f"statements.{index}.span")
    if any(statement.parent_id for statement in case.statements):
        _check_parents(case.statements)


def _check_span(span: tuple[int, int] | None, answer: str, field: str) -> None:
    if span is not None and not span[0] < span[1] <= len(answer):
        raise BadInput(
            f"[{span[0]}, {span[1]}) is not inside the answer of {len(answer)} characters",
            field=field,
        )


def _check_parents(statements: tuple[Statement, ...]) -> None:
    parents = {statement.statement_id: statement.parent_id for statement in statements}
    rooted: set[str] = set()
    for index, statement in enumerate(statements):
        field = f"statements.{index}.parent_id"
        if statement.parent_id is not None and statement.parent_id not in parents:
            raise BadInput(f"there is no statement {statement.parent_id!r} here", field=field)
        if not _reaches_root(statement.statement_id, parents, rooted):
            raise BadInput("a statement cannot be split from itself", field=field)


def _reaches_root(start: str, parents: Mapping[str, str | None], rooted: set[str]) -> bool:
    """Whether the way up ends; every statement on it is added to ``rooted``, so that
    all ways together are walked once."""
    way: set[str] = set()
    current: str | None = start
    while current is not None and current not in rooted:
        if current in way:
            return False
        way.add(current)
        current = parents.get(current)
    rooted |= way
    return True


def _resolved_statement(statement: Statement, resolver: _Resolver, at: str) -> Statement:
    expected = statement.expected
    if expected is None or not expected.evidence:
        return statement
    evidence = resolver.every(expected.evidence, f"{at}.expected.evidence")
    expected = expected.model_copy(update={"evidence": evidence})
    return statement.model_copy(update={"expected": expected})


def _resolved_premise(premise: Premise, resolver: _Resolver, at: str) -> Premise:
    evidence = resolver.every(premise.evidence, f"{at}.evidence")
    return premise.model_copy(update={"evidence": evidence})


def _texts(context: Iterable[Passage], sources: Mapping[str, str]) -> Texts:
    return Texts({passage.id: passage.text for passage in context}, sources)


class _Resolver:
    """Resolves the evidence of one record.

    A quote of a million characters can be asked for with forty, so what is filled
    in is counted: the record must still go on one line.
    """

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._changed = False
        self._filled = 0

    def every(self, evidence: Iterable[Evidence], at: str) -> tuple[Evidence, ...]:
        return tuple(self._one(item, f"{at}.{index}") for index, item in enumerate(evidence))

    def outcome(self, record: R, **fields: object) -> R:
        """``record`` itself where nothing was filled in, else a copy with ``fields``."""
        if not self._changed:
            return record
        copy = record.model_copy(update=fields)
        dump_line(copy)
        return copy

    def _one(self, item: Evidence, at: str) -> Evidence:
        found = resolve(item, self._texts, at=at)
        if found is not item:
            self._changed = True
            self._filled += len(found.quote or "")
        if self._filled > MAX_LINE:
            raise BadInput("the quotes of one record do not fit on one line", field=at)
        return found
