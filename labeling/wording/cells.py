"""Values as cells of flat tables.

A spreadsheet runs a cell that begins with certain characters as a formula. In CSV such
cells get an apostrophe in front, there and nowhere else; Parquet and JSON stay as they are.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

# With the full-width forms, which some spreadsheets read like the ASCII ones, and
# after white space, which some of them drop.
_RUNS: Final = re.compile(r"[\t\r\n]|\s*[=+\-@＝＋－＠]")


def text(value: Any) -> str:
    """A string as it is, JSON for all else."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def inert(value: Any) -> str:
    """``value`` as a cell that no spreadsheet runs; nothing for None."""
    if value is None:
        return ""
    written = text(value)
    return f"'{written}" if _RUNS.match(written) else written
