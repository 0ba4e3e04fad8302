"""A rubric definition laid out for reading: part by part, beside the version before it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from calibration.models import RubricVersion
from calibration.wording.numbers import words
from grounding import trees
from grounding.contract import ClaimClass, ClaimType, EvidenceOrigin, SpeechAct, Verdict
from grounding.rubrics import RubricDefinition, highest_below, required_bump
from grounding.rubrics.levels import leaves, level_of
from labeling.wording.marking import Piece, differing

PARTS: Final = {
    "contract": "Contract",
    "splitting": "Splitting",
    "claim_types": "Claim types",
    "verdict_mapping": "Verdict mapping",
    "common_knowledge": "Common knowledge",
    "judge": "Judge",
    "prompts": "Prompts",
    "examples": "Examples",
    "answer_policy": "Answer policy",
    "gate": "Gate",
}
ABSENT: Final = "absent"
_WORD: Final = 40
_VOCABULARY: Final = frozenset(
    word.value
    for vocabulary in (ClaimClass, Verdict, ClaimType, SpeechAct, EvidenceOrigin)
    for word in vocabulary
)


def judge_kind(version: RubricVersion) -> str:
    """The kind of judge that the version names."""
    return "recorded" if version.recorded else str((version.definition or {})["judge"]["kind"])


@dataclass(frozen=True)
class Part:
    """One part of a definition as rows of a path and what stands there."""

    title: str
    rows: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Move:
    """A field that moved since the version before, and the bump that its level asks for."""

    path: str
    level: str
    before: str
    after: str

    @property
    def pieces(self) -> tuple[Sequence[Piece], Sequence[Piece]]:
        """Both texts with the words marked that the other lacks; a number or a single word is
        all new."""
        if ABSENT in (self.before, self.after) or not (" " in self.before or " " in self.after):
            return _whole(self.before), _whole(self.after)
        return differing(self.before, self.after)


def parts_of(definition: Mapping[str, Any]) -> list[Part]:
    """The definition in the order that people read it; every field of these parts shows."""
    return [Part(title, list(_rows(definition[name]))) for name, title in PARTS.items()]


def _rows(node: Any) -> Iterator[tuple[str, str]]:
    for path, value in trees.leaves(node, whole=_is_line):
        if path and value != {}:
            steps = (str(step + 1) if isinstance(step, int) else words(step) for step in path)
            yield " › ".join(steps), _listed(value) if isinstance(value, list) else _told(value)


def _is_line(node: Any) -> bool:
    """Whether a list is of single values, which people read in one line."""
    return isinstance(node, list) and not any(isinstance(item, Mapping) for item in node)


def _listed(values: Sequence[Any]) -> str:
    """Words beside each other; sentences one a line."""
    told = list(map(_told, values))
    return ("\n" if any(len(one) > _WORD for one in told) else ", ").join(told)


def _told(value: Any) -> str:
    """A value as people read it; text stays letter for letter, a word of the contract is one."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return words(str(value)) if value in _VOCABULARY else str(value)


def moves_between(before: RubricVersion, after: RubricVersion) -> list[Move]:
    """The fields in which two released versions differ, heaviest first."""
    return moves_of(read(before), read(after))


def moves_of(before: RubricDefinition, after: RubricDefinition) -> list[Move]:
    """The fields in which two definitions differ, heaviest first."""
    old, new = (leaves(one.model_dump(mode="json")) for one in (before, after))
    return [
        Move(path, level_of(path), said(old.get(path, ABSENT)), said(new.get(path, ABSENT)))
        for path in required_bump(before, after).fields
    ]


def _whole(said: str) -> Sequence[Piece]:
    return [Piece(said) if said == ABSENT else Piece(said, ("differs",))]


def version_below(version: RubricVersion) -> RubricVersion | None:
    """The highest released version of the same name below this one."""
    family = RubricVersion.objects.filter(name=version.name, recorded=False)
    return highest_below(version, family)


def read(version: RubricVersion) -> RubricDefinition:
    """The definition as stored, its keys in the model's order whatever the store."""
    return RubricDefinition.model_validate_json(json.dumps(version.definition))


def said(value: Any) -> str:
    """A value as text, a text as itself."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
