"""Whether a rubric's examples give away cases that the rubric is scored on."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from grounding.digests import digest
from grounding.interchange.models import Passage
from grounding.rubrics.definition import Example, RubricDefinition


def fingerprint(statement: str, context: Iterable[Passage]) -> str:
    """Of a statement's text and its passages' texts, whatever their ids are.

    White space at the ends and runs of it inside do not count.
    """
    return digest([_squeezed(statement), [_squeezed(passage.text) for passage in context]])


def examples_leaking_into(
    definition: RubricDefinition,
    case_ids: Collection[str],
    pair_ids: Collection[str],
    fingerprints: Collection[str] = (),
) -> tuple[str, ...]:
    """One line for each example that shares a case, a pair or its text with what is scored.

    Ids compare without regard to letter case, as everywhere. ``fingerprints`` are those of
    the scored statements, by `fingerprint`; without them only ids are compared. Empty means
    that nothing leaks.
    """
    cases, pairs = _folded(case_ids), _folded(pair_ids)
    found = (
        (index, _reason(example, cases, pairs, fingerprints))
        for index, example in enumerate(definition.examples)
    )
    return tuple(f"examples.{index}: {reason}" for index, reason in found if reason)


def _reason(
    example: Example,
    cases: Collection[str],
    pairs: Collection[str],
    fingerprints: Collection[str],
) -> str | None:
    if example.pair_id is not None and example.pair_id.casefold() in pairs:
        return f"shares pair {example.pair_id} with a scored case"
    if example.case_id is not None and example.case_id.casefold() in cases:
        return f"is case {example.case_id}, which is scored"
    if fingerprints and fingerprint(example.statement, example.context) in fingerprints:
        return "has the statement and context of a scored case"
    return None


def _folded(ids: Collection[str]) -> frozenset[str]:
    return frozenset(one.casefold() for one in ids)


def _squeezed(text: str) -> str:
    return " ".join(text.split())
