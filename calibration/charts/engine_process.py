"""The process that draws: a Vega-Lite specification a line in, SVG a line out, both in JSON.

Run by its path, not imported: it needs nothing of the app, and the app must not hold its 60 MB.
Ends when standard input does, or after minutes without work.
"""

from __future__ import annotations

import json
import select
import sys
from typing import Any

import vl_convert

IDLE_SECONDS = 300


def main() -> None:
    # The first drawing takes a second. It is over with before anybody waits for one.
    _svg({"data": {"values": []}, "mark": "point"})
    while select.select([sys.stdin], [], [], IDLE_SECONDS)[0]:
        line = sys.stdin.readline()
        if not line:
            return
        print(json.dumps(_answer(json.loads(line))), flush=True)


def _answer(spec: dict[str, Any]) -> dict[str, str]:
    try:
        return {"svg": _svg(spec)}
    except Exception as error:  # whatever the engine says is told to who asked
        return {"error": str(error)[:500]}


def _svg(spec: dict[str, Any]) -> str:
    # Nothing may be fetched: no address is allowed.
    return vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])


if __name__ == "__main__":
    main()
