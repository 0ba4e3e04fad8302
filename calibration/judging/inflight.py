"""Judging with many cases in flight, for judges that wait for a provider.

The cases are coroutines on the event loop of this process. This thread alone touches the
database: it claims, hands cases to the loop, writes what comes back in batches, renews lease
and permits (also while one call outlasts them), and breaks everything off where the run was
cancelled or the lease lost.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from time import monotonic
from typing import Final
from uuid import uuid4

from django.conf import settings

from calibration import judges
from calibration.calls.calling import Calls
from calibration.judges import grading, providers
from calibration.judges.grading import Grading
from calibration.models import Run
from calibration.runs import claims, probes, results, spending
from calibration.runs.claims import Claim, Result, Row
from calibration.workers import beats, stopping
from calibration.workers.flights import Flights
from grounding.grades import Grade
from grounding.interchange import models as interchange
from grounding.judges.registry import Services
from grounding.rubrics import RubricDefinition

# How long a result may stay unwritten, and a cancelled run unlooked at.
FLUSH_SECONDS: Final = 0.5
# So many results are not left waiting for that.
FLUSH_ROWS: Final = 500

BEAT_SECONDS: Final = 2.0

# A session ends after so long, since brokers hand out a message again that nobody has
# acknowledged for some ten minutes; sooner where another run waits for its turn.
LONGEST_SECONDS: Final = 300.0
TURN_SECONDS: Final = 30.0

# How long calls that are in flight may go on once the worker is asked to stop.
GRACE_SECONDS: Final = 5.0


@dataclass(frozen=True)
class Unit:
    """One case of one repeat: what is in flight as a whole. A ``fresh`` one is answered by
    nothing that was kept."""

    case: interchange.Case
    repeat: int
    rows: tuple[Row, ...]
    fresh: bool


def judge(run: Run, definition: RubricDefinition, worker: str) -> None:
    """Judge the run's waiting rows until none is left to claim, or this one's turn is over.

    Raises Refused where the definition's judge cannot run here.
    """
    if not claims.waits(run.pk):
        return
    session = Session(run, definition, worker)
    try:
        session.go_on()
    finally:
        session.end()


class Session:
    """One worker at one run."""

    def __init__(self, run: Run, definition: RubricDefinition, worker: str) -> None:
        self._run = run
        self._worker = worker
        self._token = uuid4()
        self._flights: Flights[Unit, Sequence[Grade]] = Flights()
        endpoint = providers.endpoint_of(definition)
        self._calls = Calls(run, definition, endpoint, self._flights.call) if endpoint else None
        self._work = {fresh: self._grading(definition, fresh=fresh) for fresh in (False, True)}
        self._ready: deque[Unit] = deque()
        self._found: list[Result] = []
        self._suspects = False
        self._exhausted = False
        self._began = self._flushed = self._renewed = self._shown = monotonic()

    def go_on(self) -> None:
        self._renew_permits()
        self._launch()
        while self._flights or self._ready:
            self._collect()
            if self._due() and not self._flush():
                return
            if self._calls is not None and self._calls.due:
                self._renew_permits()
            if stopping.asked():
                self._wind_up(monotonic() + GRACE_SECONDS)
                return
            self._launch()

    def end(self) -> None:
        """Nothing of this session's stays in flight, unwritten or claimed."""
        self._flights.break_off()
        try:
            self._write()
            claims.release(self._token)
        finally:
            if self._calls is not None:
                self._calls.close()
        if self._calls is not None and self._calls.refused is not None:
            spending.close(self._run, self._calls.refused)

    def _grading(self, definition: RubricDefinition, *, fresh: bool) -> Grading:
        calls = self._calls
        services = calls.services(fresh=fresh) if calls is not None else Services(fresh=fresh)
        judge = judges.create(definition, services)
        sources = grading.sources_of(self._run.set)
        return Grading(definition, judge, sources, of=f"run {self._run.pk}")

    def _launch(self) -> None:
        """Keep so many cases on the loop that its slots are never without one."""
        while len(self._flights) < self._wanted():
            if not self._ready and not self._claim():
                return
            unit = self._ready.popleft()
            self._flights.launch(unit, self._work[unit.fresh].agrade(unit.case, unit.repeat))

    def _wanted(self) -> int:
        """As many again as there are slots: what lands is replaced before anybody looks."""
        slots = self._calls.held if self._calls is not None else settings.JUDGE_CONCURRENCY
        return 2 * max(1, slots)

    def _claim(self) -> bool:
        """More cases, where there are any. Those under suspicion come when nothing else is in
        flight, and nothing comes beside them."""
        alone = not self._flights
        if not alone and (self._exhausted or self._suspects):
            return False
        if self._over():
            return False
        claim = claims.claim(
            self._run.pk,
            cases=self._wanted(),
            token=self._token,
            suspects=alone,
        )
        self._suspects = claim is not None and claim.suspect
        self._exhausted = claim is None
        self._ready.extend(_units(claim) if claim else ())
        return bool(self._ready)

    def _over(self) -> bool:
        """Whether it is for another session, or for none, to claim what is left."""
        if stopping.asked() or (self._calls is not None and self._calls.refused is not None):
            return True
        seconds = monotonic() - self._began
        return seconds > LONGEST_SECONDS or (
            seconds > TURN_SECONDS and claims.others_wait(self._run.pk)
        )

    def _collect(self) -> None:
        """Wait for what lands until there is something to do about it."""
        seconds = max(0.0, self._flushed + FLUSH_SECONDS - monotonic())
        if self._calls is not None:
            seconds = min(seconds, self._calls.patience)
        enough = max(1, self._wanted() // 8)
        for landed in self._flights.landed(seconds, enough=enough):
            self._found += results.of_grades(landed.what.rows, landed.result)
        if self._calls is not None:
            self._calls.look_up()

    def _due(self) -> bool:
        late = monotonic() - self._flushed >= FLUSH_SECONDS
        idle = bool(self._found) and not self._flights
        return late or idle or len(self._found) >= FLUSH_ROWS

    def _flush(self) -> bool:
        """Write what was found; whether there is anything left to do for this session."""
        self._write()
        self._flushed = monotonic()
        if self._flushed - self._shown > BEAT_SECONDS:
            self._shown = self._flushed
            beats.beat(self._worker)
        self._renew_permits()
        # Leases may have run out meanwhile, so there is something to look for again.
        self._exhausted = False
        return self._still_ours()

    def _write(self) -> None:
        if self._calls is not None:
            self._calls.write()
        if self._found:
            claims.record(self._token, self._found)
            if self._calls is not None:
                self._calls.written(self._found)
            self._found = []

    def _renew_permits(self) -> None:
        if self._calls is None:
            return
        self._calls.renew(more_work=bool(self._ready) or not (self._exhausted or self._over()))
        if self._calls.refused is not None:
            # What was not begun is given back, to be told why it is not.
            self._ready.clear()

    def _still_ours(self) -> bool:
        """Renew the lease in good time; false once the run is cancelled or the lease lost."""
        if monotonic() - self._renewed < settings.JUDGMENT_LEASE_SECONDS / 4:
            return claims.goes_on(self._run.pk)
        self._renewed = monotonic()
        outstanding = bool(self._flights or self._ready)
        return bool(claims.renew(self._token)) or not outstanding

    def _wind_up(self, end: float) -> None:
        """What was not begun is given back at once; what is in flight may still land."""
        self._ready.clear()
        while self._flights and monotonic() < end:
            self._collect()
            if self._due() and not self._flush():
                return


def _units(claim: Claim) -> list[Unit]:
    cases = probes.records_of(claim.run, {row.case_pk for row in claim.rows})
    answered = claims.answered_before(claim)
    units = []
    for (case_pk, repeat), group in groupby(claim.rows, lambda row: (row.case_pk, row.repeat)):
        rows = tuple(group)
        fresh = repeat > 0 or any(row.pk in answered for row in rows)
        units.append(Unit(cases[case_pk], repeat, rows, fresh))
    return units
