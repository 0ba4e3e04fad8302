"""Sets with labels and expectations in a few letters, as a planner meets them.

Import from fixtures or tests: models can be loaded only once Django is set up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from labeling.models import Annotator, CalibrationSet, Case, Expectation, Statement
from tests.calibration.report_records import label, stated


class Of(NamedTuple):
    """A statement: what each annotator says of it in letters (`report_fixtures`), what its author
    expects, and its case; a case's name is ``pair.side``, or anything without a dot."""

    labels: Sequence[str] = ()
    expected: str | None = None
    case: str | None = None


def a_set(rows: Sequence[Of], slug: str = "planned") -> CalibrationSet:
    made = CalibrationSet.objects.create(slug=slug, revision=1)
    most = max((len(row.labels) for row in rows), default=0)
    people = [Annotator.objects.create(set=made, code=f"ann-{n}") for n in range(most)]
    cases: dict[str, Case] = {}
    for at, row in enumerate(rows):
        name = row.case or f"case-{at}"
        case = cases.get(name) or cases.setdefault(name, _case(made, at, name))
        statement = Statement.objects.create(
            case=case, statement_id=f"s{at}", position=at, text=f"Statement {at}."
        )
        for annotator, letters in zip(people, row.labels, strict=False):
            label(statement, annotator, letters)
        if row.expected:
            claim_class, verdict = stated(row.expected)
            Expectation.objects.create(
                statement=statement, claim_class=claim_class, verdict=verdict
            )
    return made


def _case(made: CalibrationSet, at: int, name: str) -> Case:
    pair, dot, _ = name.partition(".")
    return Case.objects.create(
        set=made,
        case_id=name,
        added_in=1,
        position=at,
        pair_id=pair if dot else None,
        pair_kind="lamp" if dot else None,
        context=[{"id": "p1", "text": "A passage.", "source": None}],
        answer="An answer.",
        digest=f"sha256:{at}",
        content_digest=f"sha256:{at}",
    )
