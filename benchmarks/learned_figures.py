"""The learned judge's agreement with people beside the lexical judge's, on the same statements.

    ASSIZE_DATA=FOLDER python -m benchmarks.learned_figures

Every statement is graded by the fit that did not see its group: the pair, and in `begin_wow_dev`
the knowledge snippet that cases share. *Fitted* is the same judge on what it was fitted on, which
measures nothing but how much it can memorise. *Shuffled* is the same again with the verdicts dealt
out anew: what is left there is leakage. The floor is always the commonest verdict.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from benchmarks.lexical_data import Labelled, load
from benchmarks.lexical_figures import RUBRIC, Pair, floor, kappa
from calibration.learned import fitting
from calibration.learned.fitting import Examples
from grounding.judges.learned.features import see
from grounding.judges.lexical.classifying import classify
from grounding.judges.lexical.model import load_model
from grounding.judges.lexical.verifying import Text
from grounding.judges.protocol import StatementView
from grounding.judges.registry import create_judge
from grounding.pipeline import grade_case
from grounding.rubrics import LexicalSpec

# Not begin_wow_test: the lexical judge was trained on it, and its probability is a feature.
SETS = ("begin_wow_dev", "fever_symmetric", "cad_nli")
SEED = 1960


def main() -> None:
    print(f"{'set':16} {'n':>5} {'floor':>6} {'judge':>10} {'agree':>6} {'kappa':>6}")
    for name in SETS:
        data = load(name)
        examples = examples_of(data)
        _row(name, "lexical", _lexical(data))
        _row(name, "learned", _unseen(examples))
        _row(name, "fitted", _seen(examples))
        shuffled = list(examples.answers)
        random.Random(SEED).shuffle(shuffled)
        _row(name, "shuffled", _unseen(Examples(examples.rows, shuffled, examples.folds)))


def examples_of(data: Sequence[Labelled]) -> Examples:
    spec = RUBRIC.judge
    assert isinstance(spec, LexicalSpec)
    model = load_model(spec.parameters.coefficients, RUBRIC.reference)
    rows = []
    for one in data:
        texts = [Text(passage.id, False, passage.text) for passage in one.case.context]
        view = StatementView.of(one.case.statements[0])
        ruled = classify(
            view, one.case.answer, texts, RUBRIC.claim_types.precedence, spec.parameters
        )
        rows.append(see(view.text, ruled.claim_class, texts, spec.parameters, model).row)
    groups = [one.case.pair_id or one.snippet for one in data]
    return Examples(rows, [one.verdict for one in data], fitting.dealt(groups))


def _unseen(examples: Examples) -> list[Pair]:
    heads = fitting.held_out(examples, max(examples.folds) + 1)
    return list(zip(examples.answers, fitting.predicted_unseen(examples, heads), strict=True))


def _seen(examples: Examples) -> list[Pair]:
    found = fitting.predicted(fitting.fit(examples), examples.rows)
    return list(zip(examples.answers, found, strict=True))


def _lexical(data: Sequence[Labelled]) -> list[Pair]:
    judge = create_judge(RUBRIC)
    return [(one.verdict, str(grade_case(one.case, judge, RUBRIC)[0].verdict)) for one in data]


def _row(name: str, judge: str, pairs: Sequence[Pair]) -> None:
    agreed = sum(one == two for one, two in pairs) / len(pairs)
    print(
        f"{name:16} {len(pairs):5} {floor(pairs):6.3f} {judge:>10} {agreed:6.3f} "
        f"{kappa(pairs):6.3f}"
    )


if __name__ == "__main__":
    main()
