import copy
import time
from typing import Any

import pytest

from grounding.errors import BadInput
from grounding.interchange.checking import (
    AttemptChecker,
    CaseChecker,
    CaseTexts,
    Checker,
    JudgmentChecker,
    LabelChecker,
    SourceChecker,
    checked,
)
from grounding.interchange.models import Attempt, Case, Judgment, Label, Record, Source

from .examples import ATTEMPT, CASE, JUDGMENT, LABEL, SOURCE, case, lines, read

SOURCES = [Source.model_validate(SOURCE)]
EVIDENCE = CASE["statements"][0]["expected"]["evidence"][0]


def check(checker: Checker[Any], model: type[Record], *values: Any) -> list[Any]:
    records = enumerate(read(lines(*values), model), start=1)
    return [record for _, record in checked(records, checker, source="file")]


def refused(checker: Checker[Any], model: type[Record], *values: Any) -> BadInput:
    """The error of the last of ``values``, all others passing."""
    with pytest.raises(BadInput) as caught:
        check(checker, model, *values)
    assert (caught.value.source, caught.value.line) == ("file", len(values))
    return caught.value


def statement(id_: str = "s1", **changes: Any) -> dict[str, Any]:
    return {**copy.deepcopy(CASE["statements"][0]), "statement_id": id_, **changes}


def citing(**changes: Any) -> dict[str, Any]:
    evidence = {"passage_id": "p1", **changes}
    return case(statements=[statement(expected={"evidence": [EVIDENCE, evidence]})])


def passages(*ids: str, text: str = "t") -> list[dict[str, Any]]:
    return [{"id": id_, "text": text} for id_ in ids]


def finder(**changes: Any) -> Any:
    (record,) = read(lines(case(**changes)))
    return {record.case_id: CaseTexts.of(record)}.get


@pytest.mark.parametrize(
    ("broken", "field"),
    [
        (case(statements=[statement(), statement()]), "statements.1.statement_id"),
        (case(statements=[statement(), statement("S1")]), "statements.1.statement_id"),
        (case(statements=[statement(span=[0, 74])]), "statements.0.span"),
        (case(statements=[statement(span=[5, 5])]), "statements.0.span"),
        (case(statements=[statement(span=[6, 5])]), "statements.0.span"),
        (case(statements=[statement(parent_id="s2")]), "statements.0.parent_id"),
        (case(statements=[statement(parent_id="s1")]), "statements.0.parent_id"),
        (case(statements=[statement("s0"), statement("s1", parent_id="s2"),
                          statement("s2", parent_id="s1")]), "statements.1.parent_id"),
        (case(context=passages("p1", "p1"), statements=[statement(expected=None)]),
         "context.1.id"),
        (case(context=passages("p1", "P1"), statements=[statement(expected=None)]),
         "context.1.id"),
        (case(retrieved=passages("p2", "p2")), "retrieved.1.id"),
        (case(retrieved=passages("p2", "P1")), "retrieved.1.id"),
        (case(retrieved=passages("p0", "p1")), "retrieved.1.text"),
        (citing(quote="4 failed jobs"), "statements.0.expected.evidence.1.quote"),
        (citing(quote="3 failed jobs", start=0, end=13), "statements.0.expected.evidence.1.quote"),
        (citing(start=30, end=42), "statements.0.expected.evidence.1.start"),
        (citing(start=7, end=7), "statements.0.expected.evidence.1.start"),
        (citing(quote="ed"), "statements.0.expected.evidence.1.start"),
        (citing(quote=""), "statements.0.expected.evidence.1.quote"),
        (citing(passage_id="p9", quote="x"), "statements.0.expected.evidence.1.passage_id"),
        (citing(passage_id=None, source_id="p1", quote="x"),
         "statements.0.expected.evidence.1.source_id"),
    ],
)  # fmt: skip
def test_a_case_that_contradicts_itself_is_refused_by_field(
    broken: dict[str, Any], field: str
) -> None:
    assert refused(CaseChecker(SOURCES), Case, broken).field == field


