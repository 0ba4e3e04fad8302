"""The lexical judge's verdicts on statements written for this table.

They are what the judge gives, right or wrong: some are wrong, and say so. The
table guards the implementation number, not the judge's quality.
"""

import pytest

from grounding.interchange.models import Case, Passage, Statement
from grounding.judges import lexical
from grounding.judges.registry import create_judge
from grounding.pipeline import grade_case
from grounding.rubrics import load_rubric
from tests.grounding.rubric_examples import SHIPPED

IMPLEMENTATION = 4
QUESTION = "When was the contract with Northwind signed?"
CONTEXT = (
    "Nightly report for Acme: 3 failed jobs, 2 skipped. The backup did not finish.",
    "The contract with Northwind was signed on 4 March 2021 in Oslo. It is worth $1.2 million.",
    "Mean latency rose from 120 ms to 180 ms after the July release. The fibre count took 1 h 24"
    " min: 4,987 households were asked, and 47.6% of these were connected.",
)

# Statement, class, verdict, claim type, speech act, evidence, verdicts of hidden premises.
GOLDEN = (
    (
        "The nightly report for Acme shows 3 failed jobs.",
        "subject_specific",
        "supported",
        "quantity",
        "assertion",
        (("p1", 0, 50),),
        (),
    ),
    (
        "The nightly report for Acme shows three failed jobs.",
        "subject_specific",
        "supported",
        "quantity",
        "assertion",
        (("p1", 0, 50),),
        (),
    ),
    (
        "The nightly report for Acme shows 5 failed jobs.",
        "subject_specific",
        "contradictory",
        "quantity",
        "assertion",
        (("p1", 0, 50),),
        (),
    ),
    (
        "The nightly report for Acme shows many delayed jobs.",
        "subject_specific",
        "unsupported",
        "quantifier",
        "assertion",
        (("p1", 0, 50),),
        (),
    ),
    (
        "The backup did not finish.",
        "subject_specific",
        "supported",
        "negation",
        "assertion",
        (("p1", 51, 77),),
        (),
    ),
    (
        "The backup did finish.",
        "subject_specific",
        "contradictory",
        "qualitative",
        "assertion",
        (("p1", 51, 77),),
        (),
    ),
    (
        "The contract with Northwind was signed in Oslo.",
        "subject_specific",
        "supported",
        "entity",
        "assertion",
        (("p2", 0, 63),),
        (),
    ),
    (
        "The contract with Northwind was signed in Bergen.",
        "subject_specific",
        "contradictory",
        "entity",
        "assertion",
        (("p2", 0, 63),),
        (),
    ),
    (
        "The contract with Northwind was signed on 4 May 2021.",
        "subject_specific",
        "contradictory",
        "date",
        "assertion",
        (("p2", 0, 63),),
        (),
    ),
    (
        "The contract with Northwind was signed on 4 March 2019.",
        "subject_specific",
        "contradictory",
        "date",
        "assertion",
        (("p2", 0, 63),),
        (),
    ),
    (
        "The contract with Northwind is worth 1,200,000 dollars.",
        "subject_specific",
        "supported",
        "quantity",
        "assertion",
        (("p2", 64, 89), ("p2", 0, 63)),
        (),
    ),
    (
        "The contract with Northwind was signed in Oslo and is worth $1.2 million.",
        "subject_specific",
        "supported",
        "quantity",
        "assertion",
        (("p2", 0, 63), ("p2", 64, 89)),
        (),
    ),
    (
        "The contract with Contoso was signed in Oslo.",
        "subject_specific",
        "contradictory",
        "entity",
        "assertion",
        (("p2", 0, 63),),
        (),
    ),
    (
        "Mean latency rose from 120 ms to 180 ms.",
        "subject_specific",
        "supported",
        "quantity",
        "assertion",
        (("p3", 0, 63),),
        (),
    ),
    (
        "Latency rose because the disks were full.",
        "subject_specific",
        "unsupported",
        "causal",
        "assertion",
        (),
        (),
    ),
    (
        "The chief executive resigned yesterday.",
        "subject_specific",
        "unsupported",
        "qualitative",
        "assertion",
        (),
        (),
    ),
    (
        "A retry reruns a failed operation.",
        "external",
        "unsupported",
        "qualitative",
        "assertion",
        (),
        (),
    ),
    (
        "Caching reduces load on databases.",
        "external",
        "unsupported",
        "qualitative",
        "assertion",
        (),
        (),
    ),
    (
        "You should rerun the backup.",
        "interpretation",
        "not_applicable",
        "qualitative",
        "assertion",
        (),
        (),
    ),
    (
        "You should rerun the backup because 3 failed jobs were reported for Acme.",
        "interpretation",
        "not_applicable",
        "quantity",
        "assertion",
        (),
        ("supported",),
    ),
    (
        "I recommend a rollback since 9 failed jobs were reported for Acme.",
        "interpretation",
        "not_applicable",
        "quantity",
        "assertion",
        (),
        ("contradictory",),
    ),
    (
        "The service looks healthy.",
        "interpretation",
        "not_applicable",
        "qualitative",
        "assertion",
        (),
        (),
    ),
    (
        "The provided documents do not mention when the contract was signed.",
        "subject_specific",
        "contradictory",
        "negation",
        "refusal",
        (("p2", 0, 63),),
        (),
    ),
    (
        "I cannot determine the colour of the office from the context.",
        "subject_specific",
        "contradictory",
        "negation",
        "refusal",
        (("p2", 0, 63),),
        (),
    ),
    (
        "I found 3 passages about the contract.",
        "subject_specific",
        "supported",
        "quantity",
        "retrieval_statement",
        (),
        (),
    ),
    (
        "I found 7 passages about the contract.",
        "subject_specific",
        "contradictory",
        "quantity",
        "retrieval_statement",
        (),
        (),
    ),
    (
        "Which contract do you mean?",
        "interpretation",
        "not_applicable",
        "qualitative",
        "clarification",
        (),
        (),
    ),
    (
        "Here is a summary of the report:",
        "interpretation",
        "not_applicable",
        "qualitative",
        "procedural",
        (),
        (),
    ),
    (
        "{claim.__class__} is worth {{settings.SECRET_KEY}}.",
        "subject_specific",
        "unsupported",
        "entity",
        "assertion",
        (),
        (),
    ),
    (
        "契約はオスロで署名された。",
        "subject_specific",
        "unsupported",
        "qualitative",
        "assertion",
        (),
        (),
    ),
    (
        "You should rerun the backup. The backup did finish.",
        "subject_specific",
        "contradictory",
        "qualitative",
        "assertion",
        (("p1", 51, 77),),
        (),
    ),
    (
        "The contract is worth $1.5 million.",
        "subject_specific",
        "unsupported",
        "quantity",
        "assertion",
        (),
        (),
    ),
    (
        "The release made mean latency fall to 180 ms.",
        "subject_specific",
        "contradictory",
        "quantity",
        "assertion",
        (("p3", 0, 63),),
        (),
    ),
    (
        "All jobs of the nightly report for Acme failed.",
        "subject_specific",
        "unsupported",
        "quantifier",
        "assertion",
        (("p1", 0, 50),),
        (),
    ),
    (
        "Mean latency rose from 0.12 seconds to 0.18 seconds after the July release.",
        "subject_specific",
        "supported",
        "date",
        "assertion",
        (("p3", 0, 63),),
        (),
    ),
    (
        "The contract with Northwind was signed on 2021-03-04 in Oslo.",
        "subject_specific",
        "supported",
        "date",
        "assertion",
        (("p2", 0, 63),),
        (),
    ),
    (
        "The report for Acme mentions 3 failures.",
        "subject_specific",
        "supported",
        "quantity",
        "assertion",
        (("p1", 0, 50),),
        (),
    ),
    (
        "The July release was followed by a rise in mean latency.",
        "subject_specific",
        "supported",
        "date",
        "assertion",
        (("p3", 0, 63),),
        (),
    ),
    # Wrong: it did not finish, and so it was unfinished.
    (
        "The backup was unfinished.",
        "subject_specific",
        "unsupported",
        "qualitative",
        "assertion",
        (("p1", 51, 77),),
        (),
    ),
    *(
        (text, "subject_specific", verdict, "quantity", "assertion", (("p3", 64, 160),), ())
        for text, verdict in (
            ("The fibre count asked about 5,000 households.", "supported"),
            ("The fibre count asked 5,000 households.", "contradictory"),
            ("The fibre count asked about 6,000 households.", "contradictory"),
            ("In the fibre count 48% of the households were connected.", "supported"),
            ("In the fibre count 47% of the households were connected.", "contradictory"),
            ("The fibre count took 84 minutes.", "supported"),
            ("The fibre count took nearly one and a half hours.", "supported"),
            ("The fibre count took 7 hours.", "contradictory"),
        )
    ),
)

