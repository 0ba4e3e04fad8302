"""Numbers as someone typed them, on a page or behind a command: read, or refused by their field."""

from __future__ import annotations

import re
from typing import Final

from grounding.errors import BadInput

_WHOLE: Final = re.compile(r"[0-9]{1,19}")
_DECIMAL: Final = re.compile(r"[0-9]{1,15}(\.[0-9]{1,15})?|\.[0-9]{1,15}")


def whole(text: str, field: str, *, least: int = 0, most: int) -> int:
    """A whole number of that range; BadInput with the field for all else, signs and NaN too."""
    stripped = text.strip()
    if not _WHOLE.fullmatch(stripped) or not least <= int(stripped) <= most:
        raise BadInput(f"takes a whole number from {least:,} to {most:,}", field=field)
    return int(stripped)


def decimal(text: str, field: str, *, least: float, most: float) -> float:
    """A plain decimal number of that range, without exponent; BadInput with the field else."""
    stripped = text.strip()
    if not _DECIMAL.fullmatch(stripped) or not least <= float(stripped) <= most:
        raise BadInput(f"takes a number from {least:,g} to {most:,g}, such as 0.5", field=field)
    return float(stripped)
