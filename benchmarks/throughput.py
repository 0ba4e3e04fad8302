"""A thousand calls of 200 ms, 32 in flight: a run through a Celery worker, beside a bare loop.

500 cases are judged in two passes by a rubric whose judge asks a provider on 127.0.0.1, a
process of its own. A worker on Redis judges them on PostgreSQL and keeps every attempt; its
time on the wall runs from the start of the run to its last judgment, its processor time is that
of its process and all its children. Beside it, in turn, one process posts the very same requests
to the same provider with aiohttp and nothing else. The limit of both is 1,000 × 0.2 s / 32.

Needs the PostgreSQL that TEST_POSTGRES_URL names (by default on 127.0.0.1) and Redis there.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from benchmarks import cases, scratch

CASES = 500
CALLS = 2 * CASES
SECONDS = 0.2
IN_FLIGHT = 32
ROUNDS = 3
LIMIT = CALLS * SECONDS / IN_FLIGHT
ALLOWED = 1.25
ALLOWED_MS = 2.0
ANSWER = {"claim_class": "subject_specific", "verdict": "not_stated"}
RUBRIC = "calibration/rubrics/groundedness-llm@1.0.0.yaml"


@dataclass(frozen=True)
class Took:
    wall: float
    processor: float

    def __str__(self) -> str:
        return (
            f"{self.wall:5.2f} s, {self.wall / LIMIT:.2f} of the limit, "
            f"{1000 * self.processor / CALLS:.2f} ms of processor a call"
        )


def main() -> None:
    with _provider() as address, scratch.postgresql("throughput") as url:
        os.environ |= {
            "OPENAI_BASE_URL": f"{address}/v1",
            "JUDGE_ALLOWED_HOSTS": "127.0.0.1",
            "JUDGE_CONCURRENCY": str(IN_FLIGHT),
            "CELERY_BROKER_URL": os.environ.get("TEST_REDIS_URL", "redis://127.0.0.1:6379/12"),
        }
        scratch.set_up(url)
        _prepare()
        with _worker() as worker:
            _judged(worker, "warm")
            took = []
            for number in range(ROUNDS):
                ours = _judged(worker, "measured")
                bare = _bare(address)
                took.append((ours, bare))
                print(f"round {number + 1}: run {ours} | bare loop {bare}")
        _told(took)


def _told(took: list[tuple[Took, Took]]) -> None:
    wall = statistics.median(ours.wall for ours, _ in took) / LIMIT
    processor = 1000 * statistics.median(ours.processor for ours, _ in took) / CALLS
    floor = statistics.median(bare.wall for _, bare in took) / LIMIT
    floor_ms = 1000 * statistics.median(bare.processor for _, bare in took) / CALLS
    print(
        f"{CALLS:,} calls of {SECONDS} s, {IN_FLIGHT} in flight, medians of {ROUNDS}: run "
        f"{wall:.2f} of the limit of {LIMIT} s (allowed: {ALLOWED}), bare loop {floor:.2f}; "
        f"processor a call {processor:.2f} ms (allowed: {ALLOWED_MS}), bare loop {floor_ms:.2f} ms"
    )


def _prepare() -> None:
    from calibration import bundles, rubrics

    bundles.import_set("warm", cases.write(scratch.FOLDER / "warm.jsonl", 40, statements=1))
    bundles.import_set("measured", cases.write(scratch.FOLDER / "cases.jsonl", CASES, statements=1))
    with open(RUBRIC, encoding="utf-8") as file:
        from grounding.rubrics import load_rubric

        rubrics.release(load_rubric(file.read()))


def _judged(worker: subprocess.Popen[bytes], slug: str) -> Took:
    """One run from its start to its last judgment."""
    from django.db.models import Max
    from django.utils import timezone

    from calibration import rubrics, runs
    from calibration.runs import spending
    from labeling import sets

    _forget_answers()
    before, started = _processor(worker.pid), timezone.now()
    run = runs.start(sets.get(slug), rubrics.get("groundedness-llm@1.0.0"))
    while runs.progress(run).status == "running":
        time.sleep(0.25)
    ended = run.judgments.aggregate(last=Max("judged_at"))["last"]
    time.sleep(0.5)
    outcomes, spent = runs.outcomes(run), spending.of(run)
    assert outcomes["graded"] == outcomes["planned"] == run.planned, outcomes
    assert spent.calls == 2 * run.planned, spent
    assert spent.cached == 0
    return Took((ended - started).total_seconds(), _processor(worker.pid) - before)


def _forget_answers() -> None:
    from calibration.models import CachedReply

    CachedReply.objects.all().delete()


def _processor(pid: int) -> float:
    """Seconds of processor of a process and everything below it, ended children included."""
    import psutil

    whole = psutil.Process(pid)
    family = [whole, *whole.children(recursive=True)]
    times = [member.cpu_times() for member in family]
    kinds = ("user", "system", "children_user", "children_system")
    return sum(float(getattr(one, kind)) for one in times for kind in kinds)


def _bare(address: str) -> Took:
    """The same requests from one process that does nothing else with the answers."""
    bodies = _bodies()
    file = scratch.FOLDER / "bodies.json"
    file.write_text(json.dumps(bodies))
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.throughput", "bare", address, str(file)],
        check=True,
        capture_output=True,
        text=True,
    )
    wall, processor = json.loads(done.stdout)
    return Took(wall, processor)


def _bodies() -> list[str]:
    from calibration.models import SentRequest

    bodies = list(SentRequest.objects.order_by("digest").values_list("body", flat=True))
    return (bodies * CALLS)[:CALLS]


async def _post_all(address: str, bodies: list[str]) -> tuple[float, float]:
    import aiohttp

    slots = asyncio.Semaphore(IN_FLIGHT)

    async def post(session: aiohttp.ClientSession, body: str) -> None:
        async with (
            slots,
            session.post(
                f"{address}/v1/chat/completions",
                data=body.encode(),
                headers={"Content-Type": "application/json"},
            ) as answer,
        ):
            assert answer.status == 200
            json.loads(await answer.read())

    connector = aiohttp.TCPConnector(limit=IN_FLIGHT)
    async with aiohttp.ClientSession(connector=connector) as session:
        wall, processor = time.perf_counter(), time.process_time()
        await asyncio.gather(*(post(session, body) for body in bodies))
        return time.perf_counter() - wall, time.process_time() - processor


@contextmanager
def _provider() -> Iterator[str]:
    """The provider in a process of its own; its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.throughput", "provider"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()


def _provide() -> None:
    from tests.provider import Provider, ReadsSchema

    answerer = ReadsSchema(says={"s1": ANSWER})
    with Provider(answerer=answerer, latency=SECONDS, keep=False) as provider:
        print(provider.url, flush=True)
        sys.stdin.read()


@contextmanager
def _worker() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, "manage.py", "worker"])
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def _started(words: list[str]) -> Any:
    if words[:1] == ["provider"]:
        return _provide()
    if words[:1] == ["bare"]:
        with open(words[2], encoding="utf-8") as file:
            bodies = json.load(file)
        return print(json.dumps(asyncio.run(_post_all(words[1], bodies))))
    return main()


if __name__ == "__main__":
    _started(sys.argv[1:])
