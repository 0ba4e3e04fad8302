"""Records and files that the tests of the format share; all made up here."""

from __future__ import annotations

import copy
import io
import json
from typing import Any

from grounding.errors import BadInput
from grounding.interchange.models import Case, Record
from grounding.interchange.reading import read_records

CASE: dict[str, Any] = {
    "case_id": "jobs-001-a",
    "pair_id": "jobs-001",
    "pair_kind": "supported_number_vs_fabricated_number",
    "question": "What does the report say?",
    "context": [
        {"id": "p1", "text": "Nightly report: 3 failed jobs, 2 skipped.", "source": "report-17"}
    ],
    "retrieved": None,
    "answer": "The report contains three failed jobs. A retry reruns a failed operation.",
    "statements": [
        {
            "statement_id": "s1",
            "text": "The report contains three failed jobs.",
            "span": [0, 38],
            "parent_id": None,
            "claim_type": "quantity",
            "speech_act": "assertion",
            "expected": {
                "claim_class": "subject_specific",
                "verdict": "supported",
                "rationale": "The count is stated.",
                "evidence": [
                    {
                        "passage_id": "p1",
                        "source_id": None,
                        "quote": "3 failed jobs",
                        "start": 16,
                        "end": 29,
                    }
                ],
            },
        }
    ],
    "answerable": True,
    "answerable_from_retrieved": None,
    "tags": ["demo"],
    "source": "hand-written",
    "licence": "CC0-1.0",
}
LABEL: dict[str, Any] = {
    "case_id": "jobs-001-a",
    "statement_id": "s1",
    "annotator": "ann-1",
    "role": "label",
    "claim_class": "subject_specific",
    "verdict": "supported",
    "claim_type": "quantity",
    "speech_act": "assertion",
    "rationale": "Line 1 gives the count.",
    "evidence": [
        {"passage_id": "p1", "source_id": None, "quote": "3 failed jobs", "start": 16, "end": 29}
    ],
    "premises": [],
    "confidence": None,
    "origin": "blind",
    "selected": None,
    "contract_version": "1.0.0",
    "labeled_at": "2026-11-02T09:30:00Z",
}
JUDGMENT: dict[str, Any] = {
    "run": None,
    "rubric": "groundedness",
    "version": "1.2.0",
    "rubric_digest": None,
    "set_revision": None,
    "case_id": "jobs-001-a",
    "statement_id": "s1",
    "repeat": 0,
    "outcome": "graded",
    "claim_class": "subject_specific",
    "verdict": "supported",
    "raw_verdict": "grounded",
    "claim_type": None,
    "speech_act": None,
    "premises": [],
    "evidence": [
        {"passage_id": "p1", "source_id": None, "quote": "3 failed jobs", "start": 16, "end": 29}
    ],
    "explanation": "Stated.",
    "confidence": 0.93,
    "judge_model": "model-name-as-reported",
    "attempts": 1,
}
ATTEMPT: dict[str, Any] = {
    "run": None,
    "rubric": "groundedness",
    "version": "1.2.0",
    "rubric_digest": None,
    "set_revision": None,
    "case_id": "jobs-001-a",
    "statement_id": "s1",
    "repeat": 0,
    "number": 1,
    "judge_pass": "verify",
    "outcome": "timeout",
    "raw": None,
    "error": "no answer in 60 s",
    "judge_model": None,
    "started_at": "2026-11-02T09:30:00.250000Z",
    "seconds": 60.0,
    "request_digest": "sha256:" + "0" * 64,
    "sent": '{"model":"a model"}',
    "http_status": 504,
    "retry": 2,
    "input_tokens": 120,
    "output_tokens": 0,
    "cost": 0.00012,
    "cached": False,
    "round": 2,
}
SOURCE: dict[str, Any] = {
    "id": "handbook",
    "text": "A retry reruns a failed operation.",
    "uri": "file:///etc/passwd",
    "retrieved_at": None,
}

# Texts that have broken offsets, escapes or line splitting somewhere.
SCRIPTS = (
    "emoji 👩‍👩‍👧‍👦 and 🏳️‍🌈",
    "cafe\u0301 against café",
    "تقرير: ٣ مهام فاشلة",
    "報告書によると三件の失敗があった。",
    "no\u00a0break, zero\u200bwidth, \u2028 and \u2029 and \x85",
    "\u202eright to left\u202c \u2066isolate\u2069",
    'quotes " and \\ and / and \x7f and \x01 and \t',
    "one\nline\rfeeds",
    "\ufeffa mark at the start",
    "",
)


def case(**changes: Any) -> dict[str, Any]:
    return {**copy.deepcopy(CASE), **changes}


def lines(*values: Any) -> bytes:
    return b"".join(json.dumps(value, ensure_ascii=False).encode() + b"\n" for value in values)


def read(content: bytes, model: type[Record] = Case, source: str = "cases.jsonl") -> list[Any]:
    return [record for _, record in read_records(io.BytesIO(content), model, source=source)]


def refusal(content: bytes, model: type[Record] = Case) -> BadInput:
    """The error that reading ``content`` ends in."""
    try:
        read(content, model)
    except BadInput as error:
        return error
    raise AssertionError("was read without an error")
