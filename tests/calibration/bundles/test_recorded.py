"""Results recorded elsewhere as runs: strict, whole, once (rows C1, C3, G4; laws 1, 3, 4)."""

from __future__ import annotations

import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from calibration import bundles, judging, rubrics, runs
from calibration.bundles import recorded
from calibration.models import Attempt, Judgment, RubricVersion, Run
from grounding.errors import BadInput, ContractViolation, Refused
from labeling import sets
from labeling.models import Adjudication, CalibrationSet, Label
from tests.calibration.bundles.bundle_fixtures import change, small_copy
from tests.grounding.rubric_examples import with_changes

Record = dict[str, Any]

QUOTE = {"passage_id": "p1", "quote": "3 failed jobs"}


def judged(case_id: str, statement_id: str = "s1", **fields: Any) -> Record:
    return {
        "rubric": "elsewhere",
        "version": "1.0.0",
        "case_id": case_id,
        "statement_id": statement_id,
        "outcome": "graded",
        "verdict": "unsupported",
    } | fields


def take(calibration_set: CalibrationSet, *records: Record) -> recorded.Imported:
    lines = "".join(json.dumps(record) + "\n" for record in records)
    stream = io.BytesIO(lines.encode())
    return recorded.import_judgments(calibration_set, stream, source="judged.jsonl")


def row_of(run: Run, case_id: str, statement_id: str = "s1", repeat: int = 0) -> Judgment:
    return run.judgments.get(
        statement__case__case_id=case_id, statement__statement_id=statement_id, repeat=repeat
    )


def reconciled(run: Run) -> bool:
    found = runs.outcomes(run)
    return found.pop("planned") == sum(found.values())


def refused(calibration_set: CalibrationSet, *records: Record) -> BadInput:
    with pytest.raises(BadInput) as error:
        take(calibration_set, *records)
    assert not Run.objects.exists(), "all or nothing"
    assert not RubricVersion.objects.filter(recorded=True).exists()
    return error.value


def test_results_of_a_released_version_that_shows_a_case_among_its_examples_are_refused(
    small_set: CalibrationSet,
) -> None:
    """Row D11 for runs that were made elsewhere."""
    example = {
        "statement": "Something else.",
        "context": [{"id": "p1", "text": "Something else entirely."}],
        "claim_class": "subject_specific",
        "verdict": "supported",
        "rationale": "Stated.",
        "pair_id": "jobs-001",
    }
    shown = rubrics.release(with_changes(examples=[example])).rubric_version
    own = {"rubric": shown.name, "version": shown.version, "rubric_digest": shown.digest}
    with pytest.raises(Refused, match=r"examples\.0: shares pair jobs-001"):
        take(small_set, judged("manual-9", **own))
    assert not Run.objects.exists()
    elsewhere = with_changes(version="1.1.0", examples=[example | {"pair_id": "elsewhere"}])
    fair = rubrics.release(elsewhere).rubric_version
    own = {"rubric": fair.name, "version": fair.version, "rubric_digest": fair.digest}
    assert take(small_set, judged("manual-9", **own)).added


def test_every_statement_is_planned_and_what_is_absent_is_missing(
    small_set: CalibrationSet,
) -> None:
    run = take(
        small_set, judged("jobs-001-a"), judged("order-417-a", outcome="timeout", verdict=None)
    ).run
    found = runs.outcomes(run)
    assert found["planned"] == 11
    assert (found["graded"], found["timeout"], found["missing"]) == (1, 1, 9)
    assert reconciled(run)
    assert runs.status(run) == "partial"
    assert run.rubric_version.recorded
    assert (run.rubric_version.digest, run.rubric_version.scope_digest) == (None, None)


def test_absent_repeats_are_missing_too(small_set: CalibrationSet) -> None:
    run = take(small_set, judged("jobs-001-a"), judged("jobs-001-a", repeat=2)).run
    assert (run.repeats, run.planned) == (3, 33)
    assert runs.outcomes(run)["missing"] == 31
    assert reconciled(run)


