"""The partner that is proposed for a case: what a lead chooses from, and the form that it opens.

Nothing here adds anything. A proposal becomes a case only through the form of its pair, which
is checked and saved as any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final

from grounding.contract import CONTRACT, ClaimClass, Verdict
from grounding.errors import NotFound
from grounding.interchange import models as interchange
from grounding.interchange.models import MAX_ID
from grounding.language.sentences import bounds_of
from grounding.partners import PartnerKind, Proposal, propose
from labeling import exchange, references
from labeling.models import Case, Statement
from labeling.references import Reference
from labeling.wording.marking import Piece, differing

PAIR_KINDS: Final[Mapping[PartnerKind, str]] = {
    PartnerKind.NUMBER: "number_shift",
    PartnerKind.DATE: "date_shift",
    PartnerKind.UNIT: "unit_swap",
    PartnerKind.ENTITY: "entity_swap",
    PartnerKind.NEGATION: "negation",
    PartnerKind.QUANTIFIER: "quantifier",
    PartnerKind.HEDGE: "hedge_dropped",
    PartnerKind.CAUSE: "causal_direction",
}
MOST_SEEDS: Final = 10_000
_SIDE: Final = re.compile(r"[._:-][aA1]$")


@dataclass(frozen=True)
class Turn:
    """A statement that the change turns, as it reads on either side."""

    statement_id: str
    text: str
    before: Verdict
    after: Verdict


@dataclass(frozen=True)
class Shown:
    """A proposal beside its original: the sentence that differs, on either side."""

    proposal: Proposal
    left: Sequence[Piece]
    right: Sequence[Piece]
    turns: Sequence[Turn]

    @property
    def place(self) -> str:
        passage = self.proposal.edit.passage_id
        return "the answer" if passage is None else f"passage {passage}"


def partner_of(case: Case) -> Case | None:
    """The live other side of the case's pair, if it has one."""
    if case.pair_id is None:
        return None
    others = Case.objects.live().filter(set=case.set_id, pair_id=case.pair_id)
    return others.exclude(case_id=case.case_id).order_by("position").first()


class Proposals:
    """What is proposed for a live case, in the order of kinds, or of one kind alone, as a
    paginator wants it."""

    def __init__(self, case: Case, seed: int, kind: str | None = None) -> None:
        self._record = exchange.records_of([case])[0]
        self._proposed = _proposed(case, self._record, seed, kind)

    def count(self) -> int:
        return len(self._proposed)

    def __getitem__(self, part: slice, /) -> Sequence[Shown]:
        return [_shown(self._record, one) for one in self._proposed[part]]


def proposal_of(case: Case, seed: int, key: str) -> tuple[interchange.Case, Proposal]:
    """The original's record, and the proposal of that key under that seed.

    NotFound where none has it: the case, or what proposes, has changed since.
    """
    record = exchange.records_of([case])[0]
    found = next((one for one in _proposed(case, record, seed, None) if one.key == key), None)
    if found is None:
        raise NotFound("that partner is no longer proposed; the case may have changed")
    return record, found


def named(case: Case, record: interchange.Case, proposal: Proposal) -> interchange.Case:
    """The proposed case under ids of its own, in a pair with the original."""
    ids = Case.objects.filter(set=case.set_id)
    taken = {one.lower() for one in ids.values_list("case_id", flat=True).distinct()}
    pairs = ids.filter(pair_id__isnull=False).values_list("pair_id", flat=True).distinct()
    stem = _SIDE.sub("", record.case_id)[: MAX_ID - 8]
    pair_id = record.pair_id or _free(_pair_ids(stem), {str(one).lower() for one in pairs})
    return proposal.case.model_copy(
        update={
            "case_id": _free(_case_ids(record.case_id), taken),
            "pair_id": pair_id,
            "pair_kind": record.pair_kind or PAIR_KINDS[proposal.kind],
        }
    )


def _proposed(
    case: Case, record: interchange.Case, seed: int, kind: str | None
) -> tuple[Proposal, ...]:
    kinds = PartnerKind if kind is None else [PartnerKind(kind)]
    return propose(record, seed=seed, kinds=tuple(kinds), verdicts=_verdicts(case))


def _verdicts(case: Case) -> dict[str, Verdict]:
    """How statements stand by their reference, where it leaves them to the admitted context."""
    rows = list(Statement.objects.filter(case=case).select_related("expectation"))
    decided = references.of_statements(rows, CONTRACT.major)
    return {
        one.statement_id: Verdict(found.verdict)
        for one in rows
        if isinstance(found := decided[one.pk], Reference)
        and found.claim_class in (None, ClaimClass.SUBJECT_SPECIFIC)
    }


def _shown(record: interchange.Case, proposal: Proposal) -> Shown:
    before, after = _texts(record, proposal)
    left, right = differing(before, after)
    statements = {one.statement_id: one.text for one in proposal.case.statements}
    turns = [
        Turn(statement_id, statements[statement_id], *verdicts)
        for statement_id, verdicts in proposal.expected.items()
    ]
    return Shown(proposal, left, right, turns)


def _texts(record: interchange.Case, proposal: Proposal) -> tuple[str, str]:
    """The sentences that the edit falls into, as they were and as they would be."""
    edit = proposal.edit
    text = _text_of(record, edit.passage_id)
    touched = [one for one in bounds_of(text) if one[0] <= edit.end and edit.start <= one[1]]
    start, end = (touched[0][0], touched[-1][1]) if touched else (0, len(text))
    return text[start:end], _text_of(proposal.case, edit.passage_id)[start : end + edit.longer]


def _text_of(record: interchange.Case, passage_id: str | None) -> str:
    if passage_id is None:
        return record.answer
    return next(one.text for one in record.context if one.id == passage_id)


def _case_ids(case_id: str) -> Iterator[str]:
    ends = {"a": "b", "A": "B", "1": "2"}
    if _SIDE.search(case_id):
        yield case_id[:-1] + ends[case_id[-1]]
    stem = case_id[: MAX_ID - 8]
    yield f"{stem}-b"
    yield from (f"{stem}-b{n}" for n in count(2))


def _pair_ids(stem: str) -> Iterator[str]:
    yield stem
    yield from (f"{stem}-{n}" for n in count(2))


def _free(names: Iterator[str], taken: set[str]) -> str:
    return next(name for name in names if name.lower() not in taken)
