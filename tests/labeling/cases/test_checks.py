"""Lint: each finding provoked alone on a set that is otherwise clean."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from calibration import bundles
from labeling import sets
from labeling.cases import checks
from labeling.cases.checks import likeness, lint
from labeling.models import CalibrationSet
from tests.calibration.bundles.bundle_fixtures import write

Record = dict[str, Any]
Linted = Callable[[list[Record]], list[tuple[str, str | None]]]


def side(number: int, verdict: str, hours: str) -> Record:
    """One side of pair ``number``: the same claim, over a context that says other hours."""
    text = f"Lamp {number} burns for {hours} hours after it has been charged for a day."
    claim = f"Lamp {number} burns for six hours."
    return {
        "case_id": f"lamp-{number}-{verdict}",
        "pair_id": f"lamp-{number}",
        "context": [{"id": "p1", "text": text}],
        "answer": claim,
        "statements": [
            {
                "statement_id": "s1",
                "text": claim,
                "expected": {
                    "claim_class": None,
                    "verdict": verdict,
                    "evidence": [{"passage_id": "p1", "quote": f"{hours} hours"}],
                },
            }
        ],
    }


def clean() -> list[Record]:
    return [
        side(number, verdict, hours)
        for number in range(4)
        for verdict, hours in (("supported", "six"), ("contradictory", "nine"))
    ]


def expected(case: Record) -> Record:
    return dict(case["statements"][0]["expected"])


@pytest.fixture
def linted(db: None, tmp_path: Path) -> Linted:
    def import_and_lint(cases: list[Record]) -> list[tuple[str, str | None]]:
        bundles.import_set("lamps", write(tmp_path / "lamps.jsonl", cases))
        return [(found.kind, found.case_id) for found in lint(sets.get("lamps"))]

    return import_and_lint


def test_a_clean_set_has_no_findings(linted: Linted) -> None:
    assert linted(clean()) == []


def test_sides_that_are_expected_alike_are_found(linted: Linted) -> None:
    cases = clean()
    cases += [side(8, "supported", "six"), side(8, "contradictory", "nine")]
    cases[-1]["statements"][0]["expected"]["verdict"] = "supported"
    assert linted(cases) == [("equal_sides", "lamp-8-supported")]


def test_sides_that_read_the_same_are_found(linted: Linted) -> None:
    cases = clean()
    cases[1]["context"][0]["text"] = cases[0]["context"][0]["text"].replace(" ", "  ")
    cases[1]["statements"][0]["expected"]["evidence"] = []
    assert linted(cases) == [("texts_identical", "lamp-0-supported")]


def test_sides_that_share_too_few_words_are_found(linted: Linted) -> None:
    cases = clean()
    cases[1]["context"][0]["text"] = "Quite another passage, on nine hours " + "of ballet " * 20
    assert linted(cases) == [("texts_too_different", "lamp-0-supported")]


def test_a_pair_with_one_side_is_found(linted: Linted) -> None:
    assert linted([*clean(), side(8, "supported", "six")]) == [("pair_size", "lamp-8-supported")]


def test_the_same_text_under_another_id_is_found(linted: Linted) -> None:
    cases = clean()
    twin = side(0, "supported", "six") | {"case_id": "twin", "pair_id": None}
    assert linted([*cases, twin]) == [("duplicate", "twin")]


def test_a_supported_claim_without_evidence_is_found_where_a_class_needs_it(
    linted: Linted,
) -> None:
    cases = [plain(number) for number in range(4)]
    cases[2]["statements"][0]["expected"]["evidence"] = []
    kinds = linted(cases)
    assert ("missing_evidence", "plain-2") in kinds
    assert {kind for kind, _ in kinds} == {"missing_evidence", "cell_below_minimum"}


def test_a_pair_without_an_expected_verdict_is_found(linted: Linted) -> None:
    cases = clean()
    cases += [side(8, "supported", "six"), side(8, "contradictory", "nine")]
    cases[-1]["statements"][0]["expected"] = None
    assert linted(cases) == [("expected_missing", "lamp-8-contradictory")]


def test_a_statement_with_neither_expectation_nor_label_is_found(small_set: CalibrationSet) -> None:
    found = lint(small_set, minimum=0)
    # silent-3 s1 has an expectation, s1.1 has neither; manual-9 is a refusal and cites nothing.
    assert [(one.kind, one.case_id) for one in found] == [("no_reference", "silent-3")]


def hedged(text: str, span: list[int] | None) -> list[Record]:
    """The clean set, its first answer hedged, with ``text`` as the statement made of it."""
    cases = clean()
    cases[0]["answer"] = "Indeed. If charged, lamp 0 may burn for six hours. It is new."
    cases[0]["statements"][0] |= {"text": text, "span": span}
    return cases


def test_a_statement_that_lost_a_qualifier_of_its_sentence_is_found(linted: Linted) -> None:
    cases = hedged("Lamp 0 burns for six hours.", [8, 50])
    assert linted(cases) == [("dropped_qualifier", "lamp-0-supported")]
    (found,) = lint(sets.get("lamps"))
    lost = "“If charged” (condition) and “may” (hedge)"
    assert found.message == f"statement 's1' lost {lost} of its sentence in the answer"


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("If charged, lamp 0 may burn for six hours.", [8, 50]),
        ("If it is charged, lamp 0 might burn for six hours.", [8, 50]),
        ("Lamp 0 burns for six hours.", None),
        ("It is new.", [51, 61]),
    ],
)
def test_a_statement_that_kept_its_qualifiers_or_came_from_nowhere_is_none(
    linted: Linted, text: str, span: list[int] | None
) -> None:
    assert linted(hedged(text, span)) == []


def test_a_slice_of_a_sentence_that_leaves_its_hedge_outside_is_found(linted: Linted) -> None:
    cases = clean()
    cases[0]["answer"] = "Reportedly, lamp 0 burns for six hours."
    cases[0]["statements"][0] |= {"text": "lamp 0 burns for six hours.", "span": [12, 39]}
    assert linted(cases) == [("dropped_qualifier", "lamp-0-supported")]


def test_thin_cells_are_found_and_the_minimum_is_an_option(linted: Linted) -> None:
    cases = [case for case in clean() if case["pair_id"] != "lamp-3"]
    assert linted(cases) == [("cell_below_minimum", None)] * 2
    assert lint(sets.get("lamps"), minimum=3) == []


def test_once_classes_are_stated_every_cell_of_the_contract_is_wanted(linted: Linted) -> None:
    kinds = linted([plain(number) for number in range(4)])
    # Seven cells, of which subject-specific supported has its four.
    assert kinds == [("cell_below_minimum", None)] * 6


def test_likeness_is_the_share_of_words_in_common() -> None:
    # 3 of 4 and 4 words are shared: 2·3 / 8.
    assert likeness("the lamp burns long", "the lamp burns short") == 0.75
    assert likeness("a b", "c d") == 0
    assert likeness("", "") == 1
    assert likeness("a a b", "a b b") == pytest.approx(2 * 2 / 6)


def plain(number: int) -> Record:
    case = side(number, "supported", "six") | {"pair_id": None, "case_id": f"plain-{number}"}
    case["statements"][0]["expected"]["claim_class"] = "subject_specific"
    return case


def test_the_command_exits_1_with_findings_0_without_and_3_without_a_set(
    linted: Linted, tmp_path: Path
) -> None:
    linted(clean())
    assert _check("lamps") == {"findings": []}
    bundles.import_set("lamps", write(tmp_path / "x.jsonl", [side(9, "supported", "six")]))
    with pytest.raises(SystemExit) as red:
        _check("lamps")
    assert red.value.code == 1
    with pytest.raises(CommandError) as failed:
        _check("nothing")
    assert failed.value.returncode == 3


def _check(slug: str) -> Any:
    out = StringIO()
    call_command("check_set", slug, "--json", stdout=out, stderr=StringIO())
    return json.loads(out.getvalue())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["fever_symmetric", "cad_nli"])
def test_real_pairs_are_clean(db: None, data_folder: Path, name: str) -> None:
    bundles.import_set(name, data_folder / name)
    assert checks.lint(sets.get(name)) == []