def test_the_same_file_again_in_any_order_adds_nothing(small_set: CalibrationSet) -> None:
    records = [judged("jobs-001-a"), judged("jobs-001-b", verdict="supported", confidence=0.25)]
    first = take(small_set, *records)
    again = take(small_set, *reversed(records))
    assert (first.added, again.added) == (True, False)
    assert first.run == again.run
    assert (Run.objects.count(), Judgment.objects.count()) == (1, 11)
    assert take(small_set, records[0], records[1] | {"confidence": 0.5}).added


def test_a_named_run_with_other_results_is_refused_by_its_name(small_set: CalibrationSet) -> None:
    first = take(small_set, judged("jobs-001-a", run="night-1"))
    assert first.run.key == "night-1"
    assert not take(small_set, judged("jobs-001-a", run="night-1")).added
    for other in (
        judged("jobs-001-a", run="night-1", verdict="contradictory"),
        judged("jobs-001-a", run="night-1", explanation="Because."),
        judged("jobs-001-b", run="night-1"),
        judged("jobs-001-a", run="night-1", version="1.0.1"),
    ):
        with pytest.raises(BadInput, match=r"run: run 'night-1' is here already"):
            take(small_set, other)
    assert Run.objects.count() == 1


@pytest.mark.parametrize(
    ("second", "line", "field"),
    [
        ({"version": "1.0.1"}, 2, "version"),
        ({"rubric": "other"}, 2, "rubric"),
        ({"run": "x"}, 2, "run"),
        ({"set_revision": 1}, 2, "set_revision"),
        ({"case_id": "nowhere"}, 2, "case_id"),
        ({"statement_id": "s9"}, 2, "statement_id"),
        ({"case_id": "jobs-001-a"}, 2, "statement_id"),
        ({"repeat": runs.MAX_REPEATS}, 2, "repeat"),
        ({"repeat": -1}, 2, "repeat"),
        ({"attempts": 2**31}, 2, "attempts"),
        ({"confidence": 1.7}, 2, "confidence"),
        ({"verdict": None}, 2, "verdict"),
        ({"outcome": "timeout"}, 2, "verdict"),
        ({"outcome": "crashed"}, 2, "outcome"),
        ({"unknown": 1}, 2, "unknown"),
    ],
)
def test_a_bad_line_is_named_with_its_field_and_nothing_is_stored(
    small_set: CalibrationSet, second: Record, line: int, field: str
) -> None:
    error = refused(small_set, judged("jobs-001-a"), judged("jobs-001-b") | second)
    assert (error.source, error.line, error.field) == ("judged.jsonl", line, field)


def test_what_the_contract_forbids_is_refused_here_too(small_set: CalibrationSet) -> None:
    error = refused(
        small_set,
        judged("jobs-001-a"),
        judged("jobs-001-b", claim_class="interpretation", verdict="supported"),
    )
    assert isinstance(error, ContractViolation)
    assert error.line == 2


def test_a_file_without_judgments_is_no_run(small_set: CalibrationSet) -> None:
    assert "no judgments" in str(refused(small_set))


def test_ids_that_match_nothing_are_shown_beside_those_of_the_set(
    small_set: CalibrationSet,
) -> None:
    """Row G4."""
    error = str(refused(small_set, judged("Jobs-1"), judged("Jobs-2"), judged("Jobs-2", "s2")))
    assert "0 of 3 matched" in error
    assert "Jobs-1/s1, Jobs-2/s1, Jobs-2/s2" in error
    assert "jobs-001-a/s1" in error


def test_a_revision_that_the_set_never_had_is_refused(small_set: CalibrationSet) -> None:
    assert refused(small_set, judged("jobs-001-a", set_revision=2)).field == "set_revision"
    assert refused(small_set, judged("jobs-001-a", set_revision=0)).field == "set_revision"


