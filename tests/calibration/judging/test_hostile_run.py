"""A thousand statements through a real worker, against a provider that gets everything wrong.

Rows D1 to D6: each fault happens to 2% of the calls, at most one to a call. There are 52 faults,
so half of them (what a model says, D1 to D5) meet one run and half (how it comes over the wire,
D6) another; at once they would leave no call honest. What must become of each statement is told
from the provider's books (`hostile_books`), fault by fault, and held against what was stored.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest
import yaml

from grounding.interchange.models import Outcome
from tests.calibration.bundles import hostile_books as books
from tests.calibration.house import ROOT, House, tree, wait_for
from tests.provider import Provider, ReadsSchema, at_random, faults_of
from tests.provider.faults import packed

pytestmark = pytest.mark.slow

CASES = 500
STATEMENTS = 2 * CASES
SHARE = 0.02
SEED = 5
KEY = "sk-of-nobody-0123456789"
DEADLINE_SECONDS = 16.0
IN_FLIGHT = 64
SAID, SENT = ("D1", "D2", "D3", "D4", "D5"), ("D6",)
# A call may hold 4 MB of a body, packed and unpacked, and a few do so at once. One body that was
# read whole would take 500.
FLAT_MEGABYTES = 64

_DONE = "SELECT count(*) FROM calibration_judgment WHERE outcome IS NOT NULL"
_STORED = """
from hashlib import sha256
from calibration.models import Attempt, Holder, Judgment, SentRequest
rows = Judgment.objects.select_related("statement__case").order_by("pk")
sent = {one.digest: sha256(one.body.encode()).hexdigest() for one in SentRequest.objects.all()}
tries = Attempt.objects.filter(counts=True).order_by("retry", "pk")
answer = {
    "judgments": [
        {
            "case": row.statement.case.case_id, "statement": row.statement.statement_id,
            "text": row.statement.text, "outcome": row.outcome, "verdict": row.verdict,
            "class": row.claim_class, "evidence": row.evidence, "error": row.error,
            "held": row.lease_until is not None, "claims": row.claims,
        }
        for row in rows
    ],
    "tries": [
        [sent[one.request_digest], one.outcome, one.raw is not None, one.seconds] for one in tries
    ],
    "permits": Holder.objects.count(),
}
"""


@dataclass(frozen=True)
class Kept:
    """A try as it is stored; ``raw`` says whether what came back is."""

    outcome: str
    raw: bool
    seconds: float


@dataclass(frozen=True)
class Held:
    """What a run left behind, and what it took."""

    judgments: list[dict[str, Any]]
    tries: dict[str, list[Kept]]
    permits: int
    progress: dict[str, Any]
    megabytes: tuple[float, float]


def statements_of(number: int) -> dict[str, bool]:
    """Ids of a lamp's statements, and whether its passage says them. By turns the first and the
    second are said, so that a match by position shows."""
    return {"s1": True, "s2": False} if number % 2 else {"s3": False, "s4": True}


def answerer() -> ReadsSchema:
    words = {"s1": "entailed", "s2": "not_stated", "s3": "not_stated", "s4": "entailed"}
    classed = {"claim_class": "subject_specific"}
    return ReadsSchema(says={key: classed | {"verdict": word} for key, word in words.items()})


def lamps(folder: Path, cases: int) -> Path:
    path = folder / "lamps.jsonl"
    with path.open("w") as file:
        for number in range(cases):
            said = f"Lamp {number} burns for {number + 3} hours."
            texts = {True: said, False: f"Lamp {number} was lit by somebody else."}
            rows = [
                {"statement_id": key, "text": texts[stands]}
                for key, stands in statements_of(number).items()
            ]
            case = {
                "case_id": f"lamp-{number}",
                "context": [{"id": "p1", "text": f"A note. {said} It was Tuesday."}],
                "answer": " ".join(row["text"] for row in rows),
                "statements": rows,
            }
            file.write(json.dumps(case) + "\n")
    return path


def rubric(folder: Path) -> Path:
    data = yaml.safe_load((ROOT / "calibration/rubrics/groundedness-llm@1.0.0.yaml").read_text())
    data["judge"]["parameters"]["deadline_seconds"] = DEADLINE_SECONDS
    path = folder / "rubric.yaml"
    path.write_text(yaml.safe_dump(data, sort_keys=False))
    return path


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider(answerer=answerer(), key=KEY, latency=0.02) as running:
        yield running


def judged(house: House, provider: Provider) -> Held:
    """A run of all statements by a worker with two processes, from its start to its end."""
    house.environment |= {
        "OPENAI_BASE_URL": f"{provider.url}/v1",
        "OPENAI_API_KEY": KEY,
        "JUDGE_ALLOWED_HOSTS": "127.0.0.1",
        "JUDGE_CONCURRENCY": str(IN_FLIGHT),
    }
    house.with_set(lamps(house.folder, CASES), "lamps")
    house.manage("release_rubric", str(rubric(house.folder)))
    run = int(house.json("start_run", "groundedness-llm@1.0.0", "lamps")["run"])
    with house.process("worker") as worker:
        megabytes = _watched(house, worker.pid)
        progress = house.finished(run, within=60)
    stored = house.python(_STORED)
    tries: dict[str, list[Kept]] = {}
    for body, *rest in stored["tries"]:
        tries.setdefault(body, []).append(Kept(*rest))
    return Held(stored["judgments"], tries, stored["permits"], progress, megabytes)


def _watched(house: House, pid: int) -> tuple[float, float]:
    """Resident megabytes of the worker and its processes after 200 statements, and at most
    after that, until all are done."""
    early: list[float] = []
    late: list[float] = []

    def look() -> int:
        done = house.number(_DONE)
        if done >= 200:
            (late if early else early).append(_resident(pid))
        return done

    wait_for(look, lambda done: done == STATEMENTS, 240)
    return early[0], max(late)


def _resident(pid: int) -> float:
    size = 0
    for process in tree(pid):
        with suppress(psutil.NoSuchProcess):
            size += process.memory_info().rss
    return size / 2**20


def no_work_is_lost(held: Held) -> None:
    planned = {(f"lamp-{n}", key) for n in range(CASES) for key in statements_of(n)}
    assert Counter((one["case"], one["statement"]) for one in held.judgments) == Counter(planned)
    found = Counter(one["outcome"] for one in held.judgments)
    assert None not in found
    counted = {outcome.value: held.progress[outcome.value] for outcome in Outcome}
    assert {key: count for key, count in counted.items() if count} == found
    assert sum(counted.values()) == held.progress["planned"] == STATEMENTS
    assert (held.progress["waiting"], held.progress["leased"], held.permits) == (0, 0, 0)
    assert not any(one["held"] for one in held.judgments)
    assert {one["claims"] for one in held.judgments} == {1}, "no worker died or came too late"


def verdicts_are_right(held: Held) -> None:
    """Of what was graded; and a failure has neither class nor verdict."""
    for one in held.judgments:
        said = statements_of(int(one["case"].removeprefix("lamp-")))[one["statement"]]
        got = (one["class"], one["verdict"], [each["quote"] for each in one["evidence"]])
        if one["outcome"] != "graded":
            assert got == (None, None, []), one
        elif said:
            assert got == ("subject_specific", "supported", [one["text"].rstrip(".")])
        else:
            assert got == ("subject_specific", "unsupported", [])


def all_is_explained(held: Held, provider: Provider) -> None:
    """Each outcome by what the books say was done to its calls."""
    questions = books.questions_of(provider.received)
    stored = {(one["case"], one["statement"]): one for one in held.judgments}
    for number in range(CASES):
        lamp, statements = f"lamp-{number}", statements_of(number)
        for key, end in books.ends_of(questions[lamp], statements).items():
            assert stored[lamp, key]["outcome"] == end, (stored[lamp, key], questions[lamp])
        errors = [str(stored[lamp, key]["error"]) for key in statements]
        for question in questions[lamp]:
            each_try_is_kept(held, question)
            if question.given_up_early:
                assert any("no time left" in error for error in errors), (errors, question)


def each_try_is_kept(held: Held, question: books.Question) -> None:
    tries = held.tries[hashlib.sha256(question.body).hexdigest()]
    assert len(tries) == len(question.faults), (tries, question)
    for kept, fault in zip(tries, question.faults, strict=True):
        if fault is not None and fault in books.TRIED_AGAIN:
            assert kept.outcome == books.TRIED_AGAIN[fault]
        else:
            assert kept.raw, "an answer is kept, whatever it was worth"
        assert kept.seconds < DEADLINE_SECONDS
    assert not question.hurried


def test_the_books_know_what_follows_from_each_fault() -> None:
    groups = [
        set(books.TRIED_AGAIN),
        books.UNREADABLE,
        books.OFF_FORM,
        set(books.OF_THE_FIRST),
        books.OF_EVIDENCE,
        books.REFUSED,
        books.HARMLESS,
    ]
    assert sorted(name for group in groups for name in group) == sorted(faults_of(*SAID, *SENT))


@pytest.mark.parametrize("rows", [SAID, SENT], ids=["what it says", "how it comes"])
def test_a_thousand_statements_meet_every_fault_and_each_has_its_one_outcome_for_its_own_reason(
    house: House, provider: Provider, rows: tuple[str, ...]
) -> None:
    packed(provider.huge_bytes)
    names = faults_of(*rows)
    provider.plan = at_random(SEED, SHARE, names)
    held = judged(house, provider)
    happened = Counter(call.fault for call in provider.received)
    early, most = held.megabytes
    print(f"{provider.calls} calls, {happened}, {held.progress}, {early:.0f} then {most:.0f} MB")
    assert all(happened[name] >= 5 for name in names), happened
    no_work_is_lost(held)
    all_is_explained(held, provider)
    verdicts_are_right(held)
    assert sum(map(len, held.tries.values())) == provider.calls
    assert most - early < FLAT_MEGABYTES
    assert {"graded"} < {one["outcome"] for one in held.judgments}


def test_with_an_honest_provider_all_of_them_are_graded_and_right(
    house: House, provider: Provider
) -> None:
    held = judged(house, provider)
    no_work_is_lost(held)
    all_is_explained(held, provider)
    verdicts_are_right(held)
    assert held.progress["graded"] == STATEMENTS
    assert held.progress["status"] == "complete"
    assert provider.calls == 2 * CASES
