"""What a file of recorded results must satisfy before anything of it is stored."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, get_args

from calibration.runs import MAX_REPEATS
from grounding.digests import digest, plain_json
from grounding.errors import BadInput
from grounding.interchange import models as interchange
from grounding.interchange.writing import dump_line
from grounding.judges.llm.calls import Dialect

Numbered = tuple[int, interchange.Judgment]
NumberedAttempt = tuple[int, interchange.Attempt]

Place = tuple[str, str]
"""Case id and statement id."""

Key = tuple[str, str, int]
"""Case id, statement id and repeat."""

AttemptsByKey = dict[tuple[str | None, str, str, Key], list[interchange.Attempt]]
"""By run, rubric, version and judgment."""

# What an integer column holds on every database.
_MAX_COUNT: Final = 2**31 - 1
_SHOWN: Final = 3


class Head(NamedTuple):
    """What all results of one run have in common."""

    run: str | None
    rubric: str
    version: str
    rubric_digest: str | None
    set_revision: int | None

    @classmethod
    def of(cls, record: interchange.JudgmentKey) -> Head:
        return cls(*(getattr(record, name) for name in cls._fields))


@dataclass(frozen=True)
class Results:
    """The results of one run: each once, with the line that it stands on."""

    source: str
    head: Head
    first_line: int
    lines: Mapping[Key, int]
    records: Mapping[Key, interchange.Judgment]

    @property
    def repeats(self) -> int:
        return max(repeat for _, _, repeat in self.records) + 1

    @property
    def digest(self) -> str:
        """Of what the records say, whatever their order and wherever they came from."""
        bare = {"run": None, "rubric_digest": None, "set_revision": None}
        said = sorted(dump_line(record.model_copy(update=bare)) for record in self.records.values())
        return hashlib.sha256("".join(said).encode()).hexdigest()

    def refusal(self, message: str, *, field: str) -> BadInput:
        return BadInput(message, source=self.source, line=self.first_line, field=field)


def one_run(records: Sequence[Numbered], *, source: str) -> Results:
    """The records as results of one run; BadInput for the first line that cannot be one of them."""
    first_line, first = records[0]
    head = Head.of(first)
    lines: dict[Key, int] = {}
    found: dict[Key, interchange.Judgment] = {}
    for line, record in records:
        key = (record.case_id, record.statement_id, record.repeat)
        _require_one_head(head, record, first_line, source, line)
        _require_storable(record, source, line)
        if key in lines:
            message = f"is judged on line {lines[key]} already, for repeat {record.repeat}"
            raise BadInput(message, source=source, line=line, field="statement_id")
        lines[key], found[key] = line, record
    return Results(source, head, first_line, lines, found)


def by_run(records: Iterable[Numbered], *, source: str) -> list[Results]:
    """A bundle's records, run by run in the order in which each is first met."""
    groups: dict[tuple[object, ...], list[Numbered]] = defaultdict(list)
    for line, record in records:
        # Without a name of its own, a run is told by its rubric version and revision.
        nameless = (None, record.rubric, record.version, record.set_revision)
        groups[(record.run,) if record.run else nameless].append((line, record))
    return [one_run(group, source=source) for group in groups.values()]


def require_matched(results: Results, places: Collection[Place], set_name: str) -> None:
    """Every result is of a statement of the set; where none is, both sides are shown."""
    unknown = [key for key in results.records if key[:2] not in places]
    if len(unknown) == len(results.records):
        raise BadInput(
            f"0 of {len(unknown)} matched: this file judges {_some(unknown)}; "
            f"the set {set_name} has {_some(sorted(places))}",
            source=results.source,
        )
    if unknown:
        case_id, statement_id, _ = unknown[0]
        known = any(place[0] == case_id for place in places)
        raise BadInput(
            f"case {case_id!r} has no statement {statement_id!r}"
            if known
            else f"there is no case {case_id!r} in the set {set_name} at this revision",
            source=results.source,
            line=results.lines[unknown[0]],
            field="statement_id" if known else "case_id",
        )


def attempts_by_key(attempts: Iterable[NumberedAttempt], *, source: str) -> AttemptsByKey:
    """Attempts by the judgment that they were for, each number once."""
    found: AttemptsByKey = defaultdict(list)
    for line, attempt in attempts:
        key = (attempt.case_id, attempt.statement_id, attempt.repeat)
        made = found[(attempt.run, attempt.rubric, attempt.version, key)]
        if any(other.number == attempt.number for other in made):
            raise BadInput("is given twice", source=source, line=line, field="number")
        for field in ("number", "http_status", "retry", "round"):
            if (getattr(attempt, field) or 0) > _MAX_COUNT:
                raise BadInput(f"is more than {_MAX_COUNT}", source=source, line=line, field=field)
        _require_sent(attempt, source, line)
        made.append(attempt)
    return found


def _require_sent(attempt: interchange.Attempt, source: str, line: int) -> None:
    """What was sent is kept by its digest, so it must be what the digest was made of."""
    if attempt.sent is None:
        return
    try:
        body = json.loads(attempt.sent)
        written = plain_json(body)
    except (ValueError, RecursionError, BadInput):
        message = "is no JSON that could be sent"
        raise BadInput(message, source=source, line=line, field="sent") from None
    digests = [digest({"dialect": dialect, "body": body}) for dialect in get_args(Dialect)]
    if attempt.request_digest not in digests or written != attempt.sent:
        message = "is not the digest of what was sent, as it was sent"
        raise BadInput(message, source=source, line=line, field="request_digest")


def _require_one_head(
    head: Head, record: interchange.Judgment, first_line: int, source: str, line: int
) -> None:
    own = Head.of(record)
    for name, expected, stated in zip(Head._fields, head, own, strict=True):
        if expected != stated:
            raise BadInput(
                f"is {stated!r}, and {expected!r} on line {first_line}: one run has one",
                source=source,
                line=line,
                field=name,
            )


def _require_storable(record: interchange.Judgment, source: str, line: int) -> None:
    if record.repeat >= MAX_REPEATS:
        message = f"must be less than {MAX_REPEATS}"
        raise BadInput(message, source=source, line=line, field="repeat")
    if record.attempts is not None and record.attempts > _MAX_COUNT:
        message = f"is more than {_MAX_COUNT}"
        raise BadInput(message, source=source, line=line, field="attempts")


def _some(keys: Sequence[tuple[object, ...]]) -> str:
    shown = ", ".join(f"{key[0]}/{key[1]}" for key in keys[:_SHOWN])
    return f"{shown}, …" if len(keys) > _SHOWN else shown or "no statements"
