"""Wordings that mark a cause, a reason, or a number that is not meant exactly."""

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

ABOUT: Final = (
    "about|around|approximately|roughly|some|circa|an estimated|close to"
    "|etwa|rund|ungefähr|environ|unos|unas|aproximadamente|около|примерно|περίπου|حوالي|نحو|लगभग"
)
"""Before a number: it is rounded, up or down. Alternatives of a regular expression."""
NEARLY: Final = "nearly|almost"
"""Before a number: it is rounded up."""
AT_LEAST: Final = (
    "at least|no (?:fewer|less) than|more than|over|above|upwards of|as many as"
    "|as much as|exceeding|a minimum of"
)
AT_MOST: Final = (
    "up to|at most|no more than|(?:fewer|less) than|under|below|as few as|as little as|a maximum of"
)
"""Before a number: it is a bound."""
