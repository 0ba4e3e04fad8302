"""Trains the lexical judge's weights on `begin_wow_test` and writes them as JSON.

    ASSIZE_DATA=FOLDER python -m benchmarks.train_lexical

The same data and code give the same file, byte for byte. The digest that is printed belongs into
`judge.parameters.coefficients` of the shipped rubric. Nothing but `begin_wow_test` is read.

A change of features, rules or word lists is kept where `python -m benchmarks.lexical_figures
--development` shows a higher binary kappa on `begin_wow_test`, cross-validated by snippet, and none
lower on `fever_symmetric`, `cad_nli`, `qags` and `wice`. No weight is fitted to those four.
`begin_wow_dev` and the shipped set decide nothing.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from benchmarks.lexical_data import SHIPPED_RUBRIC, TRAINING, Labelled, load
from grounding.digests import digest
from grounding.judges.lexical.features import (
    EITHER_WAY,
    MORE_MEANS_LESS,
    Features,
    features,
)
from grounding.judges.lexical.model import FILE, Model
from grounding.judges.lexical.verifying import Text, everything, gathered
from grounding.language.tokens import pooled, span_of
from grounding.rubrics import load_rubric
from grounding.rubrics.specs import LexicalParameters

TARGET = Path(__file__).parents[1] / "grounding" / "judges" / "lexical" / FILE
STRENGTH = 1.0
DIGITS = 4


def main() -> None:
    data = load(TRAINING)
    model = trained(data, parameters())
    weights = dict(zip(Features._fields, model.weights, strict=True))
    content = {
        "trained_on": "BEGIN benchmark, Wizard of Wikipedia part, test; see NOTICE.md",
        "cases": len(data),
        "supported": sum(one.verdict == "supported" for one in data),
        "intercept": model.intercept,
        "weights": weights,
    }
    TARGET.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    print(f"{TARGET.name}: {digest(content)}")


def parameters() -> LexicalParameters:
    spec = load_rubric(SHIPPED_RUBRIC.read_text(encoding="utf-8")).judge
    assert spec.kind == "lexical"
    return spec.parameters


def trained(data: Sequence[Labelled], given: LexicalParameters) -> Model:
    """The model of ``data``; a feature whose weight comes out against its sense is left out."""
    rows = np.array([row_of(one, given) for one in data])
    return fitted(rows, np.array([one.verdict == "supported" for one in data]))


def row_of(one: Labelled, given: LexicalParameters) -> Features:
    """What the judge itself would show the model of this case."""
    claim = span_of(one.case.statements[0].text)
    texts = [Text(passage.id, False, passage.text) for passage in one.case.context]
    spans = [place.span for place in gathered(claim, texts, given)]
    there = spans[0] if len(spans) == 1 else pooled(spans)
    return features(claim, spans, there, everything(tuple(text.text for text in texts)))


def fitted(rows: Any, supported: Any) -> Model:
    kept = [at for at in range(rows.shape[1]) if rows[:, at].std() > 0]
    while True:
        scaler = StandardScaler().fit(rows[:, kept])
        model = LogisticRegression(C=STRENGTH, max_iter=5_000)
        model.fit(scaler.transform(rows[:, kept]), supported)
        against = [_sense(at) * weight for at, weight in zip(kept, model.coef_[0], strict=True)]
        if min(against) >= 0:
            break
        del kept[int(np.argmin(against))]
    return _unscaled(kept, model, scaler)


def _sense(at: int) -> int:
    name = Features._fields[at]
    return 0 if name in EITHER_WAY else -1 if name in MORE_MEANS_LESS else 1


def _unscaled(kept: Sequence[int], model: Any, scaler: Any) -> Model:
    weights = [0.0] * len(Features._fields)
    for at, weight in zip(kept, model.coef_[0] / scaler.scale_, strict=True):
        weights[at] = round(float(weight), DIGITS)
    shift = float((model.coef_[0] * scaler.mean_ / scaler.scale_).sum())
    return Model(round(float(model.intercept_[0]) - shift, DIGITS), tuple(weights))


if __name__ == "__main__":
    main()
