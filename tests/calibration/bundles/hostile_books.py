"""What must become of a statement, told from the provider's books alone.

The books say which fault happened to which call. `ends_of` follows the calls of one case through
what rows D1 to D6 ask for: which faults are tried again over the wire, which answers are asked
about once more, what is final, and under which name. It shares no code with the judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from grounding.interchange.models import Outcome
from tests.provider import Received, faults_of
from tests.provider.answering import read_json

MOST_TRIES = 5

# Tried again with the same bytes; by the name of the last one if none fares better (D6).
TRIED_AGAIN: Mapping[str, Outcome] = {
    **dict.fromkeys(("rate_limited", "rate_limited_until", "server_error"), Outcome.UNAVAILABLE),
    **dict.fromkeys(("away", "overloaded", "request_timeout"), Outcome.UNAVAILABLE),
    **dict.fromkeys(("reset", "cut_short", "no_answer"), Outcome.UNAVAILABLE),
    **dict.fromkeys(("header_flood", "html_page"), Outcome.UNAVAILABLE),
    **dict.fromkeys(("drip", "endless_headers", "silence"), Outcome.TIMEOUT),
    **dict.fromkeys(("huge", "huge_chunked", "bomb"), Outcome.UNREADABLE),
    **dict.fromkeys(("html_200", "no_json", "half_body", "other_json"), Outcome.UNREADABLE),
    **dict.fromkeys(("unknown_encoding", "false_gzip"), Outcome.UNREADABLE),
}
# Asked about once more, about all statements: a text that is no answer (D1, D5).
UNREADABLE = {*faults_of("D1"), "truncated", "empty"}
# Asked about once more, statement by statement: an answer off its form (D2).
OFF_FORM = set(faults_of("D2"))
# Final, for the statement that the answer named first (D3).
OF_THE_FIRST: Mapping[str, Outcome] = {
    "id_missing": Outcome.MISSING,
    "id_unknown": Outcome.MISSING,
    "id_twice": Outcome.INVALID,
}
# Final, for statements whose verdict cites something (D4).
OF_EVIDENCE = {"unknown_passage", "false_quote"}
# Final (D5).
REFUSED = {"refusal", "content_filter", "refusal_in_words"}
# Odd, and an answer all the same. A wrong offset is mended, since each quote occurs once.
HARMLESS = {"reordered", "wrong_offset", "text_type", "gzip", "deflate"}

Ends = dict[str, Outcome]


@dataclass(frozen=True)
class Question:
    """One request: what it was about, and what happened to each of its tries."""

    body: bytes
    judge_pass: str
    ids: tuple[str, ...]
    faults: tuple[str | None, ...]
    moments: tuple[float, ...]

    @property
    def hurried(self) -> bool:
        """Whether a try came before the second was over that a Retry-After had asked for."""
        apart = zip(self.faults, self.moments, self.moments[1:], strict=False)
        return any(fault == "rate_limited" and then - at < 1 for fault, at, then in apart)

    @property
    def given_up_early(self) -> bool:
        """No other try followed, though more were allowed: its time was over, or should be."""
        return self.faults[-1] in TRIED_AGAIN and len(self.faults) < MOST_TRIES


def questions_of(calls: Iterable[Received]) -> dict[str, list[Question]]:
    """Each lamp's requests, in order of their first call."""
    tries: dict[bytes, list[Received]] = {}
    for call in calls:
        tries.setdefault(call.body, []).append(call)
    found: dict[str, list[Question]] = {}
    for body, same in tries.items():
        asked = read_json(same[0].json)
        (lamp,) = {_lamp(text) for text in asked.statements.values()}
        judge_pass = "verify" if asked.passages else "classify"
        question = Question(
            body,
            judge_pass,
            tuple(asked.statements),
            tuple(call.fault for call in same),
            tuple(call.at for call in same),
        )
        found.setdefault(lamp, []).append(question)
    return found


def ends_of(questions: Sequence[Question], statements: Mapping[str, bool]) -> Ends:
    """The outcome of each of a case's ``statements``, which say whether their verdict cites.

    Fails where a request is not there that had to be made, or one is that had not.
    """
    ends: Ends = {}
    left = list(statements)
    for judge_pass in ("classify", "verify"):
        asked = [one for one in questions if one.judge_pass == judge_pass]
        assert bool(asked) == bool(left), (judge_pass, left, asked)
        if left:
            cites = {key for key in left if statements[key] and judge_pass == "verify"}
            ends |= _of_pass(asked, left, cites)
        left = [key for key in left if ends[key] is Outcome.GRADED]
    return ends


def _of_pass(questions: Sequence[Question], ids: Sequence[str], cites: set[str]) -> Ends:
    first, *more = questions
    assert list(first.ids) == list(ids)
    ends, again = _heard(first, cites)
    assert len(more) == bool(again), "asked once more, and only where there was a slip of form"
    if more:
        assert set(more[0].ids) == set(again)
        mended, final = _heard(more[0], cites)
        ends |= mended | final
    return ends


def _heard(question: Question, cites: set[str]) -> tuple[Ends, Ends]:
    """What is decided by a request, and what is but for another one."""
    *earlier, last = question.faults
    assert set(earlier) <= TRIED_AGAIN.keys()
    assert len(question.faults) <= MOST_TRIES
    if last in TRIED_AGAIN:
        return dict.fromkeys(question.ids, TRIED_AGAIN[last]), {}
    if last in UNREADABLE:
        return {}, dict.fromkeys(question.ids, Outcome.UNREADABLE)
    if last in OFF_FORM and (question.judge_pass == "verify" or "confidence" not in last):
        return {}, dict.fromkeys(question.ids, Outcome.INVALID)
    return dict.fromkeys(question.ids, Outcome.GRADED) | _of_some(question, last, cites), {}


def _of_some(question: Question, fault: str | None, cites: set[str]) -> Ends:
    """Failures of some of a request's statements that are final."""
    if fault in REFUSED:
        return dict.fromkeys(question.ids, Outcome.REFUSED)
    if fault in OF_THE_FIRST:
        return {question.ids[0]: OF_THE_FIRST[fault]}
    if fault in OF_EVIDENCE:
        return {key: Outcome.INVALID for key in question.ids if key in cites}
    return {}


def _lamp(text: str) -> str:
    found = re.match(r"Lamp (\d+) ", text)
    assert found is not None, text
    return f"lamp-{found[1]}"
