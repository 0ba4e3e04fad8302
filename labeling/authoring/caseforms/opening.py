"""Cases of a set opened on a form, and what the form cannot carry as it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from grounding.errors import BadInput, Refused
from grounding.interchange import models as interchange
from grounding.interchange.resolving import resolved_case
from labeling import exchange
from labeling.authoring.caseforms import fields, reading, rows
from labeling.authoring.caseforms.typed import SIDES, TypedPair, read
from labeling.cases.sources import SourceTexts
from labeling.models import Case

# Of what one form may hold, line ends sent as two characters included; a server reads 4 MiB.
MAX_BYTES: Final = 3_500_000


def open_cases(cases: Sequence[Case]) -> tuple[TypedPair, list[str]]:
    """The form of one case, or of the sides of a pair, and the paths of what sending it back
    would alter unasked. Refused where a browser could not send it."""
    records = exchange.records_of(cases)
    first = records[0]
    pair = TypedPair(first.pair_id or "", first.pair_kind or "")
    for side, record, case in zip(SIDES, records, cases, strict=False):
        pair.sides[side] = reading.typed_of(record, opened=case.digest)
    _require_fits(pair)
    sent = read(fields.posted_of(pair))
    texts = SourceTexts(cases[0].set_id)
    lost = []
    for side, record in zip(SIDES, records, strict=False):
        try:
            again = resolved_case(reading.record_of(sent, side), texts)
        except BadInput as error:
            lost.append(f"{record.case_id}: {error.field or 'the whole case'}")
            continue
        paths = reading.altered(record.model_dump(), again.model_dump())
        lost += [f"{record.case_id}: {path}" for path in paths]
    return pair, lost


def open_beside(case: Case, partner: interchange.Case) -> tuple[TypedPair, list[str]]:
    """The form of a pair of which one side is ``case`` and the other, ``partner``, is new.
    Refused where a browser could not send it."""
    pair, lost = open_cases([case])
    pair.pair_id, pair.pair_kind = partner.pair_id or "", partner.pair_kind or ""
    pair.sides["b"] = reading.typed_of(partner, opened="")
    _require_fits(pair)
    return pair, lost


def _require_fits(pair: TypedPair) -> None:
    sent = fields.posted_of(pair).values()
    weight = sum(len(value.encode()) + value.count("\n") for value in sent)
    if rows.size(pair) > rows.MAX_FIELDS or weight > MAX_BYTES:
        raise Refused(
            "this is too large for a form: export it, change the file and import it"
            " with superseding on"
        )
