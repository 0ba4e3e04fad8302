"""What can go wrong, as one small tree.

::

    AssizeError
    ├── BadInput              what was given cannot be read or breaks a rule
    │   └── ContractViolation     class, verdict or evidence that the contract forbids
    ├── Refused               understood, but not allowed in the present state
    │   └── VersionRefused        a rubric version whose bump is too small, or that changed
    ├── NotFound              no such set, case, run, rubric version
    └── Unavailable           a server or worker that is needed is away

Each carries attributes; ``str(error)`` is one line for people. The mapping to
HTTP statuses stands in ``labeling.web.responses`` alone, the mapping to exit codes
in ``labeling.commands`` alone.
"""

from __future__ import annotations

from collections.abc import Sequence


class AssizeError(Exception):
    """Root of everything this product raises on purpose."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    def __str__(self) -> str:
        return self.message


class BadInput(AssizeError):
    """Input that cannot be accepted, with where it stands.

    ``source`` is a file name (or None), ``line`` counts from 1 (or None) and
    ``field`` is a dotted path such as ``statements.0.span`` (or None).
    """

    def __init__(
        self,
        message: str,
        *,
        source: str | None = None,
        line: int | None = None,
        field: str | None = None,
    ) -> None:
        super().__init__(message)
        self.source = source
        self.line = line
        self.field = field

    def at(self, *, source: str | None = None, line: int | None = None) -> BadInput:
        """The same error, with the place that an outer reader knows filled in."""
        self.source = self.source or source
        self.line = self.line or line
        return self

    def __str__(self) -> str:
        place = [self.source] if self.source else []
        place += [f"line {self.line}"] if self.line else []
        place += [self.field] if self.field else []
        return ": ".join([", ".join(place), self.message]) if place else self.message


class ContractViolation(BadInput):
    """A class, verdict or evidence that the contract forbids; ``field`` names it."""


class Refused(AssizeError):
    """A request that was understood and is not allowed in the present state."""


class VersionRefused(Refused):
    """A rubric version that may not be released; ``reason`` says why, ``fields`` are the paths
    that moved."""

    def __init__(self, reason: str, *, fields: Sequence[str] = ()) -> None:
        super().__init__(f"{reason}: {_listed(fields)}" if fields else reason)
        self.reason = reason
        self.fields = tuple(fields)


class NotFound(AssizeError):
    """Nothing of that name exists, or not for this user."""


class Unavailable(AssizeError):
    """A server or worker that is needed is away."""


def _listed(fields: Sequence[str], most: int = 8) -> str:
    listed = ", ".join(fields[:most])
    return f"{listed} and {len(fields) - most} more" if len(fields) > most else listed
