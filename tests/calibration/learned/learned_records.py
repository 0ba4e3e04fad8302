"""A set that can be learned from: pairs about houses, each statement with one blind label.

Import from fixtures or tests: models can be loaded only once Django is set up.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from calibration import bundles
from labeling import sets
from labeling.models import CalibrationSet

HOUSES = ("mill", "barn", "tower", "lodge", "chapel")
TOWNS = ("Arden", "Brockton", "Calder", "Dunmore", "Elsdon", "Fernley", "Glenholm")
WORDS = {*HOUSES, *TOWNS, "rooms", "doors", "friend"}
"""Words that stand in no artifact."""


def pair(number: int) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Both cases of one pair with their labels: the second claim is another number, or beside
    the point."""
    house = f"The {HOUSES[number % 5]} in {TOWNS[number % 7]}"
    context = f"{house} has {number + 2} rooms and {number + 40} doors."
    wrong = ("contradictory", f"{house} has {number + 70} rooms.")
    beside = ("unsupported", f"{house} was painted by a friend of mine.")
    right = ("supported", f"{house} has {number + 2} rooms.")
    sides = {"a": right, "b": (wrong, beside)[number % 2]}
    return [_case(number, side, context, *said) for side, said in sides.items()]


def write(folder: Path, pairs: int, **labels: Any) -> Path:
    """The set as a bundle; ``labels`` are set in every label, or where None leave them out."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [row for number in range(pairs) for row in pair(number)]
    _write(folder / "cases.jsonl", [case for case, _ in rows])
    if labels.get("verdict", "") is not None:
        _write(folder / "labels.jsonl", [{**label, **labels} for _, label in rows])
    return folder


def a_set(folder: Path, pairs: int = 24, slug: str = "houses", **labels: Any) -> CalibrationSet:
    bundles.import_set(slug, write(folder / slug, pairs, **labels))
    return sets.get(slug)


def _case(
    number: int, side: str, context: str, verdict: str, claim: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    expected = {"claim_class": "subject_specific", "verdict": verdict, "evidence": []}
    case = {
        "case_id": f"house-{number}-{side}",
        "pair_id": f"house-{number}",
        "context": [{"id": "p1", "text": context}],
        "answer": claim,
        "statements": [{"statement_id": "s1", "text": claim, "expected": expected}],
    }
    label = {
        "case_id": case["case_id"],
        "statement_id": "s1",
        "annotator": "ann-1",
        "role": "label",
        "claim_class": "subject_specific",
        "verdict": verdict,
        "origin": "blind",
        "contract_version": "1.0.0",
    }
    return case, label


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
