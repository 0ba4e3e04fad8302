"""A report computed: its figures, and the columns of the lists behind them, stored together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db import IntegrityError, transaction

from calibration import agreement, loading, rubrics
from calibration.agreement import IMPLEMENTATION, Figures, confidences, evidence, tags
from calibration.agreement.rated import packed as packed_ratings
from calibration.loading import Loaded, evidence_rows, selfcheck_rows, tag_rows
from calibration.models import (
    AnswerSheet,
    DisagreementSheet,
    EvidenceSheet,
    PairSheet,
    RatingSheet,
    Report,
    Run,
    Sheet,
)
from calibration.reports import (
    answersheets,
    error_sheets,
    floors,
    looks,
    pair_sheets,
    rating_sheets,
)
from calibration.runs import counting
from grounding.errors import Refused
from labeling import references
from labeling.models import ReferenceSnapshot
from labeling.references.ratings import Ratings
from labeling.references.said import Told

TIERS: Final = (*references.TIERS, references.DISPUTED, references.NONE)

Columns = Mapping[type[Sheet], bytes]


@dataclass(frozen=True)
class Asked:
    """What a report is of: the round of a run, held against frozen references and ratings."""

    run: Run
    frozen: ReferenceSnapshot
    told: Told
    rated: Ratings
    seed: int

    @property
    def key(self) -> dict[str, Any]:
        """By which the report is found again while nothing of this has changed."""
        return {
            "run": self.run,
            "round": self.run.round,
            "snapshot": self.frozen,
            "seed": self.seed,
            "implementation": IMPLEMENTATION,
            "ratings_digest": self.rated.digest,
        }


def existing(asked: Asked) -> Report | None:
    return Report.objects.filter(**asked.key).first()


def compute(asked: Asked, first: Callable[[Figures], None]) -> Report:
    """Refused where nothing was graded. ``first`` is called with the first figures, while the
    others are still to be computed."""
    loaded = loading.load(asked.run, asked.frozen.frozen)
    leading = _leading(asked, loaded)
    first(leading)
    figures, columns = _others(asked, loaded)
    stored = _stored(asked, {**leading, **figures}, columns)
    floors.keep(stored, loaded)
    return stored


def _leading(asked: Asked, loaded: Loaded) -> Figures:
    """What a page shows first, and what its pictures are drawn from."""
    computed = agreement.figures(loaded.columns, loaded.pair_kinds, seed=asked.seed)
    if not computed["outcomes"]["graded"]:
        raise Refused(
            f"nothing was graded in run {asked.run.pk}: {_failures(computed['outcomes'])}"
        )
    confidence = loaded.judged.confidence
    sure = confidences.figures(loaded.columns, confidence, seed=asked.seed)
    return {**_head(asked, loaded), **computed, "confidence": sure}


def _others(asked: Asked, loaded: Loaded) -> tuple[Figures, Columns]:
    """All other figures, and the columns of each list."""
    seed, tagged = asked.seed, tag_rows.of(loaded)
    answers, cited = answersheets.measure(asked.run, loaded), evidence_rows.of(loaded, asked.told)
    fates, people = selfcheck_rows.fates(loaded, tagged), rating_sheets.beside(asked.rated, loaded)
    figures = {
        **tags.figures(loaded.columns, tagged),
        "evidence": evidence.figures(loaded.columns, cited, seed=seed),
        **answers.figures,
        **selfcheck_rows.figures(asked.run, loaded, fates, seed=seed),
        "holdout": looks.of_report(asked.run, _compared(loaded)),
        **rating_sheets.figures(people, asked.rated.digest, seed=seed),
    }
    return figures, {
        DisagreementSheet: error_sheets.packed(loaded),
        PairSheet: pair_sheets.packed(loaded, fates),
        AnswerSheet: answers.columns,
        EvidenceSheet: evidence_rows.packed(loaded, cited),
        RatingSheet: packed_ratings(people),
    }


def _stored(asked: Asked, figures: Figures, columns: Columns) -> Report:
    """The report with its lists, all or nothing; where another caller was first, theirs."""
    report = Report(**asked.key, figures=figures)
    try:
        with transaction.atomic():
            report.save(force_insert=True)
            for sheet, packed in columns.items():
                kept = sheet(columns=packed)
                kept.report = report
                kept.save(force_insert=True)
    except IntegrityError:
        first = existing(asked)
        if first is None:
            raise
        return first
    return report


def _compared(loaded: Loaded) -> list[int]:
    """The statements that the report compares, by primary key."""
    compared: list[int] = loaded.statements[loaded.columns.compared].tolist()
    return compared


def _failures(outcomes: dict[str, int]) -> str:
    kinds = [f"{n} {name}" for name, n in outcomes.items() if n and name != "planned"]
    return f"of {outcomes['planned']} planned judgments, {', '.join(kinds) or 'none'}"


def _head(asked: Asked, loaded: Loaded) -> Figures:
    run, frozen = asked.run, asked.frozen
    return {
        "set": {"slug": run.set.slug, "revision": run.revision},
        "rubric": rubrics.identity(run.rubric_version),
        "run": {
            "id": run.pk,
            "status": counting.ended_as(run, loaded.judged.outcomes),
            "judge_models": loaded.judged.judge_models,
        },
        "seed": asked.seed,
        "reference": {
            "minimum": frozen.minimum,
            "digest": frozen.digest,
            "tiers": {tier: frozen.tiers.get(tier, 0) for tier in TIERS},
        },
    }