def test_evidence_never_rests_on_the_retrieved_pool() -> None:
    broken = citing(passage_id="p2", quote="only retrieved")
    broken["retrieved"] = passages("p2", text="only retrieved")
    assert refused(CaseChecker(), Case, broken).field == (
        "statements.0.expected.evidence.1.passage_id"
    )


def test_the_same_passage_may_stand_in_context_and_pool() -> None:
    assert check(CaseChecker(), Case, case(retrieved=[*CASE["context"], *passages("p2")]))


def test_evidence_comes_back_with_quote_and_offsets() -> None:
    given = [
        {"passage_id": "p1", "quote": "2 skipped"},
        {"passage_id": "p1", "start": 0, "end": 7},
        {"source_id": "handbook", "quote": "failed operation"},
    ]
    (found,) = check(
        CaseChecker(SOURCES), Case, case(statements=[statement(expected={"evidence": given})])
    )
    evidence = found.statements[0].expected.evidence
    assert [(e.quote, e.start, e.end) for e in evidence] == [
        ("2 skipped", 31, 40),
        ("Nightly", 0, 7),
        ("failed operation", 17, 33),
    ]


def test_offsets_count_code_points_after_line_ends_are_normalised() -> None:
    context = [{"id": "p1", "text": "👩‍👧\r\nهنا\r\nthere"}]
    evidence = [{"passage_id": "p1", "quote": "هنا\r\nthere", "start": 4, "end": 13}]
    given = case(
        context=context,
        answer="é\r\nx",
        statements=[statement(span=[2, 3], expected={"evidence": evidence})],
    )
    (found,) = check(CaseChecker(), Case, given)
    assert found.statements[0].expected.evidence[0].quote == "هنا\nthere"
    given["statements"][0]["span"] = [2, 4]
    assert refused(CaseChecker(), Case, given).field == "statements.0.span"


def test_parents_may_come_later_and_stand_in_long_chains() -> None:
    count = 20_000
    chain = [
        statement(f"s{n}", parent_id=f"s{n + 1}" if n < count else None, expected=None)
        for n in range(count + 1)
    ]
    began = time.process_time()
    assert check(CaseChecker(), Case, case(statements=chain))
    assert time.process_time() - began < 5


def test_quotes_that_are_asked_for_by_offsets_cannot_fill_memory() -> None:
    evidence = [{"passage_id": "p1", "start": n, "end": 999_999} for n in range(100)]
    broken = case(
        context=passages("p1", text="x" * 1_000_000),
        statements=[statement(expected={"evidence": evidence})],
    )
    error = refused(CaseChecker(), Case, broken)
    assert "line" in error.message
    assert error.field == "statements.0.expected.evidence.16"


@pytest.mark.parametrize("later", ["jobs-001-a", "Jobs-001-A"])
def test_a_case_id_is_refused_at_the_later_line(later: str) -> None:
    error = refused(CaseChecker(), Case, case(), case(case_id="b"), case(case_id=later))
    assert error.field == "case_id"


def test_an_id_that_the_set_spells_otherwise_is_refused_and_the_same_spelling_is_not() -> None:
    assert refused(CaseChecker(known=["JOBS-001-A"]), Case, case()).field == "case_id"
    assert check(CaseChecker(known=["jobs-001-a"]), Case, case())


def test_a_pair_is_two_cases_and_one_spelling() -> None:
    a, b, c = (case(case_id=id_) for id_ in "abc")
    checker = CaseChecker()
    check(checker, Case, a, case(case_id="z", pair_id="alone"))
    assert checker.unpaired() == ["jobs-001", "alone"]
    assert refused(CaseChecker(), Case, a, b, c).field == "pair_id"
    assert refused(CaseChecker(), Case, a, {**b, "pair_id": "JOBS-001"}).field == "pair_id"


@pytest.mark.parametrize("later", ["handbook", "Handbook"])
def test_a_source_id_is_refused_at_the_later_line(later: str) -> None:
    assert refused(SourceChecker(), Source, SOURCE, {**SOURCE, "id": later}).field == "id"


