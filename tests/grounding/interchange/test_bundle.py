import contextlib
import hashlib
import io
import json
import os
import struct
import tracemalloc
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grounding.errors import BadInput, Refused
from grounding.interchange.bundle import PARTS, open_bundle
from grounding.interchange.models import Case, Record
from grounding.interchange.packing import write_bundle

from .examples import ATTEMPT, CASE, JUDGMENT, LABEL, SOURCE, case, lines, read

CASES = lines(CASE, case(case_id="jobs-001-b"))
EXAMPLES = {
    "cases": CASE, "sources": SOURCE, "labels": LABEL, "judgments": JUDGMENT, "attempts": ATTEMPT
}  # fmt: skip


def zipped(path: Path, files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def folder(path: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        file = path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return path


@pytest.fixture(params=["zip", "folder"])
def packed(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """A function that puts files into a zip or a folder."""
    if request.param == "zip":
        return lambda files: zipped(tmp_path / "given.zip", files)
    return lambda files: folder(tmp_path / "given", files)


def everything(path: Path) -> dict[str, Any]:
    with open_bundle(path) as bundle:
        found: dict[str, Any] = {part: list(bundle.records(part)) for part in PARTS}
        return found | {"rubrics": list(bundle.rubrics()), "warnings": bundle.warnings}


def refused(path: Path) -> BadInput:
    with pytest.raises(BadInput) as caught:
        everything(path)
    return caught.value


def write(path: Path, **changes: Any) -> Any:
    parts = {part: read(lines(EXAMPLES[part]), model) for part, model in PARTS.items()}
    given: dict[str, Any] = {
        "parts": {part: iter(records) for part, records in parts.items()},
        "set_slug": "demo",
        "revision": 3,
        "contract_version": "1.0.0",
        "rubrics": {"groundedness@1.2.0": {"name": "groundedness", "ü": [1]}},
        "readme": "# Demo\n",
    }
    return write_bundle(path, **(given | changes))


def test_only_cases_are_required(packed: Any) -> None:
    found = everything(packed({"cases.jsonl": CASES}))
    assert [line for line, _ in found["cases"]] == [1, 2]
    assert found["labels"] == found["rubrics"] == found["warnings"] == []


@pytest.mark.parametrize("name", ["mine.jsonl", "cases.jsonl", "notes.txt"])
def test_a_cases_file_may_have_any_name(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(CASES + b"{}\n")
    error = refused(path)
    assert (error.source, error.line, error.field) == (name, 3, "case_id")


def test_a_missing_cases_file_is_named_and_a_deeper_one_is_pointed_at(packed: Any) -> None:
    error = refused(packed({"demo/cases.jsonl": CASES}))
    assert "holds no cases.jsonl at the top; there is demo/cases.jsonl" in error.message


def test_what_is_nowhere_is_bad_input(tmp_path: Path) -> None:
    assert refused(tmp_path / "nowhere").source == "nowhere"


def test_other_names_are_reported_and_passed_over(packed: Any) -> None:
    others = {f"other-{n}.txt": b"" for n in range(30)}
    found = everything(packed({"cases.jsonl": CASES, "labels-2.jsonl": b"\xff", **others}))
    assert found["warnings"][0].startswith("labels-2.jsonl is not a file of this format")
    assert len(found["warnings"]) == 21
    assert found["warnings"][-1] == "11 other files were passed over as well"


def test_rubrics_come_with_their_names_and_are_read_strictly(packed: Any) -> None:
    names = ["rubrics/b@1.0.0.json", "rubrics/a@1.0.0.json"]
    good = dict.fromkeys(names, b'\xef\xbb\xbf{"judge": {"temperature": 0.5}}')
    found = everything(packed({"cases.jsonl": CASES, "rubrics/x.json": b"", **good}))
    assert [name for name, _ in found["rubrics"]] == sorted(names)
    assert found["rubrics"][0][1] == {"judge": {"temperature": 0.5}}
    assert len(found["warnings"]) == 1


@pytest.mark.parametrize(
    ("content", "field"),
    [
        (b'{"a": [{"b": 1, "b": 2}]}', "a.0.b"),
        (b'{"a": NaN}', "a"),
        (b'{"a": "\\ud800"}', "a"),
        (b'{"a": ["", "\\u0000"]}', "a.1"),
        (b'{"a": 9223372036854775808}', "a"),
        (b"[]", None),
        (b"[" * 100_000, None),
        (b'{"a": "\xe9"}', None),
    ],
)
def test_a_rubric_that_is_not_strict_json_is_refused(
    tmp_path: Path, content: bytes, field: str | None
) -> None:
    name = "rubrics/a@1.0.0.json"
    error = refused(folder(tmp_path, {"cases.jsonl": CASES, name: content}))
    assert (error.source, error.field) == (name, field)


def manifest(**changes: Any) -> bytes:
    entry = {"sha256": hashlib.sha256(CASES).hexdigest(), "records": 2}
    value = {
        "format_version": 1,
        "set": "demo",
        "revision": 1,
        "contract_version": "1.0.0",
        "files": {"cases.jsonl": entry},
    }
    return json.dumps(value | changes).encode()


def test_a_manifest_that_matches_is_given(packed: Any) -> None:
    with open_bundle(packed({"cases.jsonl": CASES, "manifest.json": manifest()})) as bundle:
        assert bundle.manifest is not None
        assert (bundle.manifest.set, bundle.manifest.revision) == ("demo", 1)


@pytest.mark.parametrize(
    ("files", "field", "words"),
    [
        ({"manifest.json": manifest(format_version=2, new=1)}, "format_version", "version 1"),
        ({"manifest.json": manifest(extra=1)}, "extra", "not a key"),
        ({"manifest.json": b'{"format_version": 1, "format_version": 1}'}, None, "object"),
        ({"manifest.json": manifest(), "cases.jsonl": CASES + b"\n"}, "files", "SHA-256 differs"),
        ({"manifest.json": manifest(files={"cases.jsonl": {
            "sha256": hashlib.sha256(CASES).hexdigest(), "records": 3}})},
         "files", "said to hold 3 records and holds 2"),
        ({"manifest.json": manifest(), "labels.jsonl": b""}, "files", "there, but not listed"),
        ({"manifest.json": manifest(files={"../../etc/passwd": {"sha256": "0" * 64}})},
         "files", "listed, but not there"),
    ],
)  # fmt: skip
def test_a_manifest_that_does_not_match_is_refused(
    packed: Any, files: dict[str, bytes], field: str | None, words: str
) -> None:
    error = refused(packed({"cases.jsonl": CASES, **files}))
    if field is None:
        assert error.field == "format_version"
        return
    assert (error.source, error.field) == ("manifest.json", field)
    assert words in error.message


@pytest.mark.parametrize(
    "name", ["../cases.jsonl", "/etc/cases.jsonl", "a\r\nb", "..\\labels.jsonl"]
)
def test_names_that_lead_out_are_passed_over_and_shown_safely(tmp_path: Path, name: str) -> None:
    found = everything(zipped(tmp_path / "x.zip", {"cases.jsonl": CASES, name: b"bad"}))
    assert len(found["warnings"]) == 1
    assert found["warnings"][0].isprintable()
    assert list(tmp_path.iterdir()) == [tmp_path / "x.zip"]


def test_two_entries_of_one_name_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        archive.writestr("cases.jsonl", CASES)
        archive.writestr("cases.jsonl", CASES)
    assert "cases.jsonl twice" in refused(path).message


@pytest.mark.parametrize("filler", [b"\n", b"x", b" "])
def test_a_bomb_is_refused_in_bounded_memory(tmp_path: Path, filler: bytes) -> None:
    path = tmp_path / "x.zip"
    zipped(path, {"cases.jsonl": filler * (64 << 20)})
    tracemalloc.start()
    error = refused(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (error.source, "200 times" in error.message) == ("cases.jsonl", True)
    assert peak < 1 << 20


def patched(path: Path, change: Any) -> Path:
    content = bytearray(path.read_bytes())
    change(content)
    path.write_bytes(content)
    return path


def test_an_entry_that_declares_another_size_is_refused(tmp_path: Path) -> None:
    def understate(content: bytearray) -> None:
        central = content.rindex(b"PK\x01\x02")
        struct.pack_into("<L", content, central + 24, len(CASES) - 10)

    path = patched(zipped(tmp_path / "x.zip", {"cases.jsonl": CASES}), understate)
    assert refused(path).source == "cases.jsonl"


def test_an_encrypted_zip_is_refused(tmp_path: Path) -> None:
    def encrypt(content: bytearray) -> None:
        content[content.rindex(b"PK\x01\x02") + 8] |= 1

    path = patched(zipped(tmp_path / "x.zip", {"cases.jsonl": CASES}), encrypt)
    assert "encrypted" in refused(path).message


def test_methods_that_unpack_without_a_bound_are_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "x.zip", {"cases.jsonl": CASES}, zipfile.ZIP_BZIP2)
    assert "deflate" in refused(path).message


def test_a_zip_cut_anywhere_is_refused(tmp_path: Path) -> None:
    whole = zipped(tmp_path / "whole.zip", {"cases.jsonl": CASES}).read_bytes()
    for length in range(len(whole)):
        path = tmp_path / "cut.zip"
        path.write_bytes(whole[:length])
        assert refused(path)


def test_a_zip_with_any_byte_changed_is_read_or_refused_and_nothing_else(tmp_path: Path) -> None:
    whole = zipped(tmp_path / "whole.zip", {"cases.jsonl": CASES, "é.txt": b""}).read_bytes()
    path = tmp_path / "changed.zip"
    for position in range(len(whole)):
        for flip in (0x01, 0x80, 0xFF):
            changed = bytearray(whole)
            changed[position] ^= flip
            path.write_bytes(changed)
            with contextlib.suppress(BadInput):
                everything(path)


def test_a_folder_does_not_follow_links_out_of_it(tmp_path: Path) -> None:
    outside = tmp_path / "secret.jsonl"
    outside.write_bytes(lines(LABEL))
    inside = folder(tmp_path / "given", {"cases.jsonl": CASES, "real/x.json": b"{}"})
    (inside / "labels.jsonl").symlink_to(outside)
    error = refused(inside)
    assert (error.source, "out of the folder" in error.message) == ("labels.jsonl", True)
    (inside / "labels.jsonl").unlink()
    (tmp_path / "a@1.0.0.json").write_bytes(b"{}")
    (inside / "rubrics").symlink_to(tmp_path)
    assert everything(inside)["rubrics"] == []


def test_a_pipe_in_a_folder_does_not_block(tmp_path: Path) -> None:
    inside = folder(tmp_path / "given", {"cases.jsonl": CASES})
    os.mkfifo(inside / "labels.jsonl")
    assert refused(inside).message == "is not a file"


@pytest.mark.parametrize("name", ["out.zip", "out"])
def test_a_bundle_comes_back_as_it_was_written(tmp_path: Path, name: str) -> None:
    written = write(tmp_path / name)
    found = everything(tmp_path / name)
    for part, model in PARTS.items():
        assert [record for _, record in found[part]] == read(lines(EXAMPLES[part]), model)
    assert found["rubrics"] == [
        ("rubrics/groundedness@1.2.0.json", {"name": "groundedness", "ü": [1]})
    ]
    assert found["warnings"] == []
    with open_bundle(tmp_path / name) as bundle:
        assert bundle.manifest == written
    assert written.files["cases.jsonl"].records == 1
    assert list(tmp_path.iterdir()) == [tmp_path / name]


def test_the_same_records_give_the_same_bytes(tmp_path: Path) -> None:
    write(tmp_path / "a.zip")
    write(tmp_path / "b.zip")
    write(tmp_path / "a")
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert archive.namelist() == [
            "README.md", "cases.jsonl", "sources.jsonl", "labels.jsonl", "judgments.jsonl",
            "attempts.jsonl", "rubrics/groundedness@1.2.0.json", "manifest.json",
        ]  # fmt: skip
        for name in archive.namelist():
            assert archive.read(name) == (tmp_path / "a" / name).read_bytes()


def test_parts_without_records_are_left_out_but_for_cases(tmp_path: Path) -> None:
    written = write(tmp_path / "out", parts={"labels": []}, rubrics=None, readme=None)
    assert list(written.files) == ["cases.jsonl"]
    assert everything(tmp_path / "out")["cases"] == []


def failing() -> Iterator[Record]:
    yield Case.model_validate(CASE)
    raise KeyboardInterrupt


@pytest.mark.parametrize("name", ["out.zip", "out"])
def test_a_crash_leaves_no_half_bundle_and_the_old_zip_as_it_was(tmp_path: Path, name: str) -> None:
    if name == "out.zip":
        write(tmp_path / name)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / name, parts={"cases": failing()})
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_folder_that_holds_anything_is_not_written_over(tmp_path: Path) -> None:
    folder(tmp_path / "out", {"mine.txt": b"keep"})
    with pytest.raises(Refused):
        write(tmp_path / "out")
    assert [path.name for path in tmp_path.rglob("*")] == ["out", "mine.txt"]


@pytest.mark.parametrize("name", ["../evil@1.0.0", "a", "a@1", "a/b@1.0.0"])
def test_a_rubric_name_cannot_lead_out(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput):
        write(tmp_path / "out", rubrics={name: {}})
    assert list(tmp_path.iterdir()) == []


def test_a_large_part_streams_from_a_zip(tmp_path: Path) -> None:
    rows = (case(case_id=f"c{n}", tags=[os.urandom(2_000).hex()]) for n in range(4_000))
    path = zipped(tmp_path / "x.zip", {"cases.jsonl": lines(*rows)})
    tracemalloc.start()
    with open_bundle(path) as bundle:
        count = sum(1 for _ in bundle.records("cases"))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 4_000
    assert peak < 5 << 20


def test_an_empty_zip_holds_no_cases(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    zipfile.ZipFile(buffer, "w").close()
    (tmp_path / "x.zip").write_bytes(buffer.getvalue())
    assert "no cases.jsonl" in refused(tmp_path / "x.zip").message
