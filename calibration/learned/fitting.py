"""Fitting the learned judge: a functional core on rows, answers and groups. No Django.

What is near-identical stays together: groups (pairs, else cases) are dealt out whole to folds, so
that the fit which grades a statement saw nothing of its group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from grounding.digests import digest
from grounding.judges.learned.features import FEATURES, Row
from grounding.judges.learned.weights import Head

MOST_FOLDS: Final = 10
STRENGTH: Final = 1.0
"""Inverse of the penalty on weights, on features of unit variance."""
DIGITS: Final = 6


@dataclass(frozen=True)
class Examples:
    """Rows with their answers, folds and clusters (pair, else case), one entry each."""

    rows: Sequence[Row]
    answers: Sequence[str]
    folds: Sequence[int]
    clusters: Sequence[str] = ()

    def __len__(self) -> int:
        return len(self.answers)

    def without(self, fold: int) -> Examples:
        return self._where(lambda other: other != fold)

    def only(self, fold: int) -> Examples:
        return self._where(lambda other: other == fold)

    def _where(self, taken: Callable[[int], bool]) -> Examples:
        at = [place for place, fold in enumerate(self.folds) if taken(fold)]
        return Examples(
            [self.rows[place] for place in at],
            [self.answers[place] for place in at],
            [self.folds[place] for place in at],
            [self.clusters[place] for place in at if self.clusters],
        )


def grouped(groups: Sequence[str], fingerprints: Sequence[str]) -> list[str]:
    """A name for each entry's group, where groups that share a fingerprint have become one."""
    joined: dict[str, str] = {}

    def root(name: str) -> str:
        while joined.setdefault(name, name) != name:
            name = joined[name]
        return name

    first: dict[str, str] = {}
    for group, fingerprint in zip(groups, fingerprints, strict=True):
        one, two = sorted((root(group), root(first.setdefault(fingerprint, group))))
        joined[two] = one
    return [root(group) for group in groups]


def dealt(groups: Sequence[str]) -> list[int]:
    """The fold of each entry. Whole groups, in an order that nothing but their names decides,
    each to the fold with the fewest entries so far; at most `MOST_FOLDS`, as many as there are
    groups where those are fewer."""
    sizes: dict[str, int] = {}
    for group in groups:
        sizes[group] = sizes.get(group, 0) + 1
    filled = [0] * min(MOST_FOLDS, len(sizes))
    fold_of: dict[str, int] = {}
    for group in sorted(sizes, key=digest):
        fold_of[group] = filled.index(min(filled))
        filled[fold_of[group]] += sizes[group]
    return [fold_of[group] for group in groups]


def fit(examples: Examples) -> Head:
    """A multinomial logistic regression with an L2 penalty, in the features' own units.

    The same examples in the same order give the same weights. With one answer among them it
    always gives that one.
    """
    answers = sorted(set(examples.answers))
    if len(answers) == 1:
        return _head(answers, np.zeros(1), np.zeros((1, len(FEATURES))))
    # Here and not above: the app need not load it to show a page.
    from sklearn.linear_model import LogisticRegression

    rows = np.array(examples.rows)
    middle, spread = rows.mean(axis=0), rows.std(axis=0)
    spread[spread == 0] = 1.0
    model = LogisticRegression(C=STRENGTH, max_iter=5_000)
    model.fit((rows - middle) / spread, np.array(examples.answers))
    weights, intercepts = model.coef_ / spread, model.intercept_
    if len(answers) == 2:
        # The second answer's log odds against the first.
        weights = np.vstack([np.zeros_like(weights[0]), weights[0]])
        intercepts = np.array([0.0, intercepts[0]])
    return _head(answers, intercepts - weights @ middle, weights)


def held_out(examples: Examples, folds: int) -> list[Head]:
    """For each fold a fit without it."""
    return [fit(examples.without(fold)) for fold in range(folds)]


def predicted(head: Head, rows: Iterable[Row]) -> list[str]:
    """The likeliest answer for each row."""
    shares = (head.probabilities(row) for row in rows)
    return [max(each, key=lambda name: each[name]) for each in shares]


def predicted_unseen(examples: Examples, heads: Sequence[Head]) -> list[str]:
    """For each row the answer of the fit that did not see its fold."""
    pairs = zip(examples.rows, examples.folds, strict=True)
    return [answer for row, fold in pairs for answer in predicted(heads[fold], [row])]


def _head(answers: Sequence[str], intercepts: Any, weights: Any) -> Head:
    return Head(
        answers=tuple(answers),
        intercepts=tuple(round(float(one), DIGITS) for one in intercepts),
        weights=tuple(tuple(round(float(one), DIGITS) for one in row) for row in weights),
    )
