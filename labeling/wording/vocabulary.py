"""The words of the vocabulary as people read them."""

from __future__ import annotations


def words(value: str | None) -> str:
    """``subject_specific`` → subject-specific."""
    spelled = {"subject_specific": "subject-specific"}
    return spelled.get(value or "", (value or "").replace("_", " "))
