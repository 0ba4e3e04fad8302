"""The report page on 100,000 judgments, beside the page of the rubric versions.

Recorded judgments on 50,000 cases of two statements; the first view freezes the report,
the next ones are what is timed. The number of queries is counted at a tenth of the size too.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from benchmarks import cases, scratch

STATEMENTS = 100_000
ALLOWED_MS = 300
CELL = "human_verdict=supported&judge_verdict=supported"


def main() -> None:
    scratch.set_up()
    small = _measured("small", STATEMENTS // 10)
    large = _measured("large", STATEMENTS)
    print(f"report of {STATEMENTS:,} judgments: frozen in {large['frozen']:.2f} s")
    print(f"  page after the first view: {large['page']:.0f} ms median (allowed: {ALLOWED_MS})")
    print(f"  a list behind a cell of its confusion: {large['list']:.0f} ms median")
    print(f"  floor, the list of rubric versions by the same client: {large['floor']:.0f} ms")
    print(f"  queries: {small['queries']} at {STATEMENTS // 10:,}, {large['queries']} at full size")


def _measured(slug: str, statements: int) -> dict[str, Any]:
    from django.test import Client

    from calibration import bundles, reports
    from calibration.bundles import recorded
    from labeling import sets
    from labeling.models import Role
    from labeling.people import accounts

    file = cases.write(scratch.FOLDER / f"{slug}.jsonl", statements // 2)
    bundles.import_set(slug, file)
    held = sets.get(slug)
    judgments = _write_judgments(scratch.FOLDER / f"{slug}-judgments.jsonl", statements // 2)
    with judgments.open("rb") as stream:
        run = recorded.import_judgments(held, stream, source=judgments.name).run
    started = time.perf_counter()
    report = reports.create(run)
    frozen = time.perf_counter() - started
    user, _ = accounts.create(f"lead-of-{slug}")
    accounts.join(held, user, Role.LEAD)
    client = Client(headers={"host": "localhost"})
    client.force_login(user)
    page = f"/sets/{slug}/reports/{report.pk}/"
    return {
        "frozen": frozen,
        "queries": _queries(client, page),
        "page": scratch.median_ms(client, page),
        "list": scratch.median_ms(client, f"{page}statements/?{CELL}"),
        "floor": scratch.median_ms(client, "/rubrics/"),
    }


def _write_judgments(path: Path, count: int) -> Path:
    """Every third verdict passes what the author calls unsupported, or refuses the rest."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(count * 2):
            verdict = ("supported", "unsupported", "contradictory")[number % 3]
            record = {
                "rubric": "generated",
                "version": "1.0.0",
                "case_id": f"case-{number // 2:06}",
                "statement_id": f"s{number % 2 + 1}",
                "outcome": "graded",
                "claim_class": "subject_specific",
                "verdict": verdict,
            }
            file.write(json.dumps(record) + "\n")
    return path


def _queries(client: Any, page: str) -> int:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    client.get(page)
    with CaptureQueriesContext(connection) as captured:
        assert client.get(page).status_code == 200
    return len(captured)


if __name__ == "__main__":
    main()
