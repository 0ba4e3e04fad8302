"""A finished round in columns: what its rows say, kept once, and none of a round under way."""

from __future__ import annotations

import numpy as np
import pytest
from django.db.models import F

from calibration import judging, loading, reports, runs
from calibration.agreement.columns import CLASSES, OUTCOMES, VERDICTS
from calibration.loading import judged
from calibration.models import Judgment, Report, RoundSheet, Run
from grounding.errors import Refused
from labeling.columns.numbers import NOTHING, Codes
from labeling.models import CalibrationSet, Label, LabelSheet, RevisionSheet
from labeling.references import stood
from tests.calibration.report_fixtures import Row
from tests.calibration.report_records import a_run, a_set
from tests.sheets import forgotten

pytestmark = pytest.mark.django_db

ROWS = [
    Row("Ss", "Ss", 0, 0),
    Row("Su", "Es", 0, 1),
    Row("Su", "timeout", 1, 0),
    Row("..", "Sc"),
    Row("In", "In"),
]


def words(codes: Codes, vocabulary: object) -> list[str | None]:
    names = [*map(str, vocabulary), None]  # type: ignore[call-overload]
    return [names[code] for code in codes.tolist()]


def quote(start: int, end: int) -> dict[str, object]:
    return {"passage_id": "p1", "source_id": None, "quote": "q", "start": start, "end": end}


@pytest.fixture
def run(db: None) -> Run:
    made = a_run(a_set(ROWS), ROWS, failure_ceiling=0.5)
    first, second, *_ = made.judgments.order_by("statement__position")
    premise = {"text": "p", "claim_class": "external", "verdict": "contradictory"}
    Judgment.objects.filter(pk=first.pk).update(
        confidence=0.25, evidence=[quote(1, 4), quote(6, 9)]
    )
    Judgment.objects.filter(pk=second.pk).update(premises=[premise], judge_model="m-1")
    Run.objects.filter(pk=made.pk).update(repeats=2)
    Judgment.objects.create(
        run=made, statement=first.statement, case_pk=first.case_pk, repeat=1, outcome="invalid"
    )
    return made


def test_the_columns_hold_what_the_judgments_of_the_first_repeat_say(run: Run) -> None:
    held, found = stood.of(run.set, 1), judged.of(run)
    stored = list(run.judgments.filter(repeat=0).order_by("statement__case__position"))
    rows = found.rows
    assert held.statements[rows.place].tolist() == [one.statement_id for one in stored]
    assert rows.pk.tolist() == [one.pk for one in stored]
    assert words(rows.outcome, OUTCOMES) == [one.outcome for one in stored]
    assert words(rows.claim_class, CLASSES) == [one.claim_class for one in stored]
    assert words(rows.verdict, VERDICTS) == [one.verdict for one in stored]
    sure = [None if np.isnan(one) else one for one in found.confidence.tolist()]
    assert sure == [one.confidence for one in stored] == [0.25, None, None, None, None]


def test_beside_them_stands_what_few_state_and_what_was_counted(run: Run) -> None:
    found = judged.of(run)
    assert found.premises == {1: [VERDICTS.index("contradictory")]}
    spans = found.cited.spans
    assert found.cited.rows.tolist() == [0]
    assert [column.tolist() for column in (spans.row, spans.start, spans.end)] == [
        [0, 0],
        [1, 6],
        [4, 9],
    ]
    assert found.outcomes == runs.outcomes(run)
    assert found.outcomes["invalid"] == 1
    assert found.judge_models == ["m-1", "model-1"]


def test_what_is_kept_is_what_was_made_and_takes_one_query(
    run: Run, django_assert_num_queries: object
) -> None:
    held = stood.of(run.set, 1)
    made = judged.of(run, held)
    with django_assert_num_queries(1):  # type: ignore[operator]
        kept = judged.of(run, held)
        for one, other in zip(made.rows, kept.rows, strict=True):
            assert one.tolist() == other.tolist()
        assert np.array_equal(made.confidence, kept.confidence, equal_nan=True)
        assert (made.premises, made.outcomes) == (kept.premises, kept.outcomes)
        assert made.cited.rows.tolist() == kept.cited.rows.tolist()
        assert made.cited.places == kept.cited.places
    assert RoundSheet.objects.count() == 1


