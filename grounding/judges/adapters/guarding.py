"""Whether what is installed is what a rubric was calibrated with, before anything is asked.

The fingerprint is not of files but of behaviour: a hook is given fixed texts and a model that
answers by script, and what it sends and what it reads is digested, part by part. So whatever
can move a verdict is in it, wherever the package keeps it: instructions, examples, templates,
schemas, parameters, what its client adds, which odd answers it takes and which it drops.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import metadata
from typing import Any, Final

from grounding.digests import digest
from grounding.errors import Refused
from grounding.interchange.models import Outcome
from grounding.judges.adapters.carrying import Log, in_a_line, under_way
from grounding.judges.adapters.hooks import (
    Answers,
    Hook,
    HookGone,
    HookKind,
    NotSaid,
    Said,
    Script,
)
from grounding.judges.llm.calls import Carrier, Reply, Request, Try
from grounding.rubrics.definition import RubricDefinition
from grounding.rubrics.specs import DeepEvalSpec, RagasSpec
from grounding.waiting import finish

TEXTS: Final = ("The lamp burns.", "The room is dark without it.")
STATEMENT: Final = "The lamp is lit."


def adapter_of(definition: RubricDefinition) -> RagasSpec | DeepEvalSpec:
    """What the rubric says of its adapter; Refused where it names another kind of judge."""
    spec = definition.judge
    if not isinstance(spec, RagasSpec | DeepEvalSpec):
        raise Refused(f"{definition.reference} names a {spec.kind} judge, no adapter")
    return spec


def made(kind: HookKind, definition: RubricDefinition, carrier: Carrier, *, fresh: bool) -> Hook:
    """The hook as the rubric sets it."""
    spec, own = adapter_of(definition), definition.prompts.verify
    return kind(spec.model, spec.parameters, carrier, fresh=fresh, instruction=own)


def require_calibrated(kind: HookKind, definition: RubricDefinition) -> None:
    """Raises Refused, saying which, where the package is not installed, is another version, does
    not import, lacks the hook, or sends or reads something else than it was calibrated with."""
    spec, reference = adapter_of(definition), definition.reference
    version = installed(kind, reference)
    if not spec.versions.hold(version):
        raise Refused(
            f"{reference} was calibrated with {kind.package} from {spec.versions.at_least} to "
            f"below {spec.versions.below}, and {version} is installed"
        )
    moved = differing(spec.fingerprint, fingerprint(kind, definition))
    if moved:
        raise Refused(
            f"{reference} was calibrated with another {kind.package} than {version} as it is "
            f"here: {', '.join(moved)}"
        )


def installed(kind: HookKind, reference: str) -> str:
    """The version of the package; Refused where it is not installed."""
    try:
        return metadata.version(kind.package)
    except metadata.PackageNotFoundError:
        raise Refused(
            f"{reference} asks {kind.package}, which is not installed; "
            f"the extra {kind.package} brings it"
        ) from None


def fingerprint(kind: HookKind, definition: RubricDefinition) -> dict[str, str]:
    """The digest of each part of what the package sends and reads, set as the rubric sets it.

    Raises Refused where it does not do what it is asked.
    """
    reference = definition.reference
    try:
        return finish(_fingerprint(kind, definition))
    except ImportError as error:
        raise Refused(
            f"{reference} asks {kind.package}, and it does not import: {in_a_line(error)}"
        ) from None
    except HookGone as error:
        raise Refused(f"{reference} asks {kind.package}: {error}") from None
    except Exception as error:
        raise Refused(
            f"{reference} asks {kind.package}, which does not do as it did: {in_a_line(error)}"
        ) from error


def differing(pinned: Mapping[str, str], present: Mapping[str, str]) -> list[str]:
    """One phrase for each part that is not as it was."""
    if not pinned:
        return ["the rubric pins no fingerprint"]
    gone = [f"{name} is gone" for name in pinned if name not in present]
    new = [f"{name} is new" for name in present if name not in pinned]
    other = [
        f"{name} differs" for name in pinned if present.get(name, pinned[name]) != pinned[name]
    ]
    return other + gone + new


async def _fingerprint(kind: HookKind, definition: RubricDefinition) -> dict[str, str]:
    sent: dict[str, str] = {}
    read: list[list[Any]] = []
    for script in kind.scripts:
        hook = made(kind, definition, _Scripted(script), fresh=True)
        log = Log()
        answers = await hook.ask(TEXTS, [STATEMENT], log)
        _require_asked(log, answers)
        read.append([[one.raw, one.reason] if isinstance(one, Said) else None for one in answers])
        sent = sent or _sent(log)
    if [one and one[0] for one in read[0]] != [kind.yes]:
        raise HookGone(f"it does not read {kind.yes!r} out of a plain answer")
    return {**sent, "reading": digest(read)}


def _require_asked(log: Log, answers: Answers) -> None:
    if all(step.exchanges for step in log.steps):
        return
    raise HookGone(next(one.error for one in answers if isinstance(one, NotSaid)))


def _sent(log: Log) -> dict[str, str]:
    """What was sent first in each step, the messages apart from all else."""
    parts: dict[str, str] = {}
    for step in log.steps:
        body = dict(step.exchanges[0].request.body)
        parts[f"{step.name}_messages"] = digest(body.pop("messages", None))
        parts[f"{step.name}_settings"] = digest(body)
    return parts


class _Scripted:
    """A carrier that answers by script, to itself, at once."""

    def __init__(self, script: Script) -> None:
        self._script = script

    async def ask(self, request: Request) -> Reply:
        text = self._script[under_way().name]
        one = Try(0, Outcome.GRADED, datetime.now(UTC), 0.0, raw=text)
        return Reply(text, "scripted", (one,))
