"""Probes: what they do to cases, that nothing which measures ever takes one, and what they find."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from calibration import bundles, gate, reports, runs
from calibration.bundles import card, recorded_rows
from calibration.comparing import choices
from calibration.judges import grading
from calibration.models import Judgment, RubricVersion, Run
from calibration.readings import probed
from calibration.readings.probed import move_of
from calibration.runs import judgments, probes
from grounding.errors import BadInput, NotFound, Refused
from grounding.interchange import models as interchange
from labeling.models import CalibrationSet, Case
from tests.calibration.bundles.bundle_fixtures import read
from tests.calibration.pages.sets import imported, judged, released

pytestmark = pytest.mark.django_db

ORDER, LENGTH = probes.probe("order", seed=3), probes.probe("length", characters=150)


def cases(count: int) -> list[dict[str, Any]]:
    """In pairs; an even one has two passages, an odd one has one."""
    made = []
    for number in range(count):
        texts = [f"Lamp {number} burns for {number + 3} hours.", f"Lamp {number} is on pier 4."]
        passages = texts if number % 2 == 0 else texts[:1]
        made.append(
            {
                "case_id": f"lamp-{number}",
                "pair_id": f"pair-{number // 2}",
                "context": [{"id": f"p{n}", "text": text} for n, text in enumerate(passages, 1)],
                "answer": texts[0],
                "statements": [
                    {
                        "statement_id": "s1",
                        "text": texts[0],
                        "expected": {"claim_class": "subject_specific", "verdict": "supported"},
                    }
                ],
            }
        )
    return made


@pytest.fixture
def held(tmp_path: Path) -> CalibrationSet:
    return imported("lamps", cases(8), tmp_path / "in")


@pytest.fixture
def version(db: None) -> RubricVersion:
    return released()


def context_of(record: interchange.Case) -> list[str]:
    return [passage.text for passage in record.context]


def test_a_probe_of_the_order_plans_exactly_the_cases_that_have_another(
    held: CalibrationSet, version: RubricVersion
) -> None:
    run = runs.start(held, version, probe=ORDER)
    planned = {
        row.statement.case.case_id for row in run.judgments.select_related("statement__case")
    }
    assert planned == {"lamp-0", "lamp-2", "lamp-4", "lamp-6"}
    assert run.planned == 4
    pks = list(run.judgments.values_list("case_pk", flat=True))
    plain, told = grading.records_of(pks), probes.records_of(run, pks)
    for pk in pks:
        assert context_of(told[pk]) == context_of(plain[pk])[::-1]


def test_a_probe_of_the_length_fills_up_with_passages_of_other_pairs_alone(
    held: CalibrationSet, version: RubricVersion
) -> None:
    run = runs.start(held, version, probe=LENGTH)
    assert run.planned == 8
    pks = list(run.judgments.values_list("case_pk", flat=True))
    plain, told = grading.records_of(pks), probes.records_of(run, pks)
    for pk in pks:
        own, shown = context_of(plain[pk]), context_of(told[pk])
        at = shown.index(own[0])
        assert shown[at : at + len(own)] == own
        assert sum(map(len, shown)) >= 150
        strangers = [text for text in shown if text not in own]
        pair = set(_lamps_of(str(plain[pk].pair_id)))
        assert strangers
        assert not any(text.split(" burns")[0].split(" is")[0] in pair for text in strangers)


def _lamps_of(pair_id: str) -> list[str]:
    number = int(pair_id.removeprefix("pair-"))
    return [f"Lamp {2 * number}", f"Lamp {2 * number + 1}"]


def test_a_case_with_a_planted_order_lends_nothing(tmp_path: Path, version: RubricVersion) -> None:
    """Nor does one whose tag only holds the word lend less."""
    made = cases(8)
    made[2]["tags"], made[5]["tags"] = ["injected"], ["not-injected"]
    held = imported("planted", made, tmp_path / "in")
    lent = probes.of_run(runs.start(held, version, probe=LENGTH)).lenders
    names = set(Case.objects.filter(pk__in=lent).values_list("case_id", flat=True))
    assert names == {f"lamp-{number}" for number in range(8)} - {"lamp-2"}


@pytest.mark.parametrize("probe", [ORDER, LENGTH], ids=["order", "length"])
def test_the_same_run_tells_a_case_the_same_way_whenever_it_is_asked(
    held: CalibrationSet, version: RubricVersion, probe: probes.Probe, tmp_path: Path
) -> None:
    """Also once the set has moved on: the lenders are those of when it started."""
    run = runs.start(held, version, probe=probe)
    pks = list(run.judgments.values_list("case_pk", flat=True))
    before = probes.records_of(run, pks)
    changed = cases(12)
    changed[3]["context"][0]["text"] = "Lamp 3 is another one now."
    changed[3]["statements"][0]["expected"] = None
    imported("lamps", changed, tmp_path / "again")
    again = Run.objects.get(pk=run.pk)
    assert probes.records_of(again, pks) == before
    assert probes.records_of(again, pks[:1])[pks[0]] == before[pks[0]]
    held.refresh_from_db()
    other = runs.start(
        held, version, probe=probes.probe(probe.kind, seed=99, characters=probe.characters)
    )
    assert probes.of_run(other) != probes.of_run(run)


def test_a_run_that_is_no_probe_is_told_the_cases_as_they_are(
    held: CalibrationSet, version: RubricVersion
) -> None:
    run = runs.start(held, version)
    pks = list(Case.objects.values_list("pk", flat=True))
    assert probes.records_of(run, pks) == grading.records_of(pks)


def test_nothing_to_probe_is_refused(tmp_path: Path, version: RubricVersion) -> None:
    alone = imported("alone", [cases(2)[1]], tmp_path / "in")
    with pytest.raises(Refused, match="no case has two passages"):
        runs.start(alone, version, probe=ORDER)
    with pytest.raises(Refused, match="no case is short of that length"):
        runs.start(alone, version, probe=LENGTH)
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("kind", "options", "field"),
    [
        ("colour", {}, "probe"),
        ("order", {"seed": -1}, "seed"),
        ("order", {"characters": 10}, "characters"),
        ("length", {"characters": 0}, "characters"),
        ("length", {"characters": 10**9}, "characters"),
    ],
)
def test_what_is_no_probe_is_said_by_field(kind: str, options: Any, field: str) -> None:
    with pytest.raises(BadInput) as refused:
        probes.probe(kind, **options)
    assert refused.value.field == field


def test_the_judge_of_a_probe_is_shown_the_case_told_otherwise(
    held: CalibrationSet, version: RubricVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[list[str]] = []
    real = grading.Grading.grade

    def watched(self: grading.Grading, case: interchange.Case, repeat: int) -> Any:
        shown.append(context_of(case))
        return real(self, case, repeat)

    monkeypatch.setattr(grading.Grading, "grade", watched)
    run = judged(runs.start(held, version, probe=ORDER))
    told = probes.records_of(run, list(run.judgments.values_list("case_pk", flat=True)))
    assert sorted(shown) == sorted(context_of(one) for one in told.values())
    assert runs.status(run) == "complete"
    cited = Judgment.objects.filter(run=run, verdict="supported").values_list("evidence", flat=True)
    assert cited, "the lexical judge finds what it found"
    assert {one["passage_id"] for each in cited for one in each} == {"p1"}


# What takes runs for measurements, each as a question that a probe alone must answer with nothing.
Question = Callable[[Run], Any]


def _exported(run: Run) -> Any:
    return list(recorded_rows.judgment_records(run.set))


def _chosen(run: Run) -> Any:
    choice = choices.choose(run.set)
    return [one for one in (choice.first, choice.second, *choice.runs) if one is not None]


def _on_cases(run: Run) -> Any:
    return [row for case in Case.objects.filter(set=run.set) for row in judgments.latest_on(case)]


EXCLUDED: dict[str, Question] = {
    "latest finished": lambda run: runs.latest_finished(run.rubric_version, run.set),
    "latest complete": lambda run: runs.latest_complete(run.rubric_version, run.set),
    "baseline": lambda run: runs.baseline(run.rubric_version.name, 1, run.set),
    "what may be compared": _chosen,
    "runs of an export": lambda run: recorded_rows.runs_in(run.set),
    "judgments of an export": _exported,
    "the newest judgments on a case": _on_cases,
}


@pytest.mark.parametrize("name", EXCLUDED)
def test_nothing_that_measures_takes_a_probe(
    held: CalibrationSet, version: RubricVersion, name: str
) -> None:
    """The control: it takes the very same run once that is no probe any more."""
    run = judged(runs.start(held, version, probe=LENGTH))
    assert run.finished_at is not None
    assert not EXCLUDED[name](run)
    Run.objects.filter(pk=run.pk).update(probe=None)
    assert EXCLUDED[name](Run.objects.get(pk=run.pk))


def test_a_probe_that_ended_last_does_not_push_the_run_that_measures_aside(
    held: CalibrationSet, version: RubricVersion
) -> None:
    plain = judged(runs.start(held, version))
    judged(runs.start(held, version, probe=LENGTH))
    assert runs.latest_finished(version, held) == plain
    assert runs.latest_complete(version, held) == plain
    assert runs.baseline(version.name, 1, held) == plain
    assert {row.run_id for row in judgments.latest_on(Case.objects.all()[0])} == {plain.pk}
    assert "finished runs: 1\n" in card.write(held)


def test_a_probe_has_no_report_no_gate_and_no_place_in_a_comparison(
    held: CalibrationSet, version: RubricVersion
) -> None:
    run = judged(runs.start(held, version, probe=LENGTH))
    with pytest.raises(Refused, match="is a probe"):
        reports.create(run)
    with pytest.raises(Refused, match="no complete run"):
        gate.measure(version, held)
    with pytest.raises(NotFound, match="no such finished run"):
        choices.choose(held, first=str(run.pk))
    for command in ("report", "gate", "compare"):
        names = [str(version)] * (2 if command == "compare" else 1)
        more = ["--run", str(run.pk)] if command == "report" else []
        with pytest.raises(CommandError):
            call_command(command, *names, held.slug, *more, stdout=StringIO(), stderr=StringIO())


def test_an_export_is_the_same_with_and_without_a_probe(
    held: CalibrationSet, version: RubricVersion, tmp_path: Path
) -> None:
    judged(runs.start(held, version))
    bundles.export_bundle(held, tmp_path / "before")
    judged(runs.start(held, version, probe=LENGTH))
    bundles.export_bundle(held, tmp_path / "after")
    for name in ("judgments.jsonl", "README.md"):
        assert (tmp_path / "after" / name).read_bytes() == (tmp_path / "before" / name).read_bytes()
    assert len(read(tmp_path / "after" / "judgments.jsonl")) == 8


def test_a_version_that_only_probed_is_in_no_export(
    held: CalibrationSet, version: RubricVersion, tmp_path: Path
) -> None:
    run = judged(runs.start(held, version, probe=LENGTH))
    bundles.export_bundle(held, tmp_path / "probed")
    assert not (tmp_path / "probed" / "rubrics").exists()
    Run.objects.filter(pk=run.pk).update(probe=None)
    bundles.export_bundle(held, tmp_path / "plain")
    assert (tmp_path / "plain" / "rubrics").exists()


@pytest.mark.parametrize(
    ("before", "now", "move"),
    [
        ("unsupported", "supported", "lenient"),
        ("contradictory", "supported", "lenient"),
        ("supported", "unsupported", "strict"),
        ("supported", "contradictory", "strict"),
        ("unsupported", "contradictory", "other"),
        ("supported", "not_applicable", "other"),
        ("not_applicable", "supported", "other"),
        ("supported", "supported", "same"),
        ("supported", None, "incomplete"),
        (None, "supported", "incomplete"),
        (None, None, "incomplete"),
    ],
)
def test_how_a_verdict_moved(before: str | None, now: str | None, move: str) -> None:
    assert move_of(before, now) == move


def verdicts(run: Run, *each: str | None) -> None:
    """A finished run with these verdicts, in the order of its plan; None is a timeout."""
    for row, verdict in zip(run.judgments.order_by("pk"), each, strict=True):
        row.verdict, row.outcome = verdict, "graded" if verdict else "timeout"
        row.save()
    run.finished_at = timezone.now()
    run.save()


S, U, C = "supported", "unsupported", "contradictory"


def test_what_a_probe_moved_by_hand(held: CalibrationSet, version: RubricVersion) -> None:
    plain, probe = runs.start(held, version), runs.start(held, version, probe=LENGTH)
    verdicts(plain, U, C, S, U, S, S, None, S)
    verdicts(probe, S, S, U, C, S, S, S, None)
    found = probed.figures(probe, plain)
    # Two lenient, one strict, one other, two the same; a failure in either run, twice.
    assert (found["moved"]["count"], found["moved"]["n"]) == (4, 6)
    assert [found[name] for name in ("lenient", "strict", "other", "incomplete")] == [2, 1, 1, 2]
    assert found["planned"] == 8
    # Cases 0 and 1 are a pair and moved the same way, cases 2 and 3 another, which moved once the
    # other way: excesses of 2 and 1, of whose four flips two come to 1 or more; twice that is 1.
    assert found["test"] == {"p": 1.0, "n": 3, "reason": None}
    for name, count in {
        "moved": 4,
        "compared": 6,
        "same": 2,
        "incomplete": 2,
        "lenient": 2,
    }.items():
        rows = probed.MoveList(probe, plain, name)
        assert rows.count() == len(rows[0:50]) == count, name
    first = probed.MoveList(probe, plain, "lenient")[0:1][0]
    assert (first.plain.verdict, first.probed.verdict) == (U, S)
    assert probed.MoveList(probe, plain, None).count() == 8


def test_six_moves_in_three_pairs_are_told_as_three(
    held: CalibrationSet, version: RubricVersion
) -> None:
    plain, probe = runs.start(held, version), runs.start(held, version, probe=LENGTH)
    verdicts(plain, U, U, U, U, U, U, S, S)
    verdicts(probe, S, S, S, S, S, S, S, S)
    found = probed.figures(probe, plain)
    # Each of three pairs could as well have moved the other way: 2 of 8 flips are as far out.
    assert found["test"]["p"] == pytest.approx(2 / 2**3)
    assert found["moved"]["interval"][0] < 6 / 8 < found["moved"]["interval"][1]


def test_a_set_that_moved_on_pairs_what_is_still_the_same(
    held: CalibrationSet, version: RubricVersion, tmp_path: Path
) -> None:
    plain = judged(runs.start(held, version))
    changed = cases(8)
    changed[3]["context"][0]["text"] = "Lamp 3 is another one now."
    imported("lamps", changed, tmp_path / "again")
    held.refresh_from_db()
    probe = judged(runs.start(held, version, probe=LENGTH))
    found = probed.figures(probe, plain)
    assert (found["planned"], found["incomplete"], found["moved"]["n"]) == (8, 1, 7)


def test_start_run_starts_a_probe_and_says_what_goes_with_it_alone(
    held: CalibrationSet, version: RubricVersion
) -> None:
    out = StringIO()
    given = ("start_run", str(version), held.slug)
    call_command(*given, "--probe", "length", "--characters", "300", "--json", stdout=out)
    run = Run.objects.get(pk=json.loads(out.getvalue())["run"])
    found = probes.of_run(run)
    assert found is not None
    assert (found.kind, found.seed, found.characters) == ("length", probes.DEFAULT_SEED, 300)
    assert len(found.lenders) == 8
    with pytest.raises(CommandError, match="seed: goes with --probe alone"):
        call_command(*given, "--seed", "4", stderr=StringIO())