def test_evidence_is_held_against_the_texts(small_set: CalibrationSet) -> None:
    cited = {"claim_class": "subject_specific", "verdict": "supported"}
    run = take(
        small_set,
        judged("jobs-001-a", **cited, evidence=[QUOTE]),
        judged("jobs-001-b", **cited, evidence=[QUOTE | {"quote": "5 failed jobs"}]),
        judged("order-417-a", **cited, evidence=[QUOTE | {"passage_id": "p7"}]),
    ).run
    good = row_of(run, "jobs-001-a")
    text = "Nightly report 💊: 3 failed jobs, 2 skipped."
    found = good.evidence[0]
    assert text[found["start"] : found["end"]] == "3 failed jobs"
    for case_id in ("jobs-001-b", "order-417-a"):
        bad = row_of(run, case_id)
        assert (bad.outcome, bad.verdict, bad.claim_class) == ("invalid", None, None)
        kept = json.loads(str(bad.attempt_rows.get().raw))
        assert (kept["verdict"], kept["case_id"]) == ("supported", case_id)
    assert reconciled(run)


def test_support_that_cites_nothing_is_kept_and_marked(small_set: CalibrationSet) -> None:
    supported = {"verdict": "supported"}
    run = take(
        small_set,
        judged("jobs-001-a", "s1", **supported),
        judged("jobs-001-a", "s2", **supported, claim_class="external"),
        judged("jobs-001-b", "s1", **supported, claim_class="subject_specific"),
        judged("jobs-001-b", "s2", **supported, speech_act="refusal"),
        judged("order-417-a"),
    ).run
    marked = run.judgments.filter(without_evidence=True, outcome="graded")
    assert {(row.statement.case.case_id, row.statement.statement_id) for row in marked} == {
        ("jobs-001-a", "s1"),
        ("jobs-001-a", "s2"),
        ("jobs-001-b", "s1"),
    }
    assert runs.outcomes(run)["graded"] == 5


def test_a_released_name_keeps_its_rubric_and_a_stated_digest_must_be_its_own(
    small_set: CalibrationSet, rubric: RubricVersion
) -> None:
    own = {"rubric": "groundedness", "version": "1.0.0"}
    run = take(small_set, judged("jobs-001-a", **own, rubric_digest=rubric.digest)).run
    assert run.rubric_version == rubric
    with pytest.raises(BadInput, match="line 1, rubric_digest: must be stated"):
        take(small_set, judged("jobs-001-b", **own))
    wrong = "sha256:" + "0" * 64
    with pytest.raises(BadInput, match=r"line 1, rubric_digest: is not the digest of"):
        take(small_set, judged("order-417-a", **own, rubric_digest=wrong))
    with pytest.raises(BadInput, match="never released here"):
        take(small_set, judged("order-417-a", rubric_digest=wrong))
    assert not RubricVersion.objects.filter(recorded=True).exists()


