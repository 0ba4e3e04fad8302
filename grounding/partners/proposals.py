"""Near-identical partners of a case, proposed one change at a time.

A statement that is supported is changed, or the passage that it rests on is, so that it no
longer is. What comes out is a draft for its author: the wording is made by rules, and so is
the verdict that it is expected to get.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from grounding.contract import ClaimClass, SpeechAct, Verdict
from grounding.digests import digest
from grounding.errors import BadInput
from grounding.evidence import Texts, resolve
from grounding.interchange.models import Case, Evidence, Expected, Statement
from grounding.partners import figures, names, wordings
from grounding.partners.editing import Edit, Unclear, edited, touches
from grounding.partners.grounds import (
    Work,
    cited,
    likeliest,
    only_here,
    resting_on,
    said_of_the_same,
    stands,
)
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
        """Sixteen hexadecimal digits that name this very change of this statement."""
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
    work = Work(case, seed, texts, standing)
    return tuple(
        proposal
        for kind in PartnerKind
        if kind in kinds
        for statement in case.statements
        if _may_turn(statement, standing[statement.statement_id])
        for found in (_in_answer(work, statement, kind), _in_context(work, statement, kind))
        for proposal in found
    )


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


def _in_answer(work: Work, statement: Statement, kind: PartnerKind) -> list[Proposal]:
    case = work.case
    start, end = statement.span or (0, 0)
    if not 0 < end - start <= LONGEST:
        return []
    text = case.answer[start:end]
    there = "\n".join(resting_on(work, statement))
    options = [
        one
        for one in _OF_STATEMENT[kind](text, there, work.seed)
        if not one.rests_on or stands(one.rests_on, there)
    ]
    return _first(work, statement, kind, None, start, options)


def _in_context(work: Work, statement: Statement, kind: PartnerKind) -> list[Proposal]:
    for passage_id, start, end in cited(work, statement) or ():
        found = _of_sentence(work, statement, kind, passage_id, start, end)
        if found:
            return found
    if statement.expected is not None and statement.expected.evidence:
        return []
    return _uncited(work, statement, kind)


def _uncited(work: Work, statement: Statement, kind: PartnerKind) -> list[Proposal]:
    """Without evidence: the one sentence of the context that says most of the statement."""
    if statement.statement_id not in work.likeliest:
        work.likeliest[statement.statement_id] = likeliest(work, statement)
    place = work.likeliest[statement.statement_id]
    return _of_sentence(work, statement, kind, *place) if place else []


def _of_sentence(
    work: Work, statement: Statement, kind: PartnerKind, passage_id: str, start: int, end: int
) -> list[Proposal]:
    text = work.texts.passages[passage_id][start:end]
    if len(text) > LONGEST:
        return []
    options = [
        one
        for one in _OF_PASSAGE[kind](text, statement.text, work.seed)
        if kind not in _OF_A_WORD
        or (stands(one.rests_on, statement.text) and only_here(work, one.rests_on))
    ]
    options = [one for one in options if said_of_the_same(one, text, statement.text)]
    return _first(work, statement, kind, passage_id, start, options)


def _first(
    work: Work,
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
    work: Work,
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


def _turned(work: Work, statement: Statement, edit: Edit) -> list[str]:
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


def _cites(work: Work, statement: Statement, edit: Edit) -> bool:
    return any(
        passage_id == edit.passage_id and start <= edit.start and edit.end <= end
        for passage_id, start, end in cited(work, statement)
    ) and (not edit.old or stands(edit.old, statement.text))


def _resolved(work: Work) -> Case:
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
