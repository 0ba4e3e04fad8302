"""The pictures over labels and judgments that no one here wrote, found through ASSIZE_DATA."""

from __future__ import annotations

import json
from collections import defaultdict

import numpy as np
import pytest

from calibration import charts
from calibration.charts import Interval, ReliabilityBin, Series, Stack
from calibration.stats.confidence import reliability
from calibration.stats.rates import rate
from tests.calibration.charts.test_drawing import texts, tree

VERDICTS = ("supported", "unsupported", "contradictory", "not_applicable")
MODELS = ("gpt-3.5-turbo-0613", "gpt-4-0613")


@pytest.fixture
def read(data_folder):
    return lambda name: [json.loads(line) for line in (data_folder / name).open(encoding="utf-8")]


@pytest.fixture
def judged(read):
    """Of each model, the human's verdict and its own on each of the hundred claims."""
    human = {one["case_id"]: one["verdict"] for one in read("wice/labels.jsonl")}
    return {
        model: [
            (human[one["case_id"]], one["verdict"]) for one in read(f"wice/judgments-{model}.jsonl")
        ]
        for model in MODELS
    }


def lenient(pairs):
    passed = [judge == "supported" for human, judge in pairs if human == "unsupported"]
    return rate(sum(passed), len(passed))


def test_rates_are_those_that_are_published_of_the_data(judged):
    """GPT-4 agrees on 77 of 100, GPT-3.5 on 39 of 100."""
    rows = []
    for model, pairs in judged.items():
        of = rate(sum(human == judge for human, judge in pairs), len(pairs))
        rows.append(Interval(model, of.count, of.n, of.rate, *of.interval))
    figure = charts.intervals("Agreement", "With the human.", rows)
    assert {"39 of 100, 39.0%", "77 of 100, 77.0%"} <= set(texts(figure.svg))
    assert "67.8% to 84.2%" in figure.rows[1]


def test_a_confusion_holds_every_claim_once(judged):
    table = [[judged[MODELS[1]].count((a, b)) for b in VERDICTS] for a in VERDICTS]
    nowhere = [[None] * 4] * 4
    figure = charts.heat_map("Verdict", "GPT-4.", VERDICTS, table, nowhere)
    assert sum(map(sum, table)) == 100
    # Of the 78 that are unsupported, it passes 19.
    assert {"19", "24.4%"} <= set(texts(figure.svg))


def test_leniency_over_versions_and_the_drift_of_verdicts(judged):
    rates = [lenient(pairs) for pairs in judged.values()]
    points = [
        Interval(model, of.count, of.n, of.rate, *of.interval)
        for model, of in zip(MODELS, rates, strict=True)
    ]
    over = charts.lines("Leniency", "Over models.", [Series("All", points)])
    assert [row[2].text for row in over.rows] == ["58", "19"]
    assert [row[4] for row in over.rows] == ["74.4%", "24.4%"]  # of 78
    stacks = [
        Stack(model, [sum(judge == v for _, judge in pairs) for v in VERDICTS])
        for model, pairs in judged.items()
    ]
    drift = charts.shares("Verdicts", "Over models.", VERDICTS, stacks)
    assert [row[-1] for row in drift.rows] == ["100", "100"]
    assert all(tree(figure.svg).get("role") == "img" for figure in (*over.figures, drift))


def test_how_sure_two_workers_are_of_what_the_third_says(read):
    """Of 953 sentences: the share of two workers who say supported, and whether the third does."""
    said = defaultdict(list)
    for label in sorted(read("qags/labels.jsonl"), key=lambda one: one["annotator"]):
        said[label["case_id"]].append(label["verdict"] == "supported")
    three = np.array([each for each in said.values() if len(each) == 3])
    assert len(three) == 953
    found = reliability(three[:, :2].mean(axis=1), three[:, 2], np.arange(953), seed=1)
    bins = [
        ReliabilityBin(each.confidence, each.right.count, each.right.n, each.right.rate,
                       *each.right.interval)
        for each in found.bins
    ]  # fmt: skip
    figure = charts.reliability("Reliability", "Of two workers.", bins)
    assert sum(each.n for each in bins) == 953
    assert len(figure.picture.rows) == len(bins) == 3
    assert [each.rate for each in bins] == sorted(each.rate for each in bins)
    assert tree(figure.svg).get("aria-label") == "Reliability"