def test_the_command_prints_one_object_and_refuses_with_3(
    small_set: CalibrationSet, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "judged.jsonl"
    file.write_text(json.dumps(judged("jobs-001-a")) + "\n")
    call_command("import_judgments", "small", str(file), json=True)
    answer = json.loads(capsys.readouterr().out)
    assert set(answer) == {"run", "rubric", "version", "outcomes"}
    assert (answer["rubric"], answer["version"]) == ("elsewhere", "1.0.0")
    assert answer["outcomes"]["missing"] == 10
    for arguments in (("small", str(tmp_path / "absent")), ("nowhere", str(file))):
        with pytest.raises(CommandError) as error:
            call_command("import_judgments", *arguments)
        assert error.value.returncode == 3


def test_runs_survive_export_and_import_with_failures_attempts_and_repeats(
    small_set: CalibrationSet, rubric: RubricVersion, tmp_path: Path
) -> None:
    """Row C6 for judgments: a run of our own, a recorded one, and one with a refused quote."""
    own = runs.start(small_set, rubric, repeats=2)
    judging.judge_batch(own.pk, worker="w")
    runs.start(small_set, rubric)
    take(small_set, judged("jobs-001-a", confidence=0.1, explanation="так"), judged("jobs-001-b"))
    take(small_set, judged("jobs-001-a", verdict="supported", evidence=[QUOTE | {"quote": "no"}]))
    first, second = tmp_path / "first", tmp_path / "second"
    bundles.export_bundle(small_set, first)
    figures = [runs.outcomes(run) for run in recorded.runs_in(small_set)]
    assert len(figures) == 3

    again = bundles.import_set("small", first)
    assert again.judgments == Counter(unchanged=22 + 11 + 11)

    for model in (Attempt, Judgment, Run, RubricVersion, Adjudication, Label):
        model.objects.all().delete()
    bundles.import_set("copy", first)
    copy = sets.get("copy")
    bundles.export_bundle(copy, second)
    for name in ("judgments.jsonl", "attempts.jsonl"):
        assert (second / name).read_bytes() == (first / name).read_bytes()
    assert [runs.outcomes(run) for run in recorded.runs_in(copy)] == figures


def test_a_run_of_which_a_case_was_superseded_is_still_the_same_run(
    small_set: CalibrationSet, tmp_path: Path
) -> None:
    run = take(small_set, judged("jobs-001-a"), judged("order-417-a")).run
    changed = small_copy(tmp_path)
    change(changed / "cases.jsonl", 1, lambda case: case.update(question="What else?"))
    assert bundles.import_set("small", changed, supersede=True).revision == 2
    bundles.export_bundle(sets.get("small"), tmp_path / "bundle")
    again = bundles.import_set("small", tmp_path / "bundle")
    assert again.judgments["added"] == 0
    assert (run.judgments.count(), Run.objects.count()) == (11, 1)
    bundles.import_set("copy", tmp_path / "bundle")
    copy = recorded.runs_in(sets.get("copy"))[0]
    assert (copy.revision, copy.planned) == (1, 8), "the three statements of the case are gone"
    assert runs.outcomes(copy)["graded"] == 1
    assert reconciled(copy)


def test_an_attempt_without_its_judgment_is_refused(
    small_set: CalibrationSet, tmp_path: Path
) -> None:
    take(small_set, judged("jobs-001-a", verdict="supported", evidence=[QUOTE | {"quote": "no"}]))
    bundle = tmp_path / "bundle"
    bundles.export_bundle(small_set, bundle)
    (bundle / "manifest.json").unlink()
    path = bundle / "attempts.jsonl"
    path.write_text(path.read_text().replace("jobs-001-a", "jobs-001-x"))
    with pytest.raises(BadInput, match="no judgment goes with it"):
        bundles.import_set("copy", bundle)


@pytest.mark.parametrize(
    ("judge", "verdicts"),
    [
        ("gpt-4-0613", {"supported": 37, "unsupported": 63}),
        ("gpt-3.5-turbo-0613", {"supported": 77, "unsupported": 23}),
    ],
)
def test_both_recorded_judges_of_wice_come_in_whole(
    db: None, data_folder: Path, judge: str, verdicts: dict[str, int]
) -> None:
    """Supported: 19 or 58 lenient of 78, and 22 less the 4 or 3 strict errors of 22."""
    folder = data_folder / "wice"
    bundles.import_set("wice", folder)
    wice = sets.get("wice")
    with (folder / f"judgments-{judge}.jsonl").open("rb") as stream:
        run = recorded.import_judgments(wice, stream, source=stream.name).run
    assert runs.outcomes(run) == {"planned": 100, "graded": 100} | dict.fromkeys(
        list(runs.outcomes(run))[2:], 0
    )
    assert runs.status(run) == "complete"
    assert Counter(run.judgments.values_list("verdict", flat=True)) == verdicts
    assert run.judgments.filter(without_evidence=True).count() == verdicts["supported"]
