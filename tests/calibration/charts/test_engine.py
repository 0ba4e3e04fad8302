"""The process that draws: started when needed, replaced when it dies, ended when it hangs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from calibration.charts.engine import Engine, NotDrawn

SPEC = {"data": {"values": []}, "mark": "point"}


@pytest.fixture
def engine():
    engine = Engine()
    yield engine
    engine.stop()


def test_it_is_started_when_something_is_drawn_and_serves_what_follows(engine):
    assert engine._process is None
    assert engine.svg(SPEC).startswith("<svg")
    first = engine._process.pid
    assert engine.svg(SPEC).startswith("<svg")
    assert engine._process.pid == first


def test_one_that_was_killed_is_replaced(engine):
    engine.svg(SPEC)
    os.kill(engine._process.pid, signal.SIGKILL)
    assert engine.svg(SPEC).startswith("<svg")


def test_what_is_drawn_ahead_is_there_when_it_is_asked_for_and_once(engine, monkeypatch):
    engine.ahead([SPEC, {"mark": "no such mark"}]).join()
    ask = engine._asked
    asked = []
    monkeypatch.setattr(engine, "_asked", lambda line: asked.append(line) or ask(line))
    assert engine.svg(SPEC).startswith("<svg")
    with pytest.raises(NotDrawn, match="conversion failed"):
        engine.svg({"mark": "no such mark"})
    assert asked == []
    assert engine.svg(SPEC).startswith("<svg")
    assert len(asked) == 1


def test_what_nobody_came_for_is_not_kept_for_ever(engine, monkeypatch):
    monkeypatch.setattr("calibration.charts.engine._AHEAD", 2)
    engine.ahead([{**SPEC, "title": str(number)} for number in range(4)]).join()
    assert [json.loads(line)["title"] for line in engine._answers] == ["2", "3"]


def test_what_could_not_be_drawn_ahead_is_drawn_by_whoever_asks(engine, monkeypatch):
    def fail(line):
        raise NotDrawn("not just now")

    with monkeypatch.context() as patch:
        patch.setattr(engine, "_asked", fail)
        engine.ahead([SPEC]).join()
    assert engine.svg(SPEC).startswith("<svg")


def test_what_the_engine_says_of_a_bad_specification_is_told(engine):
    with pytest.raises(NotDrawn, match="conversion failed"):
        engine.svg({"mark": "no such mark"})
    assert engine.svg(SPEC).startswith("<svg")


def test_nothing_is_fetched(engine):
    with pytest.raises(NotDrawn, match="not allowed"):
        engine.svg(
            {
                "data": {"url": "http://127.0.0.1:9/"},
                "mark": "point",
                "encoding": {"x": {"field": "a"}},
            }
        )


def test_one_that_says_nothing_is_killed_in_time(tmp_path):
    program = tmp_path / "silent.py"
    program.write_text("import time\ntime.sleep(60)\n")
    engine = Engine(program, seconds=0.5)
    began = time.monotonic()
    with pytest.raises(NotDrawn, match="not drawn within"):
        engine.svg(SPEC)
    assert time.monotonic() - began < 10
    assert engine._process is None


def test_one_that_ends_at_once_is_asked_twice_and_given_up(tmp_path):
    program = tmp_path / "ending.py"
    program.write_text("")
    with pytest.raises(NotDrawn, match="ended without an answer"):
        Engine(program).svg(SPEC)


def test_it_ends_with_the_process_that_started_it():
    program = (
        "from calibration.charts.engine import Engine\n"
        "import os\n"
        "engine = Engine(); engine.svg({'data': {'values': []}, 'mark': 'point'})\n"
        "print(engine._process.pid, flush=True); os._exit(9)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ran.returncode == 9
    _gone(int(ran.stdout))


def _gone(pid: int) -> None:
    for _ in range(100):
        try:
            with open(f"/proc/{pid}/stat") as stat:
                if stat.read().rsplit(")", 1)[1].split()[0] == "Z":
                    return
        except FileNotFoundError:
            return
        time.sleep(0.1)
    raise AssertionError(f"{pid} is still there")
