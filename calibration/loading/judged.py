"""The judgments of a run's round, in columns.

Nothing of a finished round ever changes, so what its judgments come to as numbers is read out of
their rows once, by the worker that finished it or else by whoever asks first, and kept in a sheet
(`RoundSheet`). A sheet may be deleted at any time: it is made again while its round is the latest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import compress
from typing import Any, Final, NamedTuple

import numpy as np
from django.db import transaction
from django.db.models import Q

from calibration.agreement.columns import (
    CLAIM_TYPES,
    CLASSES,
    OUTCOMES,
    SPEECH_ACTS,
    VERDICTS,
    Codes,
    codebook,
)
from calibration.agreement.confidences import Confidences
from calibration.models import ENDED, RoundSheet, Run
from calibration.runs import counting
from grounding.errors import Refused
from grounding.interchange.models import Outcome
from labeling.columns.arrays import Packed, pack
from labeling.columns.cited import Cited
from labeling.columns.numbers import code_of, documents, numbers, places_of, truth_of
from labeling.references import cited_by_labels, stood
from labeling.references.stood import Stood

FORMAT: Final = 1
"""Raised whenever a sheet is to hold something else; those of another format are not read."""

_COLUMNS: Final = (
    "statement_id",
    "pk",
    code_of("outcome", OUTCOMES),
    code_of("claim_class", CLASSES),
    code_of("verdict", VERDICTS),
    code_of("claim_type", CLAIM_TYPES),
    code_of("speech_act", SPEECH_ACTS),
    truth_of("without_evidence"),
)


class Rows(NamedTuple):
    """The judgments of repeat 0 in the set's order, a column a field: which statement of the
    revision each is of, primary keys, and places in the contract's vocabularies."""

    place: Codes
    pk: Codes
    outcome: Codes
    claim_class: Codes
    verdict: Codes
    claim_type: Codes
    speech_act: Codes
    without_evidence: Codes


class Judged:
    """What `Rows` hold, and what stands beside them."""

    def __init__(self, sheet: Packed, told: Mapping[str, Any]) -> None:
        self._sheet, self._told = sheet, told

    @cached_property
    def rows(self) -> Rows:
        return Rows(*map(self._sheet.codes, Rows._fields))

    @cached_property
    def confidence(self) -> Confidences:
        """How sure the judge says it is of each, nan where it does not say."""
        return self._sheet.floats("confidence")

    @cached_property
    def cited(self) -> Cited:
        """What the graded ones cite, by row."""
        return Cited.unpacked(self._sheet)

    @property
    def premises(self) -> Mapping[int, Sequence[int]]:
        """The verdicts of what the judge split off, for the few rows where it did."""
        return dict(self._told["premises"])

    @property
    def outcomes(self) -> Mapping[str, int]:
        """Of all repeats, as `counting.outcomes` has them."""
        outcomes: Mapping[str, int] = self._told["outcomes"]
        return outcomes

    @property
    def judge_models(self) -> list[str]:
        """Of repeat 0, as `counting.judge_models` names them."""
        return list(self._told["judge_models"])


def of(run: Run, held: Stood | None = None) -> Judged:
    """One query where it is kept. ``held`` is the set as it stood, where that is at hand.

    Refused where the run is judged again just now, so that its round is over.
    """
    key = {"run": run, "round": run.round, "format": FORMAT}
    kept = RoundSheet.objects.filter(**key).values_list("columns", "told").first()
    if kept is None:
        kept = _made(run, held or stood.of(run.set_id, run.revision))
        if run.finished_at is not None:
            _keep(run, dict(zip(("columns", "told"), kept, strict=True)), key)
    columns, told = kept
    return Judged(Packed(columns), told)


def keep(run_pk: int) -> None:
    """Put the judgments of a run that was just finished in columns, and what its set's labels
    cite, so that nobody waits for it who asks for a report."""
    run = Run.objects.select_related("set").get(pk=run_pk)
    of(run)
    cited_by_labels.keep(run.set)


def _keep(run: Run, made: Mapping[str, Any], key: Mapping[str, Any]) -> None:
    """Only what was read while the round was the latest, and over."""
    with transaction.atomic():
        held = Run.objects.select_for_update(no_key=True, of=("self",))
        if held.filter(ENDED, pk=run.pk, round=run.round).first() is None:
            raise Refused(f"run {run.pk} is being judged again")
        RoundSheet.objects.get_or_create(**key, defaults=made)


def _made(run: Run, held: Stood) -> tuple[bytes, dict[str, Any]]:
    first = run.judgments.filter(repeat=0)
    statement, *columns = numbers(first, *_COLUMNS)
    place = places_of(held.statements, statement)
    order = np.argsort(place)
    rows = Rows(place[order], *(column[order] for column in columns))
    cites = first.filter(outcome=Outcome.GRADED.value).exclude(evidence=[])
    pks, evidence = documents(cites, "pk", "evidence")
    cited = Cited.of(places_of(rows.pk, np.array(pks, dtype=np.int64)), evidence)
    confidence, premises = _beside(run, rows)
    told = {
        "outcomes": counting.outcomes(run),
        "judge_models": counting.judge_models(run, repeat=0),
        "premises": premises,
    }
    packed = pack({**rows._asdict(), "confidence": confidence, **cited.columns()}, cited.words())
    return packed, told


def _beside(run: Run, rows: Rows) -> tuple[Confidences, list[tuple[int, list[int]]]]:
    """What few judgments state beside their answer."""
    told = run.judgments.filter(Q(confidence__isnull=False) | ~Q(premises=[]), repeat=0)
    pks, sure, premises = documents(told, "pk", "confidence", "premises")
    places = places_of(rows.pk, np.array(pks, dtype=np.int64))
    confidence = np.full(rows.pk.size, np.nan)
    confidence[places] = np.array(sure, dtype=np.float64)
    graded = rows.outcome[places] == OUTCOMES.index(Outcome.GRADED)
    each = zip(places[graded].tolist(), compress(premises, graded.tolist()), strict=True)
    return confidence, [(row, _verdicts(split)) for row, split in each if split]


def _verdicts(premises: Sequence[Mapping[str, Any]]) -> list[int]:
    return [_VERDICT[one["verdict"]] for one in premises if one["verdict"]]


_VERDICT: Final = codebook(VERDICTS)
