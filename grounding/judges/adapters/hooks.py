"""What an adapter needs of a package: its verdicts on statements that it did not split itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from grounding.interchange.models import Outcome
from grounding.judges.adapters.carrying import Log
from grounding.judges.llm.calls import Carrier


class HookGone(Exception):
    """The package is there and what is asked of it is not; the message says what."""


@dataclass(frozen=True)
class Said:
    """A verdict as the package gave it, on the statement that it names."""

    statement: str
    raw: str
    reason: str | None = None
    model: str | None = None


@dataclass(frozen=True)
class NotSaid:
    """A statement that the package came to no verdict on."""

    statement: str
    outcome: Outcome
    error: str
    raw: str | None = None


Answers = Sequence[Said | NotSaid]
Script = Mapping[str, str]
"""What the model answers in each step, for seeing what a package sends and how it reads."""


class Hook(Protocol):
    """A package's own step from statements and texts to verdicts."""

    async def ask(self, texts: Sequence[str], statements: Sequence[str], log: Log) -> Answers:
        """Verdicts on ``statements``, no two alike, in any order."""
        ...


class HookKind(Protocol):
    """Makes a hook that asks a rubric's model, as its parameters say, through a carrier.

    ``words`` are all the verdicts that the package has, and ``yes`` the one that says supported.
    ``scripts`` are answers, the first a plain *yes* and the rest odd ones, whose reading belongs to
    the fingerprint. ``instruction`` is the rubric's, in the place of the package's own, or None.
    Raises HookGone, or ImportError, where the package is not as it was.
    """

    package: str
    words: tuple[str, ...]
    yes: str
    scripts: tuple[Script, ...]

    def __call__(
        self,
        model: str,
        parameters: Any,
        carrier: Carrier,
        *,
        fresh: bool,
        instruction: str | None,
    ) -> Hook: ...
