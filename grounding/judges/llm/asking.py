"""Putting a question to a model: once, and once more about what was not answered in form.

Every try becomes an attempt. What a try says may be sound for one statement and not for another;
then each gets an attempt of its own, so that whoever reads one statement's attempts reads what
was wrong with it and nothing else. Tokens and cost are those of the whole call in each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeAlias, TypeVar

from grounding.interchange.models import Outcome
from grounding.judges.llm.attempts import attempt
from grounding.judges.llm.calls import CallFailed, Carrier, Request, Try
from grounding.judges.llm.prompting import Prompt, request
from grounding.judges.llm.reading import Reading, RefusedInWords, Unreadable, read
from grounding.judges.protocol import (
    Classification,
    PassAttempt,
    PassName,
    StatementFailure,
    Verification,
)
from grounding.rubrics import LlmSpec, Prices

AnswerT = TypeVar("AnswerT", bound=Classification | Verification)
Answers: TypeAlias = tuple[AnswerT | StatementFailure, ...]


@dataclass(frozen=True)
class Question(Generic[AnswerT]):
    """One request, not yet written: what is shown, about which statements, how answers are read.

    ``shared`` is the rest of the document: question, answer, and passages where they are shown.
    Each of ``statements`` has its ``statement_id`` and ``text``. ``answered`` makes an
    answer of an object and the model's name, as `reading.read` has it.
    """

    judge_pass: PassName
    prompt: Prompt
    shared: Mapping[str, Any]
    statements: tuple[Mapping[str, Any], ...]
    answered: Callable[[Any, str | None], AnswerT]

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(one["statement_id"] for one in self.statements)

    @property
    def document(self) -> Mapping[str, Any]:
        return {**self.shared, "statements": list(self.statements)}

    @property
    def length(self) -> int:
        """How many characters of others' texts it shows."""
        passages = self.shared.get("passages", ())
        texts = [self.shared["question"] or "", self.shared["answer"]]
        texts += [one["text"] for one in (*passages, *self.statements)]
        return sum(map(len, texts))

    def about(self, ids: Sequence[str]) -> Question[AnswerT]:
        """The same about some of its statements alone."""
        wanted = set(ids)
        return replace(
            self, statements=tuple(one for one in self.statements if one["statement_id"] in wanted)
        )


@dataclass(frozen=True)
class Heard(Generic[AnswerT]):
    """What came of one question: answers and failures, ids that were not asked about, attempts."""

    answers: Answers[AnswerT] = ()
    unknown: tuple[str, ...] = ()
    attempts: tuple[PassAttempt, ...] = ()


@dataclass(frozen=True)
class Asker:
    """Asks as a rubric's judge is set to."""

    spec: LlmSpec
    carrier: Carrier
    fresh: bool = False

    async def ask(self, question: Question[AnswerT]) -> Heard[AnswerT]:
        """Answers about the question's statements, asked again at most once."""
        first = await self._once(question)
        if not first.again:
            return first.heard
        fault = "\n".join(dict.fromkeys(first.again.values()))
        second = await self._once(question.about(tuple(first.again)), fault)
        return Heard(
            (*first.heard.answers, *second.heard.answers, *second.given_up),
            tuple(dict.fromkeys((*first.heard.unknown, *second.heard.unknown))),
            (*first.heard.attempts, *second.heard.attempts),
        )

    async def _once(self, question: Question[AnswerT], fault: str | None = None) -> _Once[AnswerT]:
        sent = request(self.spec, question.prompt, question.document, fault=fault, fresh=self.fresh)
        log = _Log(question.judge_pass, question.ids, sent, self.spec.prices)
        try:
            reply = await self.carrier.ask(sent)
        except CallFailed as failed:
            if _came_back(failed):
                return _unreadable(log, str(failed), failed.tries, None)
            return _failed(log, failed.outcome, str(failed), failed.tries)
        try:
            found = read(reply.text, question.ids, lambda row: question.answered(row, reply.model))
        except Unreadable as reason:
            return _unreadable(log, str(reason), reply.tries, reply.text)
        except RefusedInWords:
            return _failed(log, Outcome.REFUSED, "the model declined in words", reply.tries)
        again = {key: f"{key}: {fault}" for key, fault in found.faults.items()}
        seen = log.judged(reply.tries, Outcome.INVALID, again)
        answers = _answers(found, reply.text)
        return _Once(Heard(answers, found.unknown, seen), again, Outcome.INVALID, reply.text)


