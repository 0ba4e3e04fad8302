"""What a probe moved: its verdicts beside those of a run of the same version that was told the
cases as they are, statement by statement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np

from calibration import runs
from calibration.models import ENDED, Judgment, RubricVersion, Run
from calibration.stats.paired_clusters import sign_flip
from calibration.stats.rates import clustered_rate
from grounding.contract import FAILING, Verdict
from labeling.models import CalibrationSet

LENIENT, STRICT, OTHER = "lenient", "strict", "other"
SAME, INCOMPLETE = "same", "incomplete"
MOVED, COMPARED = "moved", "compared"
MOVES: Final = (LENIENT, STRICT, OTHER)
"""``lenient``: unsupported or contradictory before, supported now. ``strict``: the reverse.
``other``: any other verdict than before."""

_LISTED: Final[Mapping[str, Sequence[str]]] = {
    **{name: [name] for name in (*MOVES, SAME, INCOMPLETE)},
    MOVED: MOVES,
    COMPARED: [*MOVES, SAME],
}
FILTERS: Final[Mapping[str, Sequence[str]]] = {"move": list(_LISTED)}

_SUPPORTED: Final = Verdict.SUPPORTED.value
_NOTHING: Final = "no statement was graded both as it is and told otherwise"


@dataclass(frozen=True)
class Beside:
    """A probe's judgment and the plain one, None where there is none."""

    probed: Judgment
    plain: Judgment | None
    move: str


def latest(version: RubricVersion, calibration_set: CalibrationSet, kind: str) -> Run | None:
    """The probe of this kind that ended last; where none did, the one that was started last and
    not cancelled."""
    probes = Run.objects.filter(rubric_version=version, set=calibration_set, probe__kind=kind)
    probes = probes.select_related("rubric_version", "set")
    ended = probes.filter(ENDED).order_by("-finished_at", "-pk").first()
    return ended or probes.filter(cancelled_at__isnull=True).order_by("-pk").first()


def figures(probe: Run, plain: Run) -> dict[str, Any]:
    """``moved``: of statements graded in both runs, those whose verdict differs. ``test`` asks
    whether lenient moves and strict ones are as likely, exactly, with pairs (else cases) as
    wholes.

    ``planned = n of moved + incomplete``; a failure in either run is ``incomplete``.
    """
    found = _moves(probe, plain)
    moves = np.array([one.move for one in found], dtype=np.str_)
    clusters = np.array([one.cluster for one in found], dtype=np.str_)
    compared = moves != INCOMPLETE
    moved = clustered_rate((moves != SAME)[compared], clusters[compared], reason=_NOTHING)
    test = sign_flip(moves == LENIENT, moves == STRICT, clusters, alternative="two-sided")
    return {
        "moved": moved.as_json(),
        **{name: int((moves == name).sum()) for name in (*MOVES, INCOMPLETE)},
        "planned": len(moves),
        "test": {"p": test.p, "n": test.n, "reason": test.reason},
    }


class MoveList:
    """The statements that a number of `figures` counts, as a paginator wants them."""

    def __init__(self, probe: Run, plain: Run, move: str | None) -> None:
        self._probe, self._plain = probe, plain
        self._wanted = _LISTED[move] if move else None

    def count(self) -> int:
        return len(self._found)

    def __getitem__(self, part: slice) -> list[Beside]:
        shown = self._found[part]
        pks = [pk for one in shown for pk in (one.probed, one.plain) if pk is not None]
        rows = Judgment.objects.filter(pk__in=pks).select_related("statement__case")
        full = {row.pk: row for row in rows}
        return [
            Beside(full[one.probed], full[one.plain] if one.plain is not None else None, one.move)
            for one in shown
        ]

    @cached_property
    def _found(self) -> list[_Move]:
        moves = _moves(self._probe, self._plain)
        return [one for one in moves if self._wanted is None or one.move in self._wanted]


def plain_of(probe: Run) -> Run | None:
    """The run that a probe is read beside: the latest of its version on its set that measures."""
    return runs.latest_finished(probe.rubric_version, probe.set)


class _Move(NamedTuple):
    """The two judgments of one planned statement, what moved, and what it stands and falls with."""

    probed: int
    plain: int | None
    move: str
    cluster: str


def _moves(probe: Run, plain: Run) -> list[_Move]:
    """Of repeat 0, in the order of the probe's plan."""
    fields = ("statement_id", "pk", "verdict")
    before = {
        statement: (pk, verdict)
        for statement, pk, verdict in plain.judgments.filter(repeat=0).values_list(*fields)
    }
    rows = probe.judgments.filter(repeat=0).order_by("pk")
    clustered = rows.values_list(*fields, "case_pk", "statement__case__pair_id")
    found = []
    for statement, pk, verdict, case_pk, pair_id in clustered.iterator(chunk_size=10_000):
        plain_pk, plain_verdict = before.get(statement, (None, None))
        cluster = f"case {case_pk}" if pair_id is None else f"pair {pair_id}"
        found.append(_Move(pk, plain_pk, move_of(plain_verdict, verdict), cluster))
    return found


def move_of(before: str | None, now: str | None) -> str:
    """What became of a verdict; a judgment without one, a failure, is no verdict that held."""
    if before is None or now is None:
        return INCOMPLETE
    if before == now:
        return SAME
    if before in FAILING and now == _SUPPORTED:
        return LENIENT
    if before == _SUPPORTED and now in FAILING:
        return STRICT
    return OTHER
