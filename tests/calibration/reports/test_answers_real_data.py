"""Whole summaries of QAGS (Wang, Cho and Lewis 2020): 235 of CNN/DailyMail and 239 of XSUM, each
sentence labelled by three people. What is expected is counted here from the files alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from calibration import bundles, reports
from labeling.models import CalibrationSet
from tests.calibration.bundles.bundle_fixtures import Record, read, write
from tests.calibration.pages import sets

pytestmark = [pytest.mark.slow, pytest.mark.django_db]


def summaries(folder: Path) -> tuple[list[Record], list[Record]]:
    """The sentences of one summary as the statements of one case, with their labels."""
    cases: dict[str, Record] = {}
    labels = defaultdict(list)
    for label in read(folder / "labels.jsonl"):
        labels[label["case_id"]].append(label)
    moved = []
    for sentence in read(folder / "cases.jsonl"):
        name, _, number = sentence["case_id"].rpartition("-")
        case = cases.setdefault(name, {**sentence, "case_id": name, "answer": "", "statements": []})
        start = len(case["answer"]) + bool(case["answer"])
        (said,) = sentence["statements"]
        case["answer"] = f"{case['answer']} {said['text']}".strip()
        span = [start, start + len(said["text"])]
        case["statements"].append({**said, "statement_id": f"s{number}", "span": span})
        moved += [
            {**label, "case_id": name, "statement_id": f"s{number}"}
            for label in labels[sentence["case_id"]]
        ]
    return list(cases.values()), moved


def held(cases: list[Record], labels: list[Record]) -> Iterator[tuple[int, int]]:
    """Of each summary how many sentences most people support, and of how many."""
    said: dict[Any, Counter[str]] = defaultdict(Counter)
    for label in labels:
        said[label["case_id"], label["statement_id"]][label["verdict"]] += 1
    for case in cases:
        ids = [one["statement_id"] for one in case["statements"]]
        yield sum(said[case["case_id"], one]["supported"] > 1 for one in ids), len(ids)


def test_summaries_are_decided_as_their_labels_say(data_folder: Path, tmp_path: Path) -> None:
    cases, labels = summaries(data_folder / "qags")
    corpora = Counter(case["case_id"].split("-")[1] for case in cases)
    assert corpora == {"cnndm": 235, "xsum": 239}
    folder = tmp_path / "bundle"
    folder.mkdir()
    write(folder / "cases.jsonl", cases)
    write(folder / "labels.jsonl", labels)
    bundles.import_set("qags", folder)
    report = reports.create(sets.judged_run(CalibrationSet.objects.get(slug="qags")))

    expected = list(held(cases, labels))
    grounded = sum(supported / n >= 0.9 for supported, n in expected)
    answers = report.figures["answers"]
    assert (answers["planned"], answers["decided"]) == (474, 474)
    assert (answers["grounded"]["human"]["count"], answers["grounded"]["human"]["n"]) == (
        grounded,
        474,
    )
    claims = answers["claims"]["human"]
    assert (claims["count"], claims["n"]) == (647, 953)
    assert answers["lenient"]["n"] == 474 - grounded
    assert answers["strict"]["n"] == grounded
    assert report.figures["failure_source"]["untraced"]["pool_not_captured"] == 474 - grounded
