"""A provider that knows what the author of the shipped set expects, and answers that."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from calibration import bundles, rubrics
from calibration.models import CachedReply, RubricVersion
from grounding.rubrics import load_rubric
from labeling import sets
from labeling.models import CalibrationSet
from tests.grounding.llm.asked import rubric_data
from tests.provider import Asked, ReadsSchema
from tests.provider.answering import read_json

STARTER = Path("calibration/sets/starter")
Record = dict[str, Any]


def shipped(*kinds: str) -> list[Record]:
    """The shipped cases of these pair kinds."""
    lines = (STARTER / "cases.jsonl").read_text("utf-8").splitlines()
    return [case for case in map(json.loads, lines) if case["pair_kind"] in kinds]


def imported(folder: Path, cases: list[Record], slug: str = "twins") -> CalibrationSet:
    bundle = folder / slug
    bundle.mkdir()
    lines = [json.dumps(case, ensure_ascii=False) for case in cases]
    (bundle / "cases.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    (bundle / "sources.jsonl").write_text((STARTER / "sources.jsonl").read_text("utf-8"), "utf-8")
    bundles.import_set(slug, bundle)
    return sets.get(slug)


def version() -> RubricVersion:
    """The shipped rubric for a language model, with the provider's own words as its verdicts."""
    return rubrics.release(load_rubric(json.dumps(rubric_data()))).rubric_version


@dataclass(frozen=True)
class Author:
    """What the author says of a statement beside passages that hold his own; ``instead`` changes
    the verdict of some, by case id."""

    cases: list[Record]
    instead: Mapping[str, str]

    def read(self, body: Mapping[str, Any]) -> Asked:
        return read_json(body)

    def answer(self, asked: Asked) -> Any:
        says = {name: self._said(text, asked) for name, text in asked.statements.items()}
        return ReadsSchema(says=says).answer(asked)

    def _said(self, text: str, asked: Asked) -> dict[str, Any]:
        """Where no passage is shown, in the pass that classifies, the class alone: it is the
        same on both sides of a pair."""
        known = [
            (case, statement["expected"])
            for case in self.cases
            for statement in case["statements"]
            if statement["text"] == text
        ]
        beside = [one for one in known if self._told(*one, asked)] if asked.passages else []
        if not beside:
            return {"claim_class": known[0][1]["claim_class"], "verdict": known[0][1]["verdict"]}
        case, expected = beside[0]
        verdict = self.instead.get(case["case_id"], expected["verdict"])
        quotes = [one["quote"] for one in expected["evidence"]]
        cited = [_cited(quote, asked) for quote in quotes] or [_anything(asked)]
        return {
            "claim_class": expected["claim_class"],
            "verdict": verdict,
            "evidence": cited if verdict != "unsupported" else [],
        }

    def _told(self, case: Record, expected: Record, asked: Asked) -> bool:
        """Whether the passages are this case's, or approved sources, which are every case's."""
        own = {passage["text"] for passage in case["context"]}
        return expected["claim_class"] != "subject_specific" or own <= set(asked.passages.values())


def _cited(quote: str, asked: Asked) -> dict[str, Any]:
    holding = [name for name, text in asked.passages.items() if quote in text]
    return {"passage_id": holding[0], "quote": quote, "start": None, "end": None}


def _anything(asked: Asked) -> dict[str, Any]:
    """For a verdict that the author would not give: any words that are there."""
    name, text = next(iter(asked.passages.items()))
    return {"passage_id": name, "quote": text[:20], "start": None, "end": None}


def forget_answers() -> None:
    """What was kept of a provider's answers, before another one stands in its place."""
    CachedReply.objects.all().delete()
