"""The form of a draft as it was sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from calibration import drafting
from calibration.drafting import drafts
from calibration.models import RubricDraft
from grounding.errors import BadInput
from labeling.web.responses import Request


@dataclass(frozen=True)
class Typed:
    """What was typed, which edition it was typed over, and the button that sent it."""

    definition: dict[str, Any]
    edition: int
    action: drafting.Action

    @classmethod
    def of(cls, request: Request, draft: RubricDraft) -> Self:
        action = drafting.Action.of(request.POST.get("do", "save"))
        stored = drafts.definition_of(draft)
        typed = drafting.read(drafting.RUBRIC, request.POST, stored, action)
        if action.verb == "renumber":
            typed = drafts.renumbered(typed)
        return cls(typed, _edition(request.POST.get("edition", "")), action)

    @property
    def anchor(self) -> str:
        """Where the page goes on: at the list that a row was added to or taken from."""
        if self.action.verb == "add":
            return f"#f-{self.action.part}"
        return f"#f-{self.action.part.rpartition('.')[0]}" if self.action.verb == "remove" else ""


def _edition(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise BadInput("is not the number of an edition", field="edition")
    return int(text)
