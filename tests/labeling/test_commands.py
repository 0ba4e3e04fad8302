"""What commands say to people: plain lines plain, a bar at a terminal and nowhere else."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from grounding.interchange.bundle import open_bundle
from labeling.commands import FAILED, Command, bar
from tests.calibration.bundles.bundle_fixtures import plain_case, write


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


class Speaking(Command):
    def run(self, **options: Any) -> dict[str, Any]:
        self.say("all is well")
        self.show(1, 4, "judged")
        self.show(4, 4, "judged", last=True)
        self.exit_code = options["code"]
        self.say("and now")
        return {}


def spoken(code: int = 0, stream: StringIO | None = None) -> str:
    stream = stream or Terminal()
    command = Speaking(stderr=stream, force_color=True)
    command.run(code=code)
    return stream.getvalue()


def test_an_ordinary_line_has_no_colour_on_a_terminal() -> None:
    first, *_, last = spoken().splitlines()
    assert (first, last) == ("all is well", "and now")


def test_what_went_wrong_has_one() -> None:
    assert "\x1b[" in spoken(FAILED).splitlines()[-1]


def test_the_bar_is_one_line_written_over_and_ends_with_all_of_it() -> None:
    said = spoken()
    assert "\r███████░" in said
    assert said.count("\r") == 2
    assert f"\r{'█' * 30} 4 of 4 judged\x1b[K\n" in said


def test_without_a_terminal_there_is_no_bar() -> None:
    assert spoken(stream=StringIO()).splitlines()[0] == "all is well"
    assert "█" not in spoken(stream=StringIO())


def test_a_bar_is_full_only_when_all_is_done() -> None:
    assert bar(0, 0) == "█" * 30
    assert bar(999_999, 1_000_000).endswith("░")


@pytest.mark.parametrize("count", [100, 450])
def test_a_long_part_tells_how_far_it_is_read(tmp_path: Path, count: int) -> None:
    told: list[tuple[str, int, int]] = []
    with open_bundle(write(tmp_path / "c.jsonl", [plain_case(n) for n in range(count)])) as bundle:
        bundle.watch = lambda *how_far: told.append(how_far)
        assert len(list(bundle.records("cases"))) == count
    expected = [("cases", 200, 450), ("cases", 400, 450), ("cases", 450, 450)]
    assert told == (expected if count == 450 else [])


@pytest.mark.django_db
def test_an_import_at_a_terminal_draws_its_bar(tmp_path: Path) -> None:
    path = write(tmp_path / "c.jsonl", [plain_case(number) for number in range(250)])
    out, err = StringIO(), Terminal()
    call_command("import_set", "lamps", path, "--json", stdout=out, stderr=err)
    assert f"\r{'█' * 30} 250 of 250 cases read" in err.getvalue()
    assert out.getvalue().count("\n") == 1
