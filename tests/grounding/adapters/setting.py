"""Rubrics that name an adapter, a provider that answers as a test says, and what is installed."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import pytest

from grounding.grades import Grade
from grounding.interchange.models import Case, Source
from grounding.judges import adapters, lexical
from grounding.judges.adapters.guarding import fingerprint
from grounding.judges.llm.carrier import HttpCarrier
from grounding.judges.llm.endpoints import Endpoint
from grounding.judges.llm.pacing import Patience
from grounding.judges.registry import Services, create_judge
from grounding.pipeline import grade_case
from grounding.rubrics import RubricDefinition
from tests.grounding.rubric_examples import with_changes
from tests.provider import Asked, Provider

MODEL = "gpt-4o-mini"
WORDS = {
    "ragas": {"1": "supported", "0": "unsupported", "no_text": "unsupported"},
    "deepeval": {
        "yes": "supported",
        "no": "contradictory",
        "borderline": "unsupported",
        "idk": "unsupported",
        "no_text": "unsupported",
    },
}
OWN = {
    "ragas": {"temperature": 0.01, "top_p": 0.1, "max_tokens": 1024},
    "deepeval": {"temperature": 0.0, "truths_extraction_limit": None},
}
RULES = {
    "deadline_seconds": 20.0,
    "classifier": lexical.IMPLEMENTATION,
    "window_sentences": 1,
    "anchor_overlap": 0.5,
}
ANY_VERSION = {"at_least": "0.1", "below": "99"}


def needs(package: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(find_spec(package) is None, reason=f"not installed: {package}")


def draft(kind: str, **changes: Any) -> RubricDefinition:
    """A rubric that pins no fingerprint. ``words`` are added to the mapping, ``verify`` is its
    prompt; other changes go to the judge, or to its parameters where they are parameters."""
    prompts = {"classify": changes.pop("classify", None), "verify": changes.pop("verify", None)}
    words = {**WORDS[kind], **changes.pop("words", {})}
    parameters = {**RULES, **OWN[kind]}
    parameters |= {name: changes.pop(name) for name in [*changes] if name in parameters}
    judge = {
        "kind": kind,
        "implementation": adapters.IMPLEMENTATION,
        "model": MODEL,
        "versions": ANY_VERSION,
        "fingerprint": {},
        "parameters": parameters,
    }
    return with_changes(judge=judge | changes, verdict_mapping=words, prompts=prompts)


def rubric(kind: str, **changes: Any) -> RubricDefinition:
    """The same, calibrated with the package as it is installed."""
    made = draft(kind, **changes)
    pinned = fingerprint(adapters.HOOKS[kind], made)
    return draft(kind, **changes, fingerprint=pinned)


@dataclass(frozen=True)
class Says:
    """Answers every request with what ``answers`` makes of its prompt."""

    answers: Callable[[str], Any]

    def read(self, body: Mapping[str, Any]) -> Asked:
        return Asked(body, None)

    def answer(self, asked: Asked) -> Any:
        return self.answers(prompt_of(asked.body))


def prompt_of(body: Mapping[str, Any]) -> str:
    """The first user message as one text; others follow where a package asks again."""
    content = next(one["content"] for one in body["messages"] if one["role"] == "user")
    return content if isinstance(content, str) else "".join(one["text"] for one in content)


def ragas_input(prompt: str) -> Mapping[str, Any]:
    """What Ragas asks about: its context and its statements."""
    asked: Mapping[str, Any] = json.loads(
        prompt.rpartition("\ninput: ")[2].rpartition("Output:")[0]
    )
    return asked


def ragas_says(verdicts: Callable[[str], Any]) -> Says:
    """Ragas' statements, word by word and in order, each with its verdict."""
    return Says(
        lambda prompt: {
            "statements": [row(one, verdicts(one)) for one in ragas_input(prompt)["statements"]]
        }
    )


def row(statement: str, verdict: Any) -> Mapping[str, Any]:
    return {"statement": statement, "reason": f"Of {statement}", "verdict": verdict}


def claims_in(prompt: str) -> Sequence[str] | None:
    """The claims that DeepEval asks about, or None where it asks for truths."""
    _, asks, rest = prompt.rpartition("\nClaims:\n")
    return list(ast.literal_eval(rest.partition("\n")[0])) if asks else None


def deepeval_says(verdicts: Callable[[str], Any], truths: Any = ("Three jobs failed.",)) -> Says:
    """``truths``, and for every claim the verdicts that are given for it, in a list."""

    def answer(prompt: str) -> Any:
        claims = claims_in(prompt)
        if claims is None:
            return truths if isinstance(truths, str) else {"truths": list(truths)}
        said = [one for claim in claims for one in verdicts(claim)]
        return {"verdicts": [{"verdict": one, "reason": f"Of {claims[0]}"} for one in said]}

    return Says(answer)


def judged(
    provider: Provider,
    definition: RubricDefinition,
    case: Case,
    sources: Sequence[Source] = (),
) -> tuple[Grade, ...]:
    endpoint = Endpoint("openai", provider.url + "/v1", None, ("127.0.0.1",))
    carrier = HttpCarrier(endpoint, patience=Patience(tries=2, first_wait=0.01))
    judge = create_judge(definition, Services(carrier=carrier))
    return grade_case(case, judge, definition, sources=sources)


def verdicts_of(grades: Sequence[Grade]) -> list[str | None]:
    """Each grade's verdict, or the outcome in brackets."""
    return [one.verdict or f"({one.outcome})" for one in grades]
