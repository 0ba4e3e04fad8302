"""The commands import_set and export_set: rows C3 and C4, exit codes, JSON."""

from __future__ import annotations

import codecs
import gzip
import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from grounding.interchange.bundle import open_bundle
from labeling.models import CalibrationSet, Case
from tests.calibration.bundles.bundle_fixtures import plain_case
from tests.cast import SMALL

GOOD = json.dumps(plain_case(1))
Refused = Callable[[Path], str]


def run(*arguments: Any, **options: Any) -> tuple[dict[str, Any], str]:
    out, err = StringIO(), StringIO()
    call_command(*arguments, "--json", stdout=out, stderr=err, **options)
    lines = out.getvalue().splitlines()
    assert len(lines) == 1
    return json.loads(lines[0]), err.getvalue()


@pytest.fixture
def refused(db: None) -> Refused:
    """The one line with which a file is refused, exit 3, and nothing is written."""

    def import_it(path: Path) -> str:
        with pytest.raises(CommandError) as caught:
            call_command("import_set", "lamps", path, "--json", stdout=StringIO())
        assert caught.value.returncode == 3
        assert not CalibrationSet.objects.exists()
        assert not Case.objects.exists()
        message = str(caught.value)
        assert "\n" not in message
        return message

    return import_it


@pytest.mark.parametrize(
    ("line", "field"),
    [
        (GOOD.replace("Lamp 1 burns for", "Lamp\\u0000burns", 1), "context.0.text"),
        (GOOD.replace("Lamp 1 burns for", "Lamp \\ud800 burns", 1), "context.0.text"),
        (GOOD[:-1] + ', "answerable": NaN}', "answerable"),
        (GOOD[:-1] + ', "answerable": Infinity}', "answerable"),
        (GOOD[:-1] + ', "answer": "again"}', "answer"),
        (GOOD[:-1] + ', "verdikt": 1}', "verdikt"),
        (GOOD[:-1] + ', "tags": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested"),
        (GOOD.replace('"span": [0,', '"span": [' + "9" * 5_000 + ","), "statements.0.span"),
        (GOOD.replace('"lamp-1"', json.dumps("x" * 9_000)), "case_id"),
        (GOOD.replace('"answer": "', '"answer": "' + "x" * 2_000_000, 1), "answer"),
    ],
    ids=["nul", "surrogate", "nan", "infinity", "twice", "unknown", "deep", "digits", "id", "long"],
)
def test_what_no_store_could_keep_is_refused_with_line_and_field(
    refused: Refused, tmp_path: Path, line: str, field: str
) -> None:
    file = tmp_path / "lamps.jsonl"
    file.write_text(json.dumps(plain_case(0)) + "\n" + line + "\n", "utf-8")
    message = refused(file)
    assert message.startswith("lamps.jsonl, line 2")
    assert field in message
    assert len(message) < 500


@pytest.mark.parametrize(
    "content",
    [
        GOOD.encode("utf-16"),
        GOOD.replace("Lamp", "Läm").encode("latin-1"),
        gzip.compress(b"0" * 50_000_000),
        b"[]",
        b"{",
    ],
    ids=["utf-16", "latin-1", "gzip bomb", "a list", "half an object"],
)
def test_other_encodings_and_kinds_of_file_are_refused(
    refused: Refused, tmp_path: Path, content: bytes
) -> None:
    file = tmp_path / "lamps.jsonl"
    file.write_bytes(content)
    assert refused(file).startswith("lamps.jsonl, line 1")


@pytest.mark.parametrize("content", ["", "\n\n"], ids=["empty", "blank"])
def test_a_file_without_a_case_is_refused(refused: Refused, tmp_path: Path, content: str) -> None:
    file = tmp_path / "lamps.jsonl"
    file.write_text(content)
    assert refused(file) == "lamps.jsonl: holds no cases"


def test_a_byte_order_mark_is_fine(db: None, tmp_path: Path) -> None:
    file = tmp_path / "lamps.jsonl"
    file.write_bytes(codecs.BOM_UTF8 + GOOD.encode() + b"\n")
    result, _ = run("import_set", "lamps", file)
    assert result["cases"]["added"] == 1


def test_line_ends_are_normalised_once_and_offsets_count_after_that(
    db: None, tmp_path: Path
) -> None:
    case = plain_case(1)
    case["context"][0]["text"] = "One\r\nLamp 1 burns"
    file = tmp_path / "lamps.jsonl"
    file.write_text(json.dumps(case) + "\r\n", "utf-8", newline="")
    run("import_set", "lamps", file)
    (stored,) = Case.objects.all()
    assert stored.context[0]["text"] == "One\nLamp 1 burns"
    (evidence,) = stored.statements.get().expectation.evidence
    assert (evidence["start"], evidence["end"]) == (4, 16)


def test_a_missing_file_and_a_bad_slug_are_exit_3(refused: Refused, tmp_path: Path) -> None:
    assert "nowhere" in refused(tmp_path / "nowhere")
    with pytest.raises(CommandError) as caught:
        call_command("import_set", "no slug", SMALL, stdout=StringIO())
    assert caught.value.returncode == 3
    assert "slug" in str(caught.value)


def test_export_says_what_it_wrote_and_where(small_set: CalibrationSet, tmp_path: Path) -> None:
    out = tmp_path / "small.zip"
    result, said = run("export_set", "small", out)
    assert result == {
        "set": "small",
        "revision": 1,
        "format": "bundle",
        "out": str(out),
        "records": {"cases": 6, "sources": 2, "labels": 10},
    }
    assert "small.zip" in said
    with open_bundle(out) as bundle:
        assert bundle.manifest is not None
        assert (bundle.manifest.set, bundle.manifest.revision) == ("small", 1)
        assert bundle.warnings == []


def test_exporting_a_set_that_is_not_there_is_exit_3(db: None, tmp_path: Path) -> None:
    with pytest.raises(CommandError) as caught:
        call_command("export_set", "nothing", tmp_path / "out", stdout=StringIO())
    assert caught.value.returncode == 3


def test_an_export_never_writes_over_a_folder_with_something_in_it(
    small_set: CalibrationSet, tmp_path: Path
) -> None:
    (tmp_path / "mine.txt").write_text("keep")
    for kind in ("bundle", "csv", "parquet"):
        with pytest.raises(CommandError):
            call_command("export_set", "small", str(tmp_path), "--format", kind)
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]
