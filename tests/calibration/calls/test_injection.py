"""The shipped twins over real HTTP: who obeys what stands in a passage is seen to, who does not
is not, and who fails has resisted nothing (rows D7, D9)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from calibration import judging, reports, runs
from calibration.agreement.selfcheck import SILENT
from calibration.models import Attempt, Judgment, Report, Run
from calibration.readings.pair_lists import PairList
from calibration.rendering import render
from grounding.errors import Refused
from tests.calibration.calls import author
from tests.calibration.calls.author import Author
from tests.calibration.calls.scene import Start
from tests.provider import Asked, Obedient, Provider, always, status
from tests.provider.server import Received

pytestmark = pytest.mark.django_db

KINDS = ("verdict_injection", SILENT)
Run_ = Callable[..., Run]


@pytest.fixture
def run(start: Start, provider: Provider, tmp_path: Path) -> Run_:
    """A run over the shipped twins and silent pairs, by a provider that knows the answers."""
    cases = author.shipped(*KINDS)
    held = author.imported(tmp_path, cases)
    rubric = author.version()

    def judged(*, obeys: bool, instead: Mapping[str, str] | None = None, **options: Any) -> Run:
        knows = Author(cases, instead or {})
        provider.answerer = Obedient(knows) if obeys else knows
        author.forget_answers()
        one = runs.start(held, rubric, **options)
        judging.judge_batch(one.pk, worker="w")
        one.refresh_from_db()
        return one

    return judged


def fates(report: Report) -> dict[str, str]:
    return {row.pair_id: str(row.twin) for row in PairList(report, None, "twins")[0:50]}


def test_a_provider_that_obeys_flips_exactly_the_twins_that_were_told_to(run: Run_) -> None:
    report = reports.create(run(obeys=True))
    found = report.figures["injection"]
    assert fates(report) == {
        "printer-port": "lenient_flip",
        "order-total": "strict_flip",
        "coach": "lenient_flip",
    }
    assert (found["flipped"]["count"], found["flipped"]["n"], found["twins"]) == (3, 3, 3)
    assert (found["lenient_flip"], found["strict_flip"]) == (2, 1)
    for form in ("text", "md", "html"):
        told = render(reports.full(report), form)
        assert "the side with the planted order alone was judged wrongly: 3 of 3 twins" in " ".join(
            told.split()
        ), form


def test_a_provider_that_knows_the_same_and_does_not_obey_flips_none(run: Run_) -> None:
    """The control: the same answers but for the obedience."""
    report = reports.create(run(obeys=False))
    found = report.figures["injection"]
    assert set(fates(report).values()) == {"resisted"}
    assert (found["flipped"]["count"], found["flipped"]["n"]) == (0, 3)
    assert report.figures["verdict"]["count"] == report.figures["verdict"]["n"] == 12


def test_one_that_obeys_and_fails_on_one_side_has_resisted_nothing_there(
    run: Run_, provider: Provider
) -> None:
    def plan(call: Received) -> Any:
        return "half_json" if b"coach 6" in call.body or b"seven chairs" in call.body else None

    provider.plan = plan
    report = reports.create(run(obeys=True))
    found = report.figures["injection"]
    assert fates(report) == {
        "printer-port": "lenient_flip",
        "order-total": "incomplete",
        "coach": "incomplete",
    }
    assert (found["flipped"]["count"], found["flipped"]["n"]) == (1, 1)
    assert (found["incomplete"], found["resisted"]) == (2, 0)


def test_a_twin_whose_clean_side_is_wrong_says_nothing_of_the_order(run: Run_) -> None:
    report = reports.create(run(obeys=True, instead={"coach-a": "unsupported"}))
    found = report.figures["injection"]
    assert fates(report)["coach"] == "clean_wrong"
    assert (found["flipped"]["count"], found["flipped"]["n"], found["clean_wrong"]) == (2, 2, 1)


def test_what_a_judge_knows_and_was_not_told_is_seen_to_leak(run: Run_) -> None:
    """Each of the three statements on which the context is silent is one side of its pair."""
    kept_back = reports.create(run(obeys=False)).figures["closed_book"]
    assert (kept_back["leaked"]["count"], kept_back["leaked"]["n"]) == (0, 3)
    knowing = run(obeys=False, instead={"lab-sheet-b": "supported", "isbn-b": "supported"})
    report = reports.create(knowing)
    found = report.figures["closed_book"]
    assert (found["leaked"]["count"], found["leaked"]["n"]) == (2, 3)
    told = " ".join(render(reports.full(report), "text").split())
    assert "passed as supported were 2 of 3 graded statements" in told


def test_a_failure_keeps_nothing_back(run: Run_, provider: Provider) -> None:
    def plan(call: Received) -> Any:
        return "half_json" if b"ISBN" in call.body else None

    provider.plan = plan
    found = reports.create(run(obeys=False)).figures["closed_book"]
    assert (found["statements"], found["incomplete"]) == (3, 1)
    assert (found["leaked"]["count"], found["leaked"]["n"]) == (0, 2)


@dataclass(frozen=True)
class Wavering(Author):
    """Says something else of one statement every other time that it is asked for a verdict."""

    waves: list[bool] = field(default_factory=list)

    def answer(self, asked: Asked) -> Any:
        value = super().answer(asked)
        for one in value["answers"]:
            if "verdict" in one and any("coach 9" in text for text in asked.passages.values()):
                self.waves.append(True)
                if len(self.waves) % 2 == 0:
                    one |= {"verdict": "unsupported", "evidence": []}
        return value


def test_repeats_that_differ_are_all_kept_and_told(
    start: Start, provider: Provider, tmp_path: Path
) -> None:
    cases = author.shipped("verdict_injection")
    provider.answerer = Wavering(cases, {})
    run = runs.start(author.imported(tmp_path, cases), author.version(), repeats=4)
    judging.judge_batch(run.pk, worker="w")
    run.refresh_from_db()
    rows = Judgment.objects.filter(run=run, statement__case__case_id="coach-a")
    assert sorted(rows.values_list("verdict", flat=True)) == ["supported"] * 2 + ["unsupported"] * 2
    found = reports.create(run).figures["self_agreement"]
    assert (found["repeats"], found["statements"], found["too_few"]) == (4, 6, 0)
    assert (found["verdict"]["count"], found["verdict"]["n"]) == (5, 6)
    # Of the 6 pairs among 4 repeats of that statement 2 agree; all of the other five's do.
    assert found["pairwise"]["verdict"]["value"] == pytest.approx((5 + 2 / 6) / 6)
    assert found["clusters"] == 3


def test_a_retry_replaces_no_verdict_and_is_told_of_none(
    start: Start, provider: Provider, tmp_path: Path
) -> None:
    """The first verdict that can be read stands. What is tried again is byte for byte the
    request that failed, or, where the form was wrong, tells the form's fault alone."""
    cases = author.shipped("verdict_injection")
    provider.answerer = Author(cases, {})
    faults = iter([status(503), None, status(500)])
    provider.plan = lambda call: next(faults, None)
    one = [case for case in cases if case["case_id"] == "coach-a"]
    run = runs.start(author.imported(tmp_path, one), author.version(), repeats=2)
    judging.judge_batch(run.pk, worker="w")
    rows = list(Judgment.objects.filter(run=run).order_by("repeat"))
    assert [row.verdict for row in rows] == ["supported", "supported"]
    tried = Attempt.objects.filter(judgment__run=run).exclude(outcome="graded")
    assert tried.count() == 2
    bodies = [call.body for call in provider.received]
    assert len(bodies) == 6, "2 passes of 2 repeats, 2 of them tried again"
    assert len(set(bodies)) == 2, "a try again, and a repeat, is the same request"


def test_a_provider_that_is_away_answers_no_check(run: Run_, provider: Provider) -> None:
    provider.plan = always(status(401))
    one = run(obeys=True)
    with pytest.raises(Refused, match="nothing was graded"):
        reports.create(one)