@dataclass(frozen=True)
class _Once(Generic[AnswerT]):
    """What one call came to; ``again`` says by id why it must be asked again."""

    heard: Heard[AnswerT]
    again: Mapping[str, str] = field(default_factory=dict)
    outcome: Outcome = Outcome.GRADED
    raw: str | None = None

    @property
    def given_up(self) -> tuple[StatementFailure, ...]:
        return tuple(
            StatementFailure(key, self.outcome, fault, self.raw)
            for key, fault in self.again.items()
        )


def _came_back(failed: CallFailed) -> bool:
    """Whether the model did answer, with a text that is empty or was cut off: a slip of form like
    any other. What a provider garbles in other ways has been tried again already."""
    last = failed.tries[-1] if failed.tries else None
    return failed.outcome is Outcome.UNREADABLE and last is not None and last.model is not None


def _unreadable(log: _Log, error: str, tries: Sequence[Try], text: str | None) -> _Once[AnswerT]:
    again = dict.fromkeys(log.ids, error)
    seen = log.judged(tries, Outcome.UNREADABLE, again)
    return _Once(Heard(attempts=seen), again, Outcome.UNREADABLE, text)


def _failed(log: _Log, outcome: Outcome, error: str, tries: Sequence[Try]) -> _Once[AnswerT]:
    raw = tries[-1].raw if tries else None
    answers = tuple(StatementFailure(key, outcome, error, raw) for key in log.ids)
    return _Once(Heard(answers, attempts=log.failed(tries, outcome, error)))


def _answers(found: Reading[AnswerT], raw: str) -> Answers[AnswerT]:
    doubled = tuple(
        StatementFailure(key, Outcome.INVALID, "answered more than once in one answer", raw)
        for key in found.doubled
    )
    return (*found.sound.values(), *doubled)


@dataclass(frozen=True)
class _Log:
    """One request's tries as attempts."""

    judge_pass: PassName
    ids: tuple[str, ...]
    request: Request
    prices: Prices

    def failed(self, tries: Sequence[Try], outcome: Outcome, error: str) -> tuple[PassAttempt, ...]:
        """All tries as they were; the last one with what the call came to."""
        if not tries:
            return ()
        last = replace(self._attempt(tries[-1], self.ids), outcome=outcome, error=error)
        return (*self._earlier(tries), last)

    def judged(
        self, tries: Sequence[Try], outcome: Outcome, faults: Mapping[str, str]
    ) -> tuple[PassAttempt, ...]:
        """All tries; the last one by what its text was worth for each statement."""
        groups: dict[str | None, list[str]] = {}
        for key in self.ids:
            groups.setdefault(faults.get(key), []).append(key)
        last = (
            replace(
                self._attempt(tries[-1], tuple(ids)),
                outcome=outcome if error else Outcome.GRADED,
                error=error,
            )
            for error, ids in groups.items()
        )
        return (*self._earlier(tries), *last)

    def _earlier(self, tries: Sequence[Try]) -> tuple[PassAttempt, ...]:
        return tuple(self._attempt(one, self.ids) for one in tries[:-1])

    def _attempt(self, one: Try, ids: tuple[str, ...]) -> PassAttempt:
        return attempt(one, self.request, self.judge_pass, ids, _cost(one, self.prices))


def _cost(one: Try, prices: Prices) -> float | None:
    """In the prices' currency; None where there are none or the provider did not count."""
    if one.cached:
        return 0.0 if prices.currency else None
    return cost_of(one.usage.input_tokens, one.usage.output_tokens, prices)


def cost_of(input_tokens: int | None, output_tokens: int | None, prices: Prices) -> float | None:
    """What so many tokens cost, or None where that is not known."""
    if prices.input_per_million is None or prices.output_per_million is None:
        return None
    if input_tokens is None or output_tokens is None:
        return None
    return (
        input_tokens * prices.input_per_million + output_tokens * prices.output_per_million
    ) / 1_000_000
