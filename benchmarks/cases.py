"""Cases files of any size: two passages, two statements or one, an expectation on each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def write(path: Path, count: int, *, statements: int = 2) -> Path:
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            case = _case(number)
            case["statements"] = case["statements"][:statements]
            file.write(json.dumps(case, ensure_ascii=False) + "\n")
    return path


def _case(number: int) -> dict[str, Any]:
    side = "ab"[number % 2]
    context = [
        _passage("p1", f"Nightly report {number}: {number % 7} failed jobs, 2 skipped. " * 4),
        _passage("p2", f"夜間レポート {number}。Retries ended at 04:10, as on other nights. " * 4),
    ]
    first = f"Report {number} lists {number % 7} failed jobs."
    second = "A retry runs an operation again."
    answer = f"{first} {second}"
    return {
        "case_id": f"case-{number:06}",
        "pair_id": f"pair-{number // 2:06}",
        "pair_kind": "supported_vs_fabricated_number",
        "question": "What does the report list?",
        "context": context,
        "retrieved": None,
        "answer": answer,
        "statements": [
            _statement("s1", first, answer, "subject_specific", side),
            _statement("s2", second, answer, "external", "b"),
        ],
        "answerable": True,
        "answerable_from_retrieved": None,
        "tags": ["benchmark"],
        "source": "generated",
        "licence": "CC0-1.0",
    }


def _passage(passage_id: str, text: str) -> dict[str, Any]:
    return {"id": passage_id, "text": text, "source": None}


def _statement(
    statement_id: str, text: str, answer: str, claim_class: str, side: str
) -> dict[str, Any]:
    start = answer.index(text)
    return {
        "statement_id": statement_id,
        "text": text,
        "span": [start, start + len(text)],
        "parent_id": None,
        "claim_type": "quantity",
        "speech_act": "assertion",
        "expected": {
            "claim_class": claim_class,
            "verdict": "supported" if side == "a" else "unsupported",
            "rationale": "generated",
            "evidence": [_evidence()] if side == "a" else [],
        },
    }


def _evidence() -> dict[str, Any]:
    quote = "Nightly report"
    return {"passage_id": "p1", "source_id": None, "quote": quote, "start": 0, "end": len(quote)}