SECOND = [
    (LABEL, {"labeled_at": None, "verdict": "unsupported", "evidence": []}, False),
    (LABEL, {"contract_version": "1.7.2"}, False),
    (LABEL, {"contract_version": "2.0.0"}, True),
    (LABEL, {"contract_version": None}, True),
    (LABEL, {"role": "adjudication"}, True),
    (LABEL, {"annotator": "ann-2"}, True),
    (JUDGMENT, {"verdict": "unsupported", "evidence": []}, False),
    (JUDGMENT, {"rubric_digest": "x", "repeat": None}, False),
    (JUDGMENT, {"repeat": 1}, True),
    (JUDGMENT, {"run": "r2"}, True),
    (JUDGMENT, {"version": "1.3.0"}, True),
    (JUDGMENT, {"rubric": "other"}, True),
]


@pytest.mark.parametrize(("record", "changes", "good"), SECOND)
def test_one_live_label_and_one_judgment_for_each_key(
    record: dict[str, Any], changes: dict[str, Any], good: bool
) -> None:
    model, checker = (
        (Label, LabelChecker(finder()))
        if record is LABEL
        else (Judgment, JudgmentChecker(finder()))
    )
    pair = (record, {**record, **changes})
    if good:
        assert len(check(checker, model, *pair)) == 2
    else:
        assert refused(checker, model, *pair).field == "statement_id"


def test_annotators_that_differ_by_letter_case_only_are_refused() -> None:
    later = {**LABEL, "annotator": "ANN-1", "role": "adjudication"}
    assert refused(LabelChecker(finder()), Label, LABEL, later).field == "annotator"


GRADINGS = [
    ({"case_id": "jobs-001-A"}, "case_id"),
    ({"statement_id": "s2"}, "statement_id"),
    ({"premises": [{"text": "", "span": [0, 74]}]}, "premises.0.span"),
    ({"evidence": [EVIDENCE, {**EVIDENCE, "end": 28}]}, "evidence.1.quote"),
    ({"premises": [{"text": "", "evidence": [{**EVIDENCE, "passage_id": "p2"}]}]},
     "premises.0.evidence.0.passage_id"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "field"), GRADINGS)
def test_labels_and_judgments_refer_to_what_is_there(changes: dict[str, Any], field: str) -> None:
    find = finder(retrieved=passages("p2"))
    assert refused(LabelChecker(find), Label, {**LABEL, **changes}).field == field
    assert refused(JudgmentChecker(find), Judgment, {**JUDGMENT, **changes}).field == field


def test_label_evidence_comes_back_with_offsets_in_premises_too() -> None:
    evidence = [{"passage_id": "p1", "quote": "2 skipped"}]
    given = {**LABEL, "evidence": [], "premises": [{"text": "t", "evidence": evidence}]}
    (label,) = check(LabelChecker(finder()), Label, given)
    assert label.premises[0].evidence[0].start == 31


def test_a_failed_judgment_keeps_the_quote_that_made_it_invalid() -> None:
    given = {
        **JUDGMENT,
        "outcome": "invalid",
        "claim_class": None,
        "verdict": None,
        "evidence": [{"passage_id": "p9", "quote": "made up"}],
    }
    (judgment,) = check(JudgmentChecker(finder()), Judgment, given)
    assert judgment.evidence[0].quote == "made up"


def test_a_run_is_of_one_rubric_version() -> None:
    first = {**JUDGMENT, "run": "r1"}
    later = {**first, "repeat": 1, "version": "1.2.1"}
    assert refused(JudgmentChecker(finder()), Judgment, first, later).field == "version"


def test_an_attempt_is_numbered_once() -> None:
    assert check(AttemptChecker(), Attempt, ATTEMPT, {**ATTEMPT, "number": 2})
    assert refused(AttemptChecker(), Attempt, ATTEMPT, ATTEMPT).field == "number"
