"""Sorting what one pass of a judge gave back: by statement id, never by position."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from grounding.interchange.models import Outcome
from grounding.judges.protocol import (
    Classification,
    JudgeFailure,
    PassAttempt,
    PassName,
    PassResult,
    StatementFailure,
    Verification,
)

AnswerT = TypeVar("AnswerT", Classification, Verification)

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True)
class Sorted(Generic[AnswerT]):
    """One pass's answers by the ids that were asked; ``unknown`` ids were not."""

    judge_pass: PassName
    answers: dict[str, AnswerT | StatementFailure]
    attempts: tuple[PassAttempt, ...]
    unknown: tuple[str, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(
            f"the {self.judge_pass} pass answered for {key!r}, which it was not asked about"
            for key in self.unknown
        )

    def attempts_for(self, *statement_ids: str) -> tuple[PassAttempt, ...]:
        """The attempts that were for one of these statements, or for the whole call."""
        return tuple(
            storable_attempt(attempt)
            for attempt in self.attempts
            if not attempt.statement_ids or not set(statement_ids).isdisjoint(attempt.statement_ids)
        )


async def run_pass(
    judge_pass: PassName, asked: Sequence[str], call: Callable[[], Awaitable[PassResult[AnswerT]]]
) -> Sorted[AnswerT]:
    """Call the judge and hold its answers against the ids that were asked.

    A JudgeFailure becomes a failure of each; an id without an answer is missing, one with
    several is invalid. Any other exception is a fault of the judge's code and passes through.
    """
    if not asked:
        return Sorted(judge_pass, {}, (), ())
    try:
        result = await call()
    except JudgeFailure as failure:
        return _all_failed(judge_pass, asked, failure)
    grouped: dict[str, list[AnswerT | StatementFailure]] = {key: [] for key in asked}
    unknown: list[str] = []
    for answer in result.answers:
        if answer.statement_id in grouped:
            grouped[answer.statement_id].append(answer)
        else:
            unknown.append(storable(str(answer.statement_id)))
    answers = {key: _one(key, judge_pass, found) for key, found in grouped.items()}
    return Sorted(judge_pass, answers, result.attempts, tuple(unknown))


def decided(
    attempts: Sequence[PassAttempt],
    judge_pass: PassName,
    outcome: Outcome,
    error: str | None = None,
    raw: str | None = None,
    judge_model: str | None = None,
) -> tuple[PassAttempt, ...]:
    """``attempts`` so that the last one of ``judge_pass`` shows what was decided on it.

    A judge that kept no attempt of its own gets one. Numbers count from 1 over both passes.
    """
    if attempts and attempts[-1].judge_pass == judge_pass:
        last, earlier = attempts[-1], attempts[:-1]
    else:
        last, earlier = PassAttempt(0, judge_pass, outcome, judge_model=judge_model), attempts
    shown = replace(
        last,
        outcome=outcome,
        error=_text(error) or last.error,
        raw=last.raw if last.raw is not None else _text(raw),
    )
    return numbered((*earlier, shown))


def numbered(attempts: Iterable[PassAttempt]) -> tuple[PassAttempt, ...]:
    return tuple(replace(attempt, number=index) for index, attempt in enumerate(attempts, 1))


def storable(text: str) -> str:
    """``text`` with NUL and lone surrogates written as escapes, which any store can hold."""
    return _UNSTORABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def storable_attempt(attempt: PassAttempt) -> PassAttempt:
    return replace(
        attempt,
        raw=_text(attempt.raw),
        error=_text(attempt.error),
        judge_model=_text(attempt.judge_model),
        sent=_text(attempt.sent),
    )


def _text(text: str | None) -> str | None:
    return None if text is None else storable(text)


def _one(
    key: str, judge_pass: PassName, found: Sequence[AnswerT | StatementFailure]
) -> AnswerT | StatementFailure:
    if len(found) == 1:
        return found[0]
    if not found:
        return StatementFailure(key, Outcome.MISSING, f"the {judge_pass} pass left it out")
    return StatementFailure(
        key,
        Outcome.INVALID,
        f"the {judge_pass} pass answered {len(found)} times for one statement",
        raw=repr(tuple(found)),
    )


def _all_failed(
    judge_pass: PassName, asked: Iterable[str], failure: JudgeFailure
) -> Sorted[AnswerT]:
    answers: dict[str, AnswerT | StatementFailure] = {
        key: StatementFailure(key, failure.outcome, failure.error, failure.raw) for key in asked
    }
    return Sorted(judge_pass, answers, failure.attempts, ())
