"""The shipped set: what its card promises of it, held against its own records."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Final

import pytest
from django.core.management import call_command

from calibration.reports.looks import HOLDOUT
from grounding.contract import CONTRACT, FAILING, VALID_VERDICTS, ClaimClass, SpeechAct, Verdict
from grounding.interchange.models import Case, Source, Statement
from grounding.splitting import split_answer
from labeling.cases.checks import MIN_CELL

STARTER: Final = Path(__file__).parents[2] / "calibration" / "sets" / "starter"
CASES: Final = [
    Case.model_validate_json(line)
    for line in (STARTER / "cases.jsonl").read_text("utf-8").splitlines()
]
SOURCES: Final = {
    source.id: source.text
    for source in map(
        Source.model_validate_json, (STARTER / "sources.jsonl").read_text("utf-8").splitlines()
    )
}
JAPANESE: Final = ("HIRAGANA", "KATAKANA", "CJK")


def statements() -> Iterator[tuple[Case, Statement]]:
    return ((case, statement) for case in CASES for statement in case.statements)


def named(case: Case, statement: Statement) -> str:
    return f"{case.case_id}/{statement.statement_id}"


def cell(statement: Statement) -> tuple[ClaimClass, Verdict]:
    expected = statement.expected
    assert expected is not None
    assert expected.claim_class is not None
    assert expected.verdict is not None
    return expected.claim_class, expected.verdict


def act(statement: Statement) -> SpeechAct:
    assert statement.speech_act is not None
    return statement.speech_act


def passes(case: Case) -> bool:
    return not any(cell(statement)[1] in FAILING for statement in case.statements)


def sides() -> dict[str, list[Case]]:
    pairs: dict[str, list[Case]] = defaultdict(list)
    for case in CASES:
        assert case.pair_id is not None
        pairs[case.pair_id].append(case)
    return pairs


def domain(case: Case) -> str:
    (tag,) = [tag for tag in case.tags if tag.startswith("domain:")]
    return tag.removeprefix("domain:")


def risk(case: Case) -> str:
    levels = [tag.removeprefix("risk:") for tag in case.tags if tag.startswith("risk:")]
    assert len(levels) <= 1, case.case_id
    return levels[0] if levels else "none"


def script(text: str) -> str:
    """The script that most letters of ``text`` belong to, by their Unicode names."""
    words = (re.split(r"[ -]", unicodedata.name(letter))[0] for letter in text if letter.isalpha())
    name = Counter("JAPANESE" if word in JAPANESE else word for word in words).most_common(1)[0][0]
    return name.capitalize()


def pairs_by(counts: Counter[str]) -> dict[str, int]:
    return {name: count // 2 for name, count in counts.items()}


def table(heading: str) -> dict[str, int]:
    """The counts under ``heading`` in the dataset card."""
    card = (STARTER / "README.md").read_text("utf-8")
    section = card.split(f"## {heading}\n")[1].split("\n## ")[0]
    return {name: int(count) for name, count in re.findall(r"^\| (.+) \| (\d+) \|$", section, re.M)}


def test_it_imports_whole_and_the_linter_finds_nothing(db: None) -> None:
    imported, found = StringIO(), StringIO()
    call_command("import_set", "starter", str(STARTER), "--json", stdout=imported)
    call_command("check_set", "starter", "--json", stdout=found)
    answer = json.loads(imported.getvalue())
    assert answer["cases"]["added"] == len(CASES)
    assert answer["warnings"] == []
    assert json.loads(found.getvalue()) == {"findings": []}


def test_sixty_pairs_of_ten_kinds_in_a_dozen_domains() -> None:
    assert len(sides()) >= 60
    assert len({case.pair_kind for case in CASES}) >= 10
    assert len({domain(case) for case in CASES}) >= 12


def test_three_scripts_beside_latin_have_several_pairs_each() -> None:
    counts = pairs_by(Counter(script(case.answer) for case in CASES))
    assert len([name for name, count in counts.items() if name != "Latin" and count > 1]) >= 3


def test_in_every_pair_one_side_passes_and_the_other_does_not() -> None:
    for pair_id, pair in sides().items():
        assert sorted(passes(case) for case in pair) == [False, True], pair_id


def test_every_cell_that_the_contract_allows_is_filled() -> None:
    counts = Counter(cell(statement) for _, statement in statements())
    allowed = {(each, verdict) for each, verdicts in VALID_VERDICTS.items() for verdict in verdicts}
    assert set(counts) == allowed
    assert min(counts.values()) >= MIN_CELL


@pytest.mark.parametrize("claim_class", [ClaimClass.SUBJECT_SPECIFIC, ClaimClass.EXTERNAL])
def test_what_is_supported_or_contradicted_cites_where_its_class_looks(
    claim_class: ClaimClass,
) -> None:
    for case, statement in statements():
        stated, verdict = cell(statement)
        unquotable = (
            verdict is Verdict.SUPPORTED and not CONTRACT.speech_acts[act(statement)].quotable
        )
        if stated is not claim_class or verdict is Verdict.UNSUPPORTED or unquotable:
            continue
        assert statement.expected is not None
        assert statement.expected.evidence, named(case, statement)
        for quote in statement.expected.evidence:
            inside = quote.passage_id is not None
            assert inside is (claim_class is ClaimClass.SUBJECT_SPECIFIC), named(case, statement)


def test_quotes_are_the_slices_that_their_offsets_cut() -> None:
    for case, statement in statements():
        texts = {**SOURCES, **{passage.id: passage.text for passage in case.context}}
        assert statement.expected is not None
        for quote in statement.expected.evidence:
            text = texts[quote.passage_id or quote.source_id or ""]
            assert text[quote.start : quote.end] == quote.quote, named(case, statement)


def test_what_was_not_split_off_spans_a_sentence_of_its_answer() -> None:
    for case, statement in statements():
        sentences = {(each.start, each.end) for each in split_answer(case.answer)}
        if statement.parent_id is None:
            assert statement.span in sentences, named(case, statement)


def test_speech_acts_have_the_class_and_the_verdicts_that_they_may_have() -> None:
    for case, statement in statements():
        claim_class, verdict = cell(statement)
        required = CONTRACT.speech_acts[act(statement)].claim_class
        assert required in (None, claim_class), named(case, statement)
        # A refusal is warranted or it is not.
        if act(statement) in (SpeechAct.REFUSAL, SpeechAct.RETRIEVAL_STATEMENT):
            assert verdict is not Verdict.UNSUPPORTED, named(case, statement)
    assert {act(statement) for _, statement in statements()} == set(SpeechAct)


def test_every_expectation_says_why() -> None:
    for case, statement in statements():
        assert statement.expected is not None
        assert (statement.expected.rationale or "").strip(), named(case, statement)


def test_graded_assertions_have_a_claim_type() -> None:
    for case, statement in statements():
        if act(statement) is SpeechAct.ASSERTION and cell(statement)[1] != Verdict.NOT_APPLICABLE:
            assert statement.claim_type is not None, named(case, statement)


def test_refusals_are_over_represented_and_agree_with_answerable() -> None:
    refusals = [pair for pair in sides().values() if "refusal" in str(pair[0].pair_kind)]
    assert len(refusals) >= 8
    assert len(refusals) / len(sides()) >= 0.1
    for pair in refusals:
        for case in pair:
            assert act(case.statements[-1]) is SpeechAct.REFUSAL
            # Warranted exactly where the admitted context holds no answer.
            assert case.answerable is not passes(case), case.case_id


def test_what_was_retrieved_and_not_admitted_supports_nothing() -> None:
    pools = [case for case in CASES if case.retrieved is not None]
    left_out = [case for case in pools if case.answerable is False]
    assert len(left_out) >= 3
    assert all(len(case.retrieved or ()) > len(case.context) for case in pools)
    assert all(case.answerable_from_retrieved for case in pools)
    unsupported = [case for case in left_out if not passes(case)]
    assert unsupported
    assert all(cell(case.statements[-1])[1] is Verdict.UNSUPPORTED for case in unsupported)


def test_premises_are_split_from_a_statement_that_is_not_graded() -> None:
    premises = [(case, each) for case, each in statements() if each.parent_id is not None]
    assert len(premises) >= 5
    for case, premise in premises:
        (parent,) = [each for each in case.statements if each.statement_id == premise.parent_id]
        assert cell(parent)[0] is ClaimClass.INTERPRETATION, named(case, premise)


def test_a_marked_handful_is_contested_and_says_so() -> None:
    contested = [pair for pair in sides().values() if "contested" in pair[0].tags]
    assert 3 <= len(contested) <= 5
    for pair in contested:
        assert all("contested" in case.tags for case in pair)
        reasons = [
            s.expected.rationale or "" for case in pair for s in case.statements if s.expected
        ]
        assert any(reason.startswith("Contested.") for reason in reasons), pair[0].pair_id


def test_both_sides_of_a_pair_have_the_same_risk_and_are_held_out_together() -> None:
    for pair_id, pair in sides().items():
        assert len({risk(case) for case in pair}) == 1, pair_id
        assert len({HOLDOUT in case.tags for case in pair}) == 1, pair_id
    assert {risk(case) for case in CASES} == {"high", "medium", "low", "none"}


def test_a_few_pairs_of_as_many_kinds_are_held_out() -> None:
    held = [pair for pair in sides().values() if HOLDOUT in pair[0].tags]
    assert len(held) == len({pair[0].pair_kind for pair in held}) == 8
    assert "(tag `holdout`): eight pairs, of eight kinds" in (STARTER / "README.md").read_text()


def test_the_card_counts_what_is_there() -> None:
    every = [statement for _, statement in statements()]
    assert table("By kind") == pairs_by(Counter(str(case.pair_kind) for case in CASES))
    assert table("By domain") == pairs_by(Counter(domain(case) for case in CASES))
    assert table("By risk") == pairs_by(Counter(map(risk, CASES)))
    assert table("By script") == pairs_by(Counter(script(case.answer) for case in CASES))
    assert table("By class and verdict") == Counter(" ".join(cell(each)) for each in every)
    assert table("By speech act") == Counter(str(each.speech_act) for each in every)
    assert table("By claim type") == Counter(str(each.claim_type or "none") for each in every)


def test_the_card_opens_with_the_totals_and_names_tier_and_licence() -> None:
    card = (STARTER / "README.md").read_text("utf-8")
    totals = f"{len(sides())} pairs of near-identical cases ({len(CASES)} cases, "
    assert f"{totals}{len(list(statements()))} statements)" in card
    assert "the author's expectation, and nothing else" in card
    assert {case.licence for case in CASES} == {"CC0-1.0"}
    assert "**Licence**: CC0-1.0" in card
