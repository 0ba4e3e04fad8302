"""Ratings and a judge's answers in letters, as in `report_fixtures`: ``"Ss Su - | Ss"`` is what
three annotators say of a statement, the second no more than two letters, and then the judge."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.agreement.columns import CLASSES, NOTHING, VERDICTS
from calibration.agreement.rated import Rated
from tests.calibration.report_fixtures import CLASS_LETTERS, VERDICT_LETTERS


def rated(*statements: str, clusters: Sequence[int] | None = None, once: int = 0) -> Rated:
    """Annotators are ann-1, ann-2 … from left to right; a blank is a dash, a word a failure.
    ``once`` further statements have one rating each."""
    assert (CLASS_LETTERS, VERDICT_LETTERS) == ("SEI", "sucn")
    assert len(CLASSES) == 3
    assert len(VERDICTS) == 4
    sides = [one.split("|") for one in statements]
    judge = [said.strip() for _, said in sides]
    ratings = [
        (place, annotator, *_codes(letters))
        for place, (people, _) in enumerate(sides)
        for annotator, letters in enumerate(people.split())
        if letters != "-"
    ]
    judged = [_codes(said) if len(said) == 2 else (NOTHING, NOTHING) for said in judge]
    place, annotator, claim_class, verdict = _arrays(ratings, 4)
    judge_class, judge_verdict = _arrays(judged, 2)
    n = len(statements)
    return Rated(
        statement=np.arange(100, 100 + n),
        judgment=np.arange(200, 200 + n),
        cluster=np.arange(n) if clusters is None else np.array(clusters),
        judge_class=judge_class,
        judge_verdict=judge_verdict,
        place=place,
        annotator=annotator,
        claim_class=claim_class,
        verdict=verdict,
        annotators=[f"ann-{at + 1}" for at in range(1 + int(annotator.max(initial=-1)))],
        rated_once=np.arange(once),
    )


def _codes(letters: str) -> tuple[int, int]:
    return CLASS_LETTERS.find(letters[0]), VERDICT_LETTERS.find(letters[1])


def _arrays(rows: Sequence[Sequence[int]], columns: int) -> list[np.ndarray]:
    return list(np.array(rows, dtype=np.int64).reshape(-1, columns).T)
