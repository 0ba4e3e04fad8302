"""What a statement of a case rests on: the sentences of its context that it cites, or is like."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from grounding.contract import Verdict
from grounding.errors import BadInput
from grounding.evidence import Texts, resolve
from grounding.interchange.models import Case, Statement
from grounding.language.sentences import bounds_of
from grounding.language.tokens import holds, span_of
from grounding.partners.kinds import Change

LEAST_ALIKE: Final = 0.6
"""So many of a statement's words must stand in a sentence of the context that it may rest on."""


@dataclass(frozen=True, slots=True)
class Work:
    case: Case
    seed: int
    texts: Texts
    standing: Mapping[str, Verdict | None]
    likeliest: dict[str, tuple[str, int, int] | None] = field(default_factory=dict)
    """Where in the context a statement without evidence stands, as far as was looked."""


def resting_on(work: Work, statement: Statement) -> list[str]:
    """What the statement rests on: the sentences that are cited, or else all passages."""
    found = [work.texts.passages[passage_id][a:b] for passage_id, a, b in cited(work, statement)]
    return found or [one.text for one in work.case.context]


def cited(work: Work, statement: Statement) -> Iterator[tuple[str, int, int]]:
    """Passage and bounds of each sentence that the statement's evidence stands in."""
    for evidence in statement.expected.evidence if statement.expected else ():
        try:
            found = resolve(evidence, work.texts)
        except BadInput:
            continue
        if found.passage_id is None or found.start is None or found.end is None:
            continue
        for start, end in bounds_of(work.texts.passages[found.passage_id]):
            if start < found.end and found.start < end:
                yield found.passage_id, start, end


def stands(word: str, text: str) -> bool:
    """Whether ``word`` is in ``text`` by itself, in whatever letter case."""
    at = text.lower().find(word.lower())
    while at >= 0:
        end = at + len(word)
        around = text[at - 1 : at] + text[end : end + 1] if at else text[end : end + 1]
        if not any(mark.isalnum() for mark in around):
            return True
        at = text.lower().find(word.lower(), at + 1)
    return False


def likeliest(work: Work, statement: Statement) -> tuple[str, int, int] | None:
    """Passage and bounds of the sentence that says most of the statement; None where none says
    `LEAST_ALIKE` of it."""
    content = span_of(statement.text).content
    best: tuple[float, str, int, int] | None = None
    for passage in work.case.context:
        for start, end in bounds_of(passage.text):
            said = span_of(passage.text[start:end])
            share = sum(holds(one, said) for one in content) / len(content) if content else 0.0
            if share >= LEAST_ALIKE and (best is None or share > best[0]):
                best = (share, passage.id, start, end)
    return best[1:] if best else None


def said_of_the_same(change: Change, text: str, statement: str) -> bool:
    """Whether a word beside the change stands in the statement, too: a sentence may have
    another verb, or another *first*, than the one that the statement speaks of."""
    content = span_of(text).content
    behind = [one for one in content if one.start >= change.end]
    ahead = [one for one in content if one.end <= change.start]
    touched = [one for one in content if change.start <= one.start < change.end]
    said = span_of(statement)
    if touched and not any(one.number is not None for one in touched):
        return all(holds(one, said) for one in touched)
    return any(holds(one, said) for one in (*behind[:1], *ahead[-1:]))


def only_here(work: Work, word: str) -> bool:
    """Whether the context says it once: said elsewhere as well, it would still be supported."""
    texts = [one.text.lower() for one in work.case.context]
    return sum(text.count(word.lower()) for text in texts) == 1
