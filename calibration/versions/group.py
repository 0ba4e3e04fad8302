"""Runs read together on the statements that all of them graded.

A class counts only where the reference and every run state one, so that none is held to more than
the others; with two runs these are the figures of their comparison. A group of one is a run by
itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from calibration.agreement import comparison, selfcheck
from calibration.agreement.columns import CLASSES, NOTHING, VERDICTS, Codes, Columns, Flags
from calibration.agreement.comparison import HEADLINES, NOT_COMPARED, split
from calibration.agreement.selfcheck import Repeats
from calibration.models import Run
from calibration.stats.rates import clustered_rate
from calibration.stats.results import RateJSON
from calibration.versions.book import Book, Held

Figures = dict[str, Any]


@dataclass(frozen=True)
class Group:
    """Runs of versions that may be compared, on one set."""

    book: Book
    runs: Sequence[Run]

    @cached_property
    def held(self) -> Held:
        return self.book.references(self.runs)

    @cached_property
    def asked(self) -> Flags:
        """Statements that any of the runs planned and that have a reference now."""
        planned = np.any([self.book.planned(run) for run in self.runs], axis=0)
        flags: Flags = planned & (self.held.verdict != NOTHING)
        return flags

    @cached_property
    def common(self) -> Flags:
        """Those of them that every run graded."""
        graded = np.all([self.book.graded(run) for run in self.runs], axis=0)
        flags: Flags = self.asked & graded
        return flags

    def lacks(self, run: Run) -> dict[str, int]:
        """Of the statements asked for, those that this run did not grade, and why."""
        return {reason: int(flags.sum()) for reason, flags in self.lacking(run).items()}

    def lacking(self, run: Run) -> Mapping[str, Flags]:
        planned, graded = self.book.planned(run), self.book.graded(run)
        return {"failed": self.asked & planned & ~graded, "not_planned": self.asked & ~planned}

    @cached_property
    def classed(self) -> Flags:
        """Rows on which the reference and every run state a class."""
        stated = [self.book.classes(run) != NOTHING for run in self.runs]
        flags: Flags = np.all(stated, axis=0) & (self.held.claim_class != NOTHING)
        return flags

    def columns(self, run: Run, rows: Flags | Codes | None = None) -> Columns:
        """The run on the common statements, or on other rows, without the classes that another of
        the runs does not state."""
        chosen = self.common if rows is None else rows
        found = self.book.columns(run, self.held, chosen)
        return replace(
            found, judge_class=np.where(self.classed[chosen], found.judge_class, NOTHING)
        )

    def figures(self, run: Run) -> Figures:
        """`HEADLINES`, a class counting only where every run states one."""
        return comparison.headlines(self.columns(run))

    def verdict(self, run: Run) -> RateJSON:
        """The first of `figures` alone."""
        rows = self.columns(run)
        return clustered_rate(rows.verdict_right, rows.cluster, reason=NOT_COMPARED).as_json()

    def cells(self, run: Run) -> list[Figures]:
        """``right`` by class and verdict of the reference: every cell that the contract allows
        and any other that occurs, so that their n add up to that of ``right``."""
        rows = self.columns(run)
        return [
            {
                "claim_class": None if claim_class == NOTHING else CLASSES[claim_class].value,
                "verdict": VERDICTS[verdict].value,
                **clustered_rate(
                    rows.right[inside], rows.cluster[inside], reason=NOT_COMPARED
                ).as_json(),
            }
            for claim_class, verdict, inside in split(rows)
        ]

    def alike(self, *, classes: bool = False) -> tuple[Flags, Flags]:
        """Of the rows that any of the runs planned: whether two of them or more graded it (or,
        of classes, stated one), and whether all that did say the same."""
        said = self.book.classes if classes else self.book.verdicts
        answers = np.stack([said(run)[self.planned] for run in self.runs])
        stated = answers != NOTHING
        most = answers.max(axis=0)
        same: Flags = np.where(stated, answers, most).min(axis=0) == most
        return stated.sum(axis=0) > 1, same

    def steadiness(self, seed: int) -> Figures:
        """How far the runs agree with one another on the statements that any of them planned;
        no reference is needed. The statistic is that of repeats within a run."""
        return selfcheck.self_agreement(self.planned_columns, self.repeats, seed=seed)

    @cached_property
    def planned(self) -> Codes:
        """Rows that any of the runs planned."""
        flags = np.any([self.book.planned(run) for run in self.runs], axis=0)
        return np.flatnonzero(flags).astype(np.int64)

    @property
    def planned_columns(self) -> Columns:
        return self.book.columns(self.runs[0], self.held, self.planned)

    @cached_property
    def repeats(self) -> Repeats:
        """Every graded answer of the runs; rows are places among `planned`."""
        parts = []
        for run in self.runs:
            rows = np.flatnonzero(self.book.graded(run)[self.planned])
            at = self.planned[rows]
            parts.append((rows, self.book.verdicts(run)[at], self.book.classes(run)[at]))
        return Repeats(
            *(np.concatenate(column).astype(np.int64) for column in zip(*parts, strict=True))
        )


def spread(each: Sequence[Figures]) -> Figures:
    """The least and the greatest of each headline rate; null where a run has none."""
    return {name: _range([one[name]["rate"] for one in each]) for name in HEADLINES}


def _range(rates: Sequence[float | None]) -> dict[str, float | None]:
    defined = [rate for rate in rates if rate is not None]
    if not defined:
        return {"min": None, "max": None}
    return {"min": min(defined), "max": max(defined)}
