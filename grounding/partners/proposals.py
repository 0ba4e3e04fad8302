"""Near-identical partners of a case, proposed one change at a time.

A statement that is supported is changed, or the passage that it rests on is, so that it no
longer is. What comes out is a draft for its author: the wording is made by rules, and so is
the verdict that it is expected to get.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from grounding.contract import ClaimClass, SpeechAct, Verdict
from grounding.digests import digest
from grounding.errors import BadInput
from grounding.evidence import Texts, resolve
from grounding.interchange.models import Case, Evidence, Expected, Statement
from grounding.language.sentences import bounds_of
from grounding.language.tokens import holds, span_of
from grounding.partners import figures, names, wordings
from grounding.partners.editing import Edit, Unclear, edited, touches
from grounding.partners.kinds import Change, PartnerKind, chosen

ALL: Final = tuple(PartnerKind)
Changes = Callable[[str, str, int], Iterator[Change]]

_OF_STATEMENT: Final[Mapping[PartnerKind, Changes]] = MappingProxyType(
    {
        PartnerKind.NUMBER: figures.numbers,
        PartnerKind.DATE: figures.dates,
        PartnerKind.UNIT: figures.units,
        PartnerKind.ENTITY: names.names,
        PartnerKind.NEGATION: wordings.negations,
        PartnerKind.QUANTIFIER: wordings.quantifiers,
        PartnerKind.HEDGE: wordings.hedges,
        PartnerKind.CAUSE: wordings.causes,
    }
)
_OF_PASSAGE: Final[Mapping[PartnerKind, Changes]] = MappingProxyType(
    {
        PartnerKind.NUMBER: figures.numbers,
        PartnerKind.DATE: figures.dates,
        PartnerKind.UNIT: figures.units,
        PartnerKind.ENTITY: names.names,
        PartnerKind.NEGATION: wordings.negations,
        PartnerKind.QUANTIFIER: wordings.weakened,
        PartnerKind.HEDGE: wordings.hedged,
        PartnerKind.CAUSE: wordings.turned_there,
    }
)
# Kinds whose change is of a word that the statement has to have as well.
_OF_A_WORD: Final = frozenset(
    {
        PartnerKind.NUMBER,
        PartnerKind.DATE,
        PartnerKind.UNIT,
        PartnerKind.ENTITY,
        PartnerKind.QUANTIFIER,
    }
)
LONGEST: Final = 2_000
"""Characters of a statement, or of a sentence of a passage, in which a change is looked for."""
LEAST_ALIKE: Final = 0.6
"""So many of a statement's words must stand in a sentence of the context that it may rest on."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A partner of ``original``: ``case``, which differs from it by ``edit`` alone.

    ``expected`` says of each statement that the edit turns, from which verdict to which.
    ``case`` has the original's ids; who adds it names it. ``key`` is the same for the same
    proposal, whatever else is proposed beside it.
    """

    kind: PartnerKind
    statement_id: str
    edit: Edit
    case: Case
    expected: Mapping[str, tuple[Verdict, Verdict]]
    why: str

    @property
    def key(self) -> str:
        edit = self.edit
        said = [self.kind, edit.passage_id, edit.start, edit.end, edit.new, self.statement_id]
        return digest(said).removeprefix("sha256:")[:16]


def propose(
    case: Case,
    *,
    seed: int,
    kinds: Collection[PartnerKind] = ALL,
    verdicts: Mapping[str, Verdict] = MappingProxyType({}),
) -> tuple[Proposal, ...]:
    """Partners of ``case`` of these kinds: at most one of a kind for each supported statement
    changed in the answer, and one changed in the context.

    The same case, seed and kinds give the same proposals. ``verdicts`` says, by statement id,
    how statements stand for which the case itself expects nothing. Statements that are not
    known to be supported, are no assertions, or rest on something else than the admitted
    context are left alone. Empty where nothing fits.
    """
    texts = Texts({one.id: one.text for one in case.context}, {})
    standing = {one.statement_id: _verdict(one, verdicts) for one in case.statements}
    work = _Work(case, seed, texts, standing)
    return tuple(
        proposal
        for kind in PartnerKind
        if kind in kinds
        for statement in case.statements
        if _may_turn(statement, standing[statement.statement_id])
        for found in (_in_answer(work, statement, kind), _in_context(work, statement, kind))
        for proposal in found
    )


@dataclass(frozen=True, slots=True)
class _Work:
    case: Case
    seed: int
    texts: Texts
    standing: Mapping[str, Verdict | None]
    likeliest: dict[str, tuple[str, int, int] | None] = field(default_factory=dict)
    """Where in the context a statement without evidence stands, as far as was looked."""


def _verdict(statement: Statement, verdicts: Mapping[str, Verdict]) -> Verdict | None:
    if statement.expected is not None and statement.expected.verdict is not None:
        return statement.expected.verdict
    return verdicts.get(statement.statement_id)


def _may_turn(statement: Statement, verdict: Verdict | None) -> bool:
    """A supported assertion about the admitted context."""
    claim_class = statement.expected.claim_class if statement.expected else None
    return (
        verdict is Verdict.SUPPORTED
        and claim_class in (None, ClaimClass.SUBJECT_SPECIFIC)
        and statement.speech_act in (None, SpeechAct.ASSERTION)
    )


def _in_answer(work: _Work, statement: Statement, kind: PartnerKind) -> list[Proposal]:
    case = work.case
    start, end = statement.span or (0, 0)
    if not 0 < end - start <= LONGEST:
        return []
    text = case.answer[start:end]
    there = "\n".join(_resting_on(work, statement))
    options = [
        one
        for one in _OF_STATEMENT[kind](text, there, work.seed)
        if not one.rests_on or _stands(one.rests_on, there)
    ]
    return _first(work, statement, kind, None, start, options)


def _resting_on(work: _Work, statement: Statement) -> list[str]:
    """What the statement rests on: the sentences that are cited, or else all passages."""
    cited = [work.texts.passages[passage_id][a:b] for passage_id, a, b in _cited(work, statement)]
    return cited or [one.text for one in work.case.context]


def _cited(work: _Work, statement: Statement) -> Iterator[tuple[str, int, int]]:
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


def _stands(word: str, text: str) -> bool:
    at = text.lower().find(word.lower())
    while at >= 0:
        end = at + len(word)
        around = text[at - 1 : at] + text[end : end + 1] if at else text[end : end + 1]
        if not any(mark.isalnum() for mark in around):
            return True
        at = text.lower().find(word.lower(), at + 1)
    return False


def _in_context(work: _Work, statement: Statement, kind: PartnerKind) -> list[Proposal]:
    for passage_id, start, end in _cited(work, statement) or ():
        found = _of_sentence(work, statement, kind, passage_id, start, end)
        if found:
            return found
    if statement.expected is not None and statement.expected.evidence:
        return []
    return _uncited(work, statement, kind)


def _uncited(work: _Work, statement: Statement, kind: PartnerKind) -> list[Proposal]:
    """Without evidence: the one sentence of the context that says most of the statement."""
    if statement.statement_id not in work.likeliest:
        work.likeliest[statement.statement_id] = _likeliest(work, statement)
    place = work.likeliest[statement.statement_id]
    return _of_sentence(work, statement, kind, *place) if place else []


def _likeliest(work: _Work, statement: Statement) -> tuple[str, int, int] | None:
    content = span_of(statement.text).content
    best: tuple[float, str, int, int] | None = None
    for passage in work.case.context:
        for start, end in bounds_of(passage.text):
            said = span_of(passage.text[start:end])
            share = sum(holds(one, said) for one in content) / len(content) if content else 0.0
            if share >= LEAST_ALIKE and (best is None or share > best[0]):
                best = (share, passage.id, start, end)
    return best[1:] if best else None


def _of_sentence(
    work: _Work, statement: Statement, kind: PartnerKind, passage_id: str, start: int, end: int
) -> list[Proposal]:
    text = work.texts.passages[passage_id][start:end]
    if len(text) > LONGEST:
        return []
    options = [
        one
        for one in _OF_PASSAGE[kind](text, statement.text, work.seed)
        if kind not in _OF_A_WORD
        or (_stands(one.rests_on, statement.text) and _only_here(work, one.rests_on))
    ]
    options = [one for one in options if _said_of_the_same(one, text, statement.text)]
    return _first(work, statement, kind, passage_id, start, options)


def _said_of_the_same(change: Change, text: str, statement: str) -> bool:
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


def _only_here(work: _Work, word: str) -> bool:
    """Whether the context says it once: said elsewhere as well, it would still be supported."""
    texts = [one.text.lower() for one in work.case.context]
    return sum(text.count(word.lower()) for text in texts) == 1


def _first(
    work: _Work,
    statement: Statement,
    kind: PartnerKind,
    passage_id: str | None,
    offset: int,
    options: list[Change],
) -> list[Proposal]:
    """The proposal of one of ``options``, by the seed; the next where that one cannot be
    carried through the case."""
    while options:
        change = chosen(options, work.seed, kind, statement.statement_id, passage_id)
        options = [one for one in options if one is not change]
        try:
            return [_proposal(work, statement, kind, passage_id, offset, change)]
        except Unclear:
            continue
    return []


def _proposal(
    work: _Work,
    statement: Statement,
    kind: PartnerKind,
    passage_id: str | None,
    offset: int,
    change: Change,
) -> Proposal:
    text = work.case.answer if passage_id is None else work.texts.passages[passage_id]
    start, end = offset + change.start, offset + change.end
    edit = Edit(passage_id, start, end, text[start:end], change.new)
    why = change.why if passage_id is None else _of_context(kind, change)
    turned = _turned(work, statement, edit)
    partner = edited(_resolved(work), edit)
    statements = tuple(
        _expecting(one, change.verdict, why) if one.statement_id in turned else one
        for one in partner.statements
    )
    return Proposal(
        kind=kind,
        statement_id=statement.statement_id,
        edit=edit,
        case=partner.model_copy(update={"statements": statements}),
        expected=dict.fromkeys(turned, (Verdict.SUPPORTED, change.verdict)),
        why=why,
    )


def _of_context(kind: PartnerKind, change: Change) -> str:
    if kind is PartnerKind.NEGATION:
        return "The context now says the opposite."
    if not change.rests_on or "now" in change.why:
        return change.why
    return f"The context now says {change.new}, not {change.rests_on}."


def _turned(work: _Work, statement: Statement, edit: Edit) -> list[str]:
    """The statements that the edit turns: this one, and each supported one that it touches."""
    return [
        one.statement_id
        for one in work.case.statements
        if one.statement_id == statement.statement_id
        or (
            _may_turn(one, work.standing[one.statement_id])
            and (_cites(work, one, edit) if edit.passage_id else touches(one.span, edit))
        )
    ]


def _cites(work: _Work, statement: Statement, edit: Edit) -> bool:
    return any(
        passage_id == edit.passage_id and start <= edit.start and edit.end <= end
        for passage_id, start, end in _cited(work, statement)
    ) and (not edit.old or _stands(edit.old, statement.text))


def _resolved(work: _Work) -> Case:
    """The case with every offset of its evidence filled in, so that it can be moved."""
    statements = tuple(_with_offsets(one, work.texts) for one in work.case.statements)
    return work.case.model_copy(update={"statements": statements})


def _with_offsets(statement: Statement, texts: Texts) -> Statement:
    if statement.expected is None:
        return statement
    evidence = tuple(_placed(one, texts) for one in statement.expected.evidence)
    expected = statement.expected.model_copy(update={"evidence": evidence})
    return statement.model_copy(update={"expected": expected})


def _placed(evidence: Evidence, texts: Texts) -> Evidence:
    try:
        return resolve(evidence, texts)
    except BadInput:
        return evidence


def _expecting(statement: Statement, verdict: Verdict, why: str) -> Statement:
    expected = statement.expected or Expected()
    changed = expected.model_copy(update={"verdict": verdict, "rationale": why})
    return statement.model_copy(update={"expected": changed})