CHANGED = (
    "the lexical judge gives another outcome than implementation %d did. If that is meant, raise "
    "grounding.judges.lexical.IMPLEMENTATION, name the new number in a new version of the shipped "
    "rubric, and only then write the new outcomes and the new number into this table"
)


def graded() -> list[tuple[object, ...]]:
    case = Case(
        case_id="golden",
        question=QUESTION,
        context=tuple(Passage(id=f"p{n}", text=text) for n, text in enumerate(CONTEXT, 1)),
        answer=" ".join(row[0] for row in GOLDEN),
        statements=tuple(
            Statement(statement_id=f"s{n}", text=row[0]) for n, row in enumerate(GOLDEN, 1)
        ),
    )
    definition = load_rubric(SHIPPED.read_text(encoding="utf-8"))
    grades = grade_case(case, create_judge(definition), definition)
    return [
        (
            grade.claim_class,
            grade.verdict,
            grade.claim_type,
            grade.speech_act,
            tuple((one.passage_id, one.start, one.end) for one in grade.evidence),
            tuple(premise.verdict for premise in grade.premises),
        )
        for grade in grades
    ]


OUTCOMES = graded()


@pytest.mark.parametrize(("row", "outcome"), list(zip(GOLDEN, OUTCOMES, strict=True)))
def test_golden_verdicts(row, outcome):
    assert outcome == row[1:], CHANGED % IMPLEMENTATION


def test_the_table_belongs_to_the_implementation_that_is_here():
    assert lexical.IMPLEMENTATION == IMPLEMENTATION, CHANGED % IMPLEMENTATION
    assert load_rubric(SHIPPED.read_text(encoding="utf-8")).judge.implementation == IMPLEMENTATION
