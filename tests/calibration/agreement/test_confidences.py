"""Calibration of confidence in a report: by hand, against scikit-learn on real data, and where
no confidence was stated."""

from __future__ import annotations

import json
from io import StringIO

import numpy as np
import pytest
from django.core.management import call_command
from sklearn.metrics import brier_score_loss

from calibration import learned, reports
from calibration.agreement import confidences
from calibration.models import Judgment
from labeling import sets
from tests.calibration.report_fixtures import Row, columns
from tests.calibration.report_records import a_run, a_set
from tests.calibration.reports.test_floors import run_of

SURE = [0.9] * 5 + [0.6] * 5
ROWS = [Row("Ss", "Ss")] * 4 + [Row("Ss", "Su")] + [Row("Su", "Eu")] * 2 + [Row("Su", "Ss")] * 3


def of(rows, said, seed=1):
    given = np.array([np.nan if one is None else one for one in said], dtype=np.float64)
    return confidences.figures(columns(rows), given, seed=seed)


def test_confidence_by_hand():
    """Five said 0.9, four of them right; five said 0.6, two right, both of another class than the
    reference: the confidence was in the verdict. Brier (4·0.01 + 0.81 + 2·0.16 + 3·0.36) / 10."""
    found = of(ROWS, SURE)
    assert (found["with"], found["without"]) == (10, 0)
    assert found["brier"]["value"] == pytest.approx(0.225)
    assert [
        (one["low"], one["high"], one["right"]["count"], one["right"]["n"]) for one in found["bins"]
    ] == [
        (0.6, 0.6, 2, 5),
        (0.9, 0.9, 4, 5),
    ]
    # 0.1 and 0.2 off, each on half of the statements.
    assert found["expected_error"]["value"] == pytest.approx(0.15)
    assert found["chance_error"]["value"] > 0
    # Rates 0.4 and 0.8 around 0.6.
    assert found["reliability"]["value"] == pytest.approx((0.04 + 0.01) / 2)
    assert found["resolution"]["value"] == pytest.approx(0.04)
    assert found["uncertainty"]["value"] == pytest.approx(0.24)


def test_what_was_not_compared_counts_neither_with_nor_without():
    rows = [*ROWS, Row("..", "Ss"), Row("Ss", "timeout"), Row("Ss", "Ss")]
    found = of(rows, [*SURE, 0.2, 0.2, None])
    assert (found["with"], found["without"]) == (10, 1)
    assert found["brier"] == of(ROWS, SURE)["brier"]


@pytest.mark.parametrize("rows", [[], [Row("Ss", "Ss")] * 3, [Row("..", "Ss")]])
def test_without_a_confidence_all_is_null_with_a_reason(rows):
    found = of(rows, [None] * len(rows))
    assert found["bins"] == []
    assert found["with"] == 0
    for name in ("brier", "reliability", "resolution", "uncertainty", "within", "expected_error"):
        assert (found[name]["value"], found[name]["n"]) == (None, 0)
        assert found[name]["reason"] == "no compared statement has a confidence"
    json.dumps(found, allow_nan=False)


def test_a_judge_that_always_says_the_same_has_one_bin():
    [only] = of([Row("Ss", "Ss")] * 3 + [Row("Ss", "Su")], [1.0] * 4)["bins"]
    assert (only["low"], only["high"], only["right"]["count"], only["right"]["n"]) == (1, 1, 3, 4)


def test_a_bin_is_named_to_the_last_digit():
    low, high = 0.1 + 0.2, 0.7000000000000001
    assert confidences.bounds(confidences.name_of(low, high)) == (low, high)


# ---- in the database


@pytest.mark.django_db
def test_a_report_has_the_confidences_of_its_own_judgments():
    run = a_run(a_set(ROWS), ROWS)
    for judgment, said in zip(run.judgments.order_by("statement__position"), SURE, strict=True):
        Judgment.objects.filter(pk=judgment.pk).update(confidence=said)
    Judgment.objects.create(
        run=run,
        statement=run.judgments.first().statement,
        case_pk=run.judgments.first().case_pk,
        repeat=1,
        outcome="graded",
        verdict="supported",
        confidence=0.1,
    )
    figures = reports.create(run, seed=4).figures
    assert figures["confidence"] == json.loads(json.dumps(of(ROWS, SURE, seed=4)))


@pytest.mark.slow
@pytest.mark.django_db
def test_the_confidence_of_a_judge_that_learned_from_real_data_is_scored_as_elsewhere(data_folder):
    call_command(
        "import_set",
        "wow",
        str(data_folder / "begin_wow_dev"),
        stdout=StringIO(),
        stderr=StringIO(),
    )
    measured = sets.get("wow")
    run = run_of(measured, learned.train(measured).rubric_version)
    found = reports.create(run).figures["confidence"]
    references = reports.create(run).snapshot.references
    rows = run.judgments.filter(confidence__isnull=False).values_list(
        "statement_id", "verdict", "confidence"
    )
    said = np.array([one for _, _, one in rows])
    right = np.array([references[str(pk)][2] == verdict for pk, verdict, _ in rows])
    assert found["with"] == len(said) > 400
    assert found["with"] + found["without"] == 430
    assert found["brier"]["value"] == pytest.approx(brier_score_loss(right, said))
    assert sum(one["right"]["n"] for one in found["bins"]) == len(said)
    assert sum(one["right"]["count"] for one in found["bins"]) == right.sum()
