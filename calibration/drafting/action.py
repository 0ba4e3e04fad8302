"""What a button of the form asks for beside keeping what was typed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from grounding.errors import BadInput

ALONE = ("save", "check", "renumber")
ON_A_PART = ("add", "remove")


@dataclass(frozen=True)
class Action:
    """A verb, and the name of the part that it is done to: ``add:examples``."""

    verb: str = "save"
    part: str = ""

    @classmethod
    def of(cls, text: str) -> Self:
        verb, _, part = text.partition(":")
        if verb not in (ON_A_PART if part else ALONE):
            raise BadInput("is nothing that this form can do", field="do")
        return cls(verb, part)

    def adds_to(self, name: str) -> bool:
        return self.verb == "add" and self.part == name

    def removes(self, name: str) -> bool:
        return self.verb == "remove" and self.part == name
