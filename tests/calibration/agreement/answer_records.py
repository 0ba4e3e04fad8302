"""Ten answers, one of each kind, and a judge's results on them; what must come of them is derived
by hand in test_answersheets. Import from fixtures or tests: models need Django to be set up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from calibration import reports
from calibration.models import Report
from tests.calibration.pages import sets

Record = dict[str, Any]

P1 = {"id": "p1", "text": "Refunds are accepted within 30 days of purchase."}
P2 = {"id": "p2", "text": "Sale items are refunded as store credit within 14 days."}


def statement(at: int, text: str, answer: str, verdict: str | None, **fields: Any) -> Record:
    start = answer.index(text)
    claim_class = fields.pop("claim_class", "subject_specific")
    evidence = fields.pop("evidence", [])
    made = {"statement_id": f"s{at}", "text": text, "span": [start, start + len(text)], **fields}
    if verdict is not None:
        expected = {"claim_class": claim_class, "verdict": verdict, "evidence": evidence}
        made["expected"] = expected
    return made


def case(name: str, context: list[Record], said: list[tuple[Any, ...]], **fields: Any) -> Record:
    """``said`` are text, expected verdict and further fields of each statement."""
    answer = " ".join(one[0] for one in said)
    return {
        "case_id": name,
        "question": fields.pop("question", f"What of the {name}?"),
        "context": context,
        "answer": answer,
        "statements": [
            statement(at, one[0], answer, one[1], **(one[2] if len(one) > 2 else {}))
            for at, one in enumerate(said, 1)
        ],
        **fields,
    }


def passages(*texts: str) -> list[Record]:
    return [{"id": f"p{at}", "text": text} for at, text in enumerate(texts, 1)]


REFUSAL = {"speech_act": "refusal"}
QUANTITY = {"claim_type": "quantity"}
QUOTED = {"passage_id": "p1", "quote": "within 30 days"}

CASES = [
    # s2 stands in the pool alone, as the lexical judge finds it.
    case(
        "refund",
        [P1],
        [
            ("Refunds are accepted within 30 days.", "supported", {"evidence": [QUOTED]}),
            ("Sale items are refunded within 14 days.", "unsupported", QUANTITY),
        ],
        retrieved=[P1, P2],
    ),
    case(
        "warranty",
        passages("The lamp has a warranty."),
        [("The warranty runs for 5 years.", "unsupported", QUANTITY)],
    ),
    # The judge fails.
    case(
        "battery",
        passages("The battery lasts 8 hours."),
        [("The battery lasts 12 hours.", "contradictory", QUANTITY)],
    ),
    case(
        "price",
        passages("The lamp is sold in shops."),
        [("It costs 40 euros.", "unsupported", QUANTITY)],
        retrieved=passages("The lamp is sold in shops.", "The lamp costs 40 euros."),
        answerable=False,
        answerable_from_retrieved=True,
    ),
    case(
        "colour",
        passages("The lamp is sold in shops."),
        [("The documents do not say which colour it has.", "supported", REFUSAL)],
        answerable=False,
        answerable_from_retrieved=False,
    ),
    # The human reads a refusal that was not warranted, the judge an assertion.
    case(
        "weight",
        passages("The lamp weighs 2 kg."),
        [("I cannot find its weight in the documents.", "contradictory", REFUSAL)],
        answerable=True,
    ),
    case(
        "origin",
        passages("The lamp is sold in shops."),
        [
            ("The documents do not name its maker.", "supported", REFUSAL),
            ("It was made in Spain.", "unsupported", {"claim_type": "entity"}),
        ],
        retrieved=passages("The lamp is sold in shops."),
        answerable=False,
    ),
    # Nothing to grade.
    case(
        "care",
        passages("The lamp is made of glass."),
        [("You should dust it gently.", "not_applicable", {"claim_class": "interpretation"})],
    ),
    case(
        "glass",
        passages("The lamp is made of glass."),
        [("Glass melts at 200 degrees.", "unsupported", {"claim_class": "external"} | QUANTITY)],
    ),
    # No reference.
    case("plug", passages("The lamp has a plug."), [("The lamp has a plug.", None)]),
]

# Case, statement, class, verdict (or failure), speech act.
JUDGED = """
refund s1 subject_specific supported assertion
refund s2 subject_specific supported assertion
warranty s1 subject_specific unsupported assertion
battery s1 - timeout -
price s1 subject_specific supported assertion
colour s1 subject_specific supported refusal
weight s1 subject_specific unsupported assertion
origin s1 subject_specific supported refusal
origin s2 subject_specific unsupported assertion
care s1 interpretation not_applicable assertion
glass s1 external supported assertion
plug s1 subject_specific supported assertion
"""


def judgments() -> list[Record]:
    return [_judgment(*line.split()) for line in JUDGED.strip().splitlines()]


def _judgment(
    case_id: str, statement_id: str, claim_class: str, said: str, speech_act: str
) -> Record:
    named = {
        "rubric": "yes-man",
        "version": "1.0.0",
        "case_id": case_id,
        "statement_id": statement_id,
    }
    if claim_class == "-":
        return {**named, "outcome": said}
    quoted = case_id == "refund" and statement_id == "s1"
    return {
        **named,
        "outcome": "graded",
        "claim_class": claim_class,
        "verdict": said,
        "speech_act": speech_act,
        "evidence": [QUOTED] if quoted else [],
        "explanation": "It says so.",
    }


def report(folder: Path, slug: str = "answers") -> Report:
    measured = sets.imported(slug, CASES, folder)
    return reports.create(sets.recorded_run(measured, judgments()))
