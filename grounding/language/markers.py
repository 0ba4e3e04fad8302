"""Wordings that mark a cause or a reason."""

from __future__ import annotations

import re
from typing import Final

FORWARD: Final = re.compile(
    r"\b(?:caus(?:e|es|ed|ing)|led to|leads to|results? in|resulted in|triggered|brought about)\b",
    re.IGNORECASE,
)
"""What stands before it is the cause of what stands behind."""
BACKWARD: Final = re.compile(
    r"\b(?:because(?: of)?|due to|caused by|owing to|thanks to|as a result of|triggered by)\b",
    re.IGNORECASE,
)
"""What stands behind it is the cause of what stands before."""
REASON: Final = re.compile(
    r"\b(?:because|since|given that|as long as|now that)\s+(?P<premise>[^,;.!?]+)", re.IGNORECASE
)
"""A reason given in passing, up to the next mark."""