def test_a_report_is_the_same_from_rows_and_from_sheets(run: Run) -> None:
    from_rows = reports.create(run).figures
    Report.objects.update(seed=F("seed") + 1)
    assert RoundSheet.objects.count() == RevisionSheet.objects.count() == 1
    from_sheets = reports.create(run).figures
    assert from_sheets == from_rows


def test_what_labels_cite_is_the_same_from_labels_and_from_their_sheet(run: Run) -> None:
    Label.objects.update(evidence=[quote(2, 8)])
    from_labels = reports.create(run).figures["evidence"]
    judged.keep(run.pk)
    assert LabelSheet.objects.count() == 1
    Report.objects.update(seed=F("seed") + 1)
    assert reports.create(run).figures["evidence"] == from_labels
    assert from_labels["shared"]["n"] == 1


def test_the_worker_that_finishes_a_run_puts_it_in_columns(
    small_set: CalibrationSet, rubric: object
) -> None:
    started = runs.start(small_set, rubric)  # type: ignore[arg-type]
    judging.judge_batch(started.pk, worker="w")
    (sheet,) = RoundSheet.objects.all()
    assert (sheet.run_id, sheet.round, sheet.told["outcomes"]["planned"]) == (
        started.pk,
        1,
        started.planned,
    )
    assert RevisionSheet.objects.filter(set=small_set, revision=started.revision).count() == 1


def test_a_run_that_is_under_way_is_read_and_not_kept(run: Run) -> None:
    Judgment.objects.filter(run=run, outcome="timeout").update(outcome=None)
    Run.objects.filter(pk=run.pk).update(finished_at=None)
    run.refresh_from_db()
    assert (judged.of(run).rows.outcome == NOTHING).sum() == 1
    assert not RoundSheet.objects.exists()


def released(run: Run) -> Run:
    """A recorded run cannot be judged again; one of a version that was released here can."""
    Run.objects.filter(pk=run.pk).update(round=F("round") + 1, finished_at=None)
    Judgment.objects.filter(run=run, outcome="timeout").update(outcome=None, round=2)
    return Run.objects.get(pk=run.pk)


def test_each_round_has_its_own(run: Run) -> None:
    first = judged.of(run)
    again = released(run)
    Judgment.objects.filter(run=run, outcome=None).update(
        outcome="graded", claim_class="external", verdict="supported"
    )
    Run.objects.filter(pk=run.pk).update(finished_at=F("started_at"))
    again.refresh_from_db()
    assert judged.of(again).outcomes["timeout"] == 0
    assert first.outcomes["timeout"] == judged.of(run).outcomes["timeout"] == 1
    assert set(RoundSheet.objects.values_list("round", flat=True)) == {1, 2}


@pytest.mark.parametrize("guarded", [True, False])
def test_what_was_read_while_the_run_was_judged_again_is_not_kept(
    run: Run, guarded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control keeps it without asking, and a round that never was stands as one for ever."""
    make = judged._made

    def while_it_is_judged_again(*given: object) -> object:
        released(run)
        return make(*given)  # type: ignore[arg-type]

    def without_asking(run: Run, made: dict[str, object], key: dict[str, object]) -> None:
        RoundSheet.objects.get_or_create(**key, defaults=made)

    monkeypatch.setattr(judged, "_made", while_it_is_judged_again)
    if guarded:
        with pytest.raises(Refused, match="judged again"):
            judged.of(run)
        assert not RoundSheet.objects.exists()
        return
    monkeypatch.setattr(judged, "_keep", without_asking)
    assert (judged.of(run).rows.outcome == NOTHING).sum() == 1
    assert RoundSheet.objects.get().round == 1


def test_pairs_and_kinds_are_those_of_what_was_planned_alone() -> None:
    """A run that planned a part of its revision has the names of that part, in the same order."""
    made = a_set([*ROWS, Row("Ss", "Ss", 2, 0, kind=0)], kinds=["number"])
    run = a_run(made, [*ROWS, Row("Ss", "Ss", 2, 0, kind=0)])
    assert loading.load(run, reports.create(run).snapshot.frozen).pairs == (
        "pair-0",
        "pair-1",
        "pair-2",
    )
    Judgment.objects.filter(run=run, statement__case__pair_id="pair-0").delete()
    Judgment.objects.filter(run=run, statement__case__pair_id="pair-2").delete()
    forgotten()
    loaded = loading.load(run, Report.objects.get().snapshot.frozen)
    assert (loaded.pairs, loaded.pair_kinds) == (("pair-1",), ())
    assert loaded.columns.pair.tolist() == [0, NOTHING, NOTHING]
