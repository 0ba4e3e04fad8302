"""What the shipped versions and published judgments come to when they are read together."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from calibration import bundles, rubrics, runs, versions
from calibration.bundles import recorded
from calibration.rendering.versions import sentences
from calibration.wording.numbers import read
from grounding.rubrics import load_rubric
from labeling import sets
from tests.calibration.bundles.bundle_fixtures import read as read_lines
from tests.calibration.pages.sets import judged

pytestmark = pytest.mark.django_db

HOME = Path(str(rubrics.__file__)).parent
SHIPPED = ("1.0.0", "1.1.0", "2.0.0")


def test_the_shipped_versions_tell_their_story():
    """1.1.0 became lenient and is seen as such; 2.0.0 has another scope, stands apart, and its
    baseline is no point of the first line. No threshold is named here."""
    bundles.import_set("starter", HOME.parent / "sets" / "starter")
    shipped = sets.get("starter")
    for version in SHIPPED:
        text = (HOME / f"groundedness@{version}.yaml").read_text("utf-8")
        judged(runs.start(shipped, rubrics.release(load_rubric(text)).rubric_version))
    told = versions.full(versions.read("groundedness", shipped))
    one, two = told["blocks"]
    assert [each["rubric"]["version"] for each in one["versions"]] == ["1.0.0", "1.1.0"]
    assert [each["rubric"]["version"] for each in two["versions"]] == ["2.0.0"]
    against = one["versions"][1]["against"]
    assert against["second"]["count"] > against["first"]["count"]
    assert against["p_holm"] < 0.05
    assert one["statements"]["common"] == one["statements"]["asked"] > 150
    assert two["apart"]["fields"]
    assert two["versions"][0]["against"] is None
    said = [read(sentence) for sentence in sentences(told)]
    assert said[0].startswith(
        "groundedness@1.1.0 is more lenient than groundedness@1.0.0, beyond chance"
    )
    assert any(
        "groundedness@2.0.0 is not comparable with groundedness@1.1.0" in one for one in said
    )


@pytest.fixture
def wice(data_folder, tmp_path):
    """WiCE, with what GPT-3.5 and GPT-4 said of it."""
    folder = data_folder / "wice"
    bundle = tmp_path / "wice"
    bundle.mkdir()
    for name in ("cases.jsonl", "labels.jsonl"):
        (bundle / name).write_bytes((folder / name).read_bytes())
    bundles.import_set("wice", bundle)
    return sets.get("wice"), {
        name: read_lines(folder / f"judgments-{name}-0613.jsonl")
        for name in ("gpt-3.5-turbo", "gpt-4")
    }


def imported(held, rows, path: Path, **changes):
    path.write_text("".join(json.dumps({**row, **changes}) + "\n" for row in rows))
    with path.open("rb") as stream:
        return recorded.import_judgments(held, stream, source=path.name).run


def test_two_recorded_rubrics_each_have_a_line_of_one_point(wice, tmp_path):
    """The published figures: GPT-4 right on 77 of 100 and lenient on 19 of 78, GPT-3.5 on 39 and
    58 of 78."""
    held, judgments = wice
    for name, rows in judgments.items():
        imported(held, rows, tmp_path / f"{name}.jsonl")
    for name, right, lenient in (("gpt-4-0613", 77, 19), ("gpt-3.5-turbo-0613", 39, 58)):
        (block,) = versions.full(versions.read(name, held))["blocks"]
        (one,) = block["versions"]
        assert block["scope"] == "not stated"
        assert (one["verdict"]["count"], one["verdict"]["n"]) == (right, 100)
        assert (one["lenient"]["count"], one["lenient"]["n"]) == (lenient, 78)
        assert one["against"] is None


def test_as_two_versions_of_one_rubric_they_are_a_line(wice, tmp_path):
    """GPT-4 is read against GPT-3.5, which was recorded first: far less lenient, so the one-sided
    p is near 1."""
    held, judgments = wice
    for version, name in (("3.5.0", "gpt-3.5-turbo"), ("4.0.0", "gpt-4")):
        imported(
            held, judgments[name], tmp_path / f"{version}.jsonl", rubric="gpt", version=version
        )
    told = versions.full(versions.read("gpt", held))
    older, newer = told["blocks"][0]["versions"]
    assert [older["verdict"]["count"], newer["verdict"]["count"]] == [39, 77]
    assert newer["against"]["first"]["count"] == 58
    assert newer["against"]["second"]["count"] == 19
    assert newer["against"]["p_more_lenient"] > 0.999
    assert told["drift"]["pairs"] == []


def test_one_rubric_that_another_model_answers_raises_a_drift_alarm(wice, tmp_path):
    """The same version, first answered by GPT-4 and then by GPT-3.5, which supports 77 of the 100
    where GPT-4 supports 37."""
    held, judgments = wice
    for run, name in (("first", "gpt-4"), ("second", "gpt-3.5-turbo")):
        rows = judgments[name]
        imported(held, rows, tmp_path / f"{run}.jsonl", rubric="gpt", version="1.0.0", run=run)
    (pair,) = versions.full(versions.read("gpt", held))["drift"]["pairs"]
    supported = pair["verdicts"]["supported"]
    assert [supported["before"], supported["after"]] == [37, 77]
    assert pair["result"] == "alarm"
    assert (pair["earlier"]["model"], pair["later"]["model"]) == (
        "gpt-4-0613",
        "gpt-3.5-turbo-0613",
    )
