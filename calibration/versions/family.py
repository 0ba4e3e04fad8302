"""The versions of a rubric that ran on a set, one labelling scope after another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Final

from calibration.models import FINISHED, RubricVersion, Run
from calibration.rubrics.scopes import Scopes, between
from calibration.runs import counting
from labeling.models import CalibrationSet

MOST_VERSIONS: Final = 30
"""On the line of one scope: its baseline's version and the latest. The rest are counted."""
MOST_POINTS: Final = 2 * MOST_VERSIONS
"""Each version by its latest run, and at worst each with a baseline of its own before it."""
MOST_RUNS: Final = 10
"""Complete runs of one version that are read, the latest."""

_SEMVER: Final = re.compile(r"(\d{1,9})\.(\d{1,9})\.(\d{1,9})(.*)", re.DOTALL | re.ASCII)


@dataclass(frozen=True)
class Version:
    """A version with its finished runs on the set, each in the order in which they ended."""

    version: RubricVersion
    complete: Sequence[Run]
    partial: Sequence[Run]

    @property
    def runs(self) -> Sequence[Run]:
        """The complete ones that are read."""
        return self.complete[-MOST_RUNS:]

    @property
    def latest(self) -> Run:
        """The complete run that stands for the version."""
        return self.complete[-1]


@dataclass(frozen=True)
class Point:
    """A run on the line of its scope: its version's latest complete one, or a baseline that was
    run again since, without which the line would hide what the later runs are read against."""

    version: Version
    run: Run

    @property
    def latest(self) -> bool:
        return self.run.pk == self.version.latest.pk


@dataclass(frozen=True)
class Block:
    """Versions that may be compared, in the order of their numbers.

    ``apart`` is how they stand to the block before: why the two are not comparable.
    """

    versions: Sequence[Version]
    before: Block | None = None

    @property
    def first(self) -> RubricVersion:
        return self.versions[0].version

    @property
    def recorded(self) -> bool:
        return self.first.recorded

    @cached_property
    def apart(self) -> Scopes | None:
        return None if self.before is None else between(self.before.latest, self.first)

    @property
    def latest(self) -> RubricVersion:
        return self.versions[-1].version

    @cached_property
    def line(self) -> Sequence[Version]:
        """The versions with a complete run; of very many the one with the baseline and the
        latest."""
        found = [one for one in self.versions if one.complete]
        if len(found) <= MOST_VERSIONS:
            return found
        origin = next(one for one in found if self.origin in one.complete)
        rest = [one for one in found if one is not origin]
        return [origin, *rest[-(MOST_VERSIONS - 1) :]]

    @cached_property
    def points(self) -> Sequence[Point]:
        """Each version of the line by its latest complete run, before the first that is read
        against it each baseline that is no version's latest."""
        standing = {one.latest for one in self.line}
        found: dict[Run, Point] = {}
        for one in self.line:
            baseline = self.against(one.version)
            if baseline is not None and baseline not in standing:
                found.setdefault(baseline, Point(self._ran(baseline), baseline))
            found[one.latest] = Point(one, one.latest)
        return list(found.values())

    def _ran(self, run: Run) -> Version:
        return next(one for one in self.versions if run in one.complete)

    @property
    def left_off(self) -> int:
        standing = {one.version.version for one in self.points}
        return sum(bool(one.complete) for one in self.versions) - len(standing)

    @cached_property
    def origin(self) -> Run | None:
        """The first complete run of all."""
        runs = [run for one in self.versions for run in one.complete]
        return min(runs, key=_ended, default=None)

    def against(self, version: RubricVersion) -> Run | None:
        """What the version's runs are read against: the baseline of its major version, or, of
        what was recorded elsewhere and has no major version, the first complete run."""
        if version.recorded:
            return self.origin
        line = [one for one in self.versions if one.version.major == version.major]
        return min((run for one in line for run in one.complete), key=_ended, default=None)


def blocks(name: str, calibration_set: CalibrationSet) -> list[Block]:
    """None where no version of the name has a finished run on the set. Three queries."""
    found: list[Block] = []
    for _, versions in groupby(
        _versions(name, calibration_set), key=lambda one: _scope(one.version)
    ):
        found.append(Block(list(versions), found[-1] if found else None))
    return found


def not_run(name: str, calibration_set: CalibrationSet) -> list[RubricVersion]:
    """Released versions without a finished run on the set."""
    ran = Run.objects.filter(FINISHED, set=calibration_set).values("rubric_version")
    released = RubricVersion.objects.filter(name=name, recorded=False).exclude(pk__in=ran)
    return list(released.defer("definition"))


def _versions(name: str, calibration_set: CalibrationSet) -> list[Version]:
    """Those of one scope beside each other, scopes by their first version."""
    runs = Run.objects.filter(FINISHED, set=calibration_set, rubric_version__name=name)
    with_version = runs.select_related("rubric_version", "set").defer("rubric_version__definition")
    complete = counting.complete(list(with_version.order_by("finished_at", "pk")))
    by_version: dict[RubricVersion, list[Run]] = {}
    for run in complete:
        by_version.setdefault(run.rubric_version, []).append(run)
    found = [
        Version(
            version,
            [run for run in runs_of if complete[run]],
            [run for run in runs_of if not complete[run]],
        )
        for version, runs_of in sorted(by_version.items(), key=lambda item: order(item[0]))
    ]
    scopes = {scope: at for at, scope in reversed(list(enumerate(map(_scope_of, found))))}
    return sorted(found, key=lambda one: scopes[_scope_of(one)])


def order(version: RubricVersion) -> tuple[bool, tuple[int, ...], str]:
    """By number as semver reads it, a recorded version too; what is no number comes last."""
    stated = _SEMVER.match(version.version)
    if stated is None:
        return True, (), version.version
    # A pre-release stands below its release.
    parts = tuple(map(int, stated.groups()[:3]))
    return False, (*parts, not stated[4].startswith("-")), stated[4]


def _scope(version: RubricVersion) -> str | None:
    """Recorded versions state none, and stand together."""
    return version.scope_digest


def _scope_of(one: Version) -> str | None:
    return _scope(one.version)


def _ended(run: Run) -> tuple[float, int]:
    ended = run.finished_at
    return (ended.timestamp() if ended else 0.0, run.pk)


def measuring(found: Sequence[Block]) -> Iterator[Run]:
    """Every complete run that is read."""
    for block in found:
        for one in block.line:
            yield from one.runs
        yield from _baselines(block)


def _baselines(block: Block) -> Iterator[Run]:
    yield from filter(None, (block.against(one.version) for one in block.line))
