"""Where on the form an error stands that names a path of the record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

Errors = Mapping[str, str]
"""Messages by the name of the field, row or list that they are about."""


def placed_among(errors: Errors, names: set[str]) -> tuple[dict[str, str], list[str]]:
    """Each error at its field, or at the nearest row or list above; the rest apart."""
    placed: dict[str, str] = {}
    loose: list[str] = []
    for name, message in errors.items():
        found = next((one for one in _upward(name) if one in names), None)
        if found is None:
            loose.append(message)
        else:
            placed[found] = message
    return placed, loose


def _upward(name: str) -> Iterator[str]:
    """``a.tags.3``, ``a.tags``, ``a``. A quote's end is typed as its start."""
    if name.endswith(".end"):
        name = name.removesuffix("end") + "start"
    parts = name.split(".")
    yield from (".".join(parts[:count]) for count in range(len(parts), 0, -1))
