"""A regression suite: balanced by hand, blind to judges, and a bundle that imports again."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from calibration import bundles, reports
from calibration.agreement import DEFAULT_SEED
from calibration.management.commands import demo
from calibration.planner import suites
from calibration.planner.suites import Suite
from grounding.contract import CONTRACT
from grounding.errors import BadInput, Refused
from labeling import references, sets
from labeling.models import CalibrationSet, Case
from tests.calibration import report_records
from tests.calibration.bundles.bundle_fixtures import lines
from tests.calibration.pages.sets import judged_run
from tests.calibration.planner.plan_records import Of, a_set
from tests.calibration.report_fixtures import Row

pytestmark = pytest.mark.django_db

HOME = Path(str(suites.__file__)).parents[1] / "sets" / demo.SLUG


def pair(name: str, one: str, other: str) -> list[Of]:
    return [Of([one], case=f"{name}.1"), Of([], other, f"{name}.2")]


# Six of supported and unsupported, two of supported and contradictory.
EIGHT = [
    *[of for n in range(6) for of in pair(f"u{n}", "Ss", "Su")],
    *[of for n in range(2) for of in pair(f"c{n}", "Ss", "Sc")],
]
LEFT_OUT = [
    *[Of(["Ss"], case="alone.1")],
    *[Of(["Ss"], case="bare.1"), Of([], None, "bare.2")],
    *[Of(["Ss", "Su"], "Ss", "split.1"), Of([], "Su", "split.2")],
    *[Of(["Ss"], case=f"three.{n}") for n in "123"],
    Of(["Ss"]),
]


def named(suite: Suite) -> list[str]:
    return [one.pair_id for one in suite.pairs]


def covered(suite: Suite) -> dict[str, tuple[int, int]]:
    return {one.cell[1]: (one.pairs, one.available) for one in suite.coverage if one.available}


def test_pairs_are_balanced_over_cells_rare_ones_first() -> None:
    suite = suites.propose(a_set(EIGHT), size=4)
    # Any pair is worth 2 at first. After a u, √2 - 1 + 1 by a c and 2 (√2 - 1) by a u; and so on:
    # both c among the first four, whatever the draw.
    assert {"c0", "c1"} < set(named(suite))
    assert covered(suite) == {"supported": (4, 8), "unsupported": (2, 6), "contradictory": (2, 2)}
    assert named(suites.propose(a_set(EIGHT, "again"), size=2)) == named(suite)[:2]


def test_only_pairs_of_two_sides_with_a_reference_everywhere_are_taken() -> None:
    suite = suites.propose(a_set([*EIGHT, *LEFT_OUT]), size=1000)
    assert len(suite.pairs) == len(suite.available) == 8
    assert {one.pair_id for one in suite.left_out} == {"alone", "bare", "split", "three"}


def test_a_minimum_tier_leaves_out_what_only_the_author_says() -> None:
    both = [Of(["Ss"], case="b.1"), Of(["Su"], case="b.2")]
    suite = suites.propose(a_set([*EIGHT, *both]), minimum=references.SINGLE)
    assert named(suite) == ["b"]
    assert len(suite.left_out) == 8


def test_a_superseded_side_leaves_no_pair() -> None:
    made = a_set(EIGHT)
    Case.objects.filter(case_id="u0.2").update(superseded_in=2)
    assert "u0" not in named(suites.propose(made))


def test_the_same_seed_gives_the_same_suite_and_another_another() -> None:
    made = a_set([of for n in range(40) for of in pair(f"u{n}", "Ss", "Su")])
    first, again, other = (named(suites.propose(made, size=5, seed=seed)) for seed in (1, 1, 2))
    assert first == again != other


@pytest.mark.parametrize("size", [0, -1, 1001])
def test_a_size_that_cannot_be_is_refused(size: int) -> None:
    with pytest.raises(BadInput) as caught:
        suites.propose(a_set(EIGHT), size=size)
    assert caught.value.field == "size"


def test_whatever_judges_say_the_suite_and_its_bundle_stay_the_same(tmp_path: Path) -> None:
    made = a_set([*EIGHT, *LEFT_OUT])
    before = suites.write(made, tmp_path / "before", size=5)
    for number, said in enumerate(("Ss", "Su", "timeout")):
        rows = [Row("..", said)] * (len(EIGHT) + len(LEFT_OUT))
        report_records.a_run(made, rows, version=f"{number}.0.0")
    after = suites.write(made, tmp_path / "after", size=5)
    assert after == before
    assert _files(tmp_path / "after") == _files(tmp_path / "before")


def _files(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*.*")}


def test_without_a_pair_to_take_nothing_is_written(tmp_path: Path) -> None:
    made = a_set(LEFT_OUT)
    assert suites.propose(made).pairs == []
    with pytest.raises(Refused, match="no pair with a reference"):
        suites.write(made, tmp_path / "suite.zip")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["suite.zip", "suite"])
def test_a_bundle_imports_again_with_the_same_references(small_set: Any, tmp_path: Path,
                                                         name: str) -> None:  # fmt: skip
    suite = suites.write(small_set, tmp_path / name, size=1)
    imported = bundles.import_set("suite", tmp_path / name).as_json()
    assert imported["pairs"] == 1
    assert imported["warnings"] == []
    again = sets.get("suite")
    assert _references(again) == {
        key: said for key, said in _references(small_set).items() if key[0] in suite.pairs[0].cases
    }
    assert any(tier != references.AUTHOR for tier, *_ in _references(again).values())
    # What is written of it once more is the same, and a judge can be run on it.
    suites.write(again, tmp_path / "second", size=1)
    suites.write(small_set, tmp_path / "first", size=1)
    assert lines(tmp_path / "second") == lines(tmp_path / "first")
    assert reports.create(judged_run(again)).figures["pairs"]["n"] == 1


def _references(of: CalibrationSet) -> dict[tuple[str, str], Any]:
    found = references.each(of, CONTRACT.major)
    return {(case_id, name): said for _, case_id, name, said in found}


def test_the_shipped_set_gives_a_suite_in_which_every_cell_is_held(tmp_path: Path) -> None:
    bundles.import_set("starter", HOME)
    shipped = sets.get("starter")
    suite = suites.write(shipped, tmp_path / "suite.zip", size=50)
    assert len(suite.pairs) == 50
    assert len(suite.coverage) == 7
    # Each cell has half its pairs in it, or as many as an even share of all places.
    places = sum(one.pairs for one in suite.coverage) / 7
    assert all(one.pairs >= min(one.available, places / 2) for one in suite.coverage)
    imported = bundles.import_set("suite", tmp_path / "suite.zip").as_json()
    assert imported["pairs"] == 50


def printed(*arguments: str) -> tuple[dict[str, Any], str]:
    out, err = StringIO(), StringIO()
    call_command("regression_suite", *arguments, "--json", stdout=out, stderr=err)
    return json.loads(out.getvalue()), err.getvalue()


def test_the_command_prints_one_object_and_says_where_it_wrote(tmp_path: Path) -> None:
    a_set([*EIGHT, *LEFT_OUT])
    out = str(tmp_path / "suite.zip")
    found, said = printed("planned", "--size", "3", "--out", out)
    assert {key: found[key] for key in ("set", "size", "seed", "available", "left_out", "out")} == {
        "set": {"slug": "planned", "revision": 1},
        "size": 3,
        "seed": DEFAULT_SEED,
        "available": 8,
        "left_out": 4,
        "out": out,
    }
    assert [set(one) for one in found["pairs"]] == [{"pair_id", "pair_kind", "case_ids"}] * 3
    assert f"3 pairs written to {out}" in said
    assert bundles.import_set("ci", out).as_json()["cases"]["added"] == 6
    text = StringIO()
    call_command("regression_suite", "planned", "--size", "3", stdout=text, stderr=StringIO())
    told = " ".join(text.getvalue().split())
    assert "3 pairs of 8, balanced over their cells" in told
    assert "subject-specific contradictory 1 2" in told


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--size", "0"), "size: takes a whole number from 1 to 1,000"),
        (("--size", "many"), "size: takes a whole number"),
        (("--seed", "-1"), "seed: takes a whole number"),
        (("--reference", "best"), "--reference"),
    ],
)
def test_the_command_refuses_in_one_line_with_exit_3(arguments: tuple[str, ...], said: str) -> None:
    a_set(EIGHT)
    with pytest.raises(CommandError) as caught:
        call_command("regression_suite", "planned", *arguments, stdout=StringIO())
    assert caught.value.returncode == 3
    assert said in str(caught.value)


def test_a_folder_that_holds_anything_is_not_written_over(tmp_path: Path) -> None:
    a_set(EIGHT)
    (tmp_path / "kept.txt").write_text("mine")
    with pytest.raises(CommandError) as caught:
        call_command("regression_suite", "planned", "--out", str(tmp_path), stdout=StringIO())
    assert caught.value.returncode == 3
    assert [file.name for file in tmp_path.iterdir()] == ["kept.txt"]
