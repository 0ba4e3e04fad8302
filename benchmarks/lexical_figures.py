"""The lexical judge's agreement with people, set by set, each beside its floor.

    ASSIZE_DATA=FOLDER python -m benchmarks.lexical_figures [--development]

With `--development` it leaves out what must decide nothing while the judge is being changed:
`begin_wow_dev` and the shipped set.

*Binary* is supported against all else; *verdict* is the full verdict. The floor is the share of
the commonest reference: what always saying that would score. Statements a second are of processor
time, through both passes and the contract's checks, on one core: the quickest of three goes, with
no text remembered from the one before. `begin_wow_test` is judged with
weights trained without the snippets that are judged; every other row uses the shipped weights.
The shipped set's references are its author's, and class and verdict together are a row of its own.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import GroupKFold

from benchmarks.lexical_data import SHIPPED_RUBRIC, STARTER, TRAINING, Labelled, load
from benchmarks.train_lexical import fitted, row_of
from grounding.interchange.models import Case, Source
from grounding.judges.lexical import LexicalJudge
from grounding.judges.protocol import Judge
from grounding.judges.registry import create_judge
from grounding.language import sentences, tokens
from grounding.pipeline import grade_case
from grounding.rubrics import LexicalSpec, RubricDefinition, load_rubric

FOLDS = 10
PASSES = 3
HELD_BACK = "begin_wow_dev"
DEVELOPMENT = ("fever_symmetric", "cad_nli", "qags", "wice")
RUBRIC: RubricDefinition = load_rubric(SHIPPED_RUBRIC.read_text(encoding="utf-8"))

Pair = tuple[str, str]
"""What people said, and what the judge said."""


@dataclass(frozen=True)
class Judged:
    """Pairs of verdicts, and the processor seconds that the judge took for them."""

    pairs: list[Pair]
    seconds: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--development", action="store_true")
    development = parser.parse_args().development
    print(f"{'set':38} {'n':>5} {'agree':>6} {'floor':>6} {'kappa':>6} {'a second':>9}")
    data = load(TRAINING)
    _show(f"{TRAINING}, cross-validated", _cross_validated(data))
    if not development:
        _held_back({one.snippet for one in data})
    for name in DEVELOPMENT:
        _show(name, _judged(load(name), create_judge(RUBRIC)))
    if not development:
        verdicts, cells = _starter()
        _show("starter (shipped)", verdicts)
        _row("starter (shipped), class and verdict", cells)


def _held_back(known: Set[str]) -> None:
    labelled = load(HELD_BACK)
    _show(HELD_BACK, _judged(labelled, create_judge(RUBRIC)))
    unseen = [one for one in labelled if one.snippet not in known]
    _show(f"{HELD_BACK}, unseen snippets", _judged(unseen, create_judge(RUBRIC)))


def _show(name: str, judged: Judged) -> None:
    _row(f"{name}, verdict", judged)
    _row(f"{name}, binary", Judged([_binary(pair) for pair in judged.pairs], judged.seconds))


def _row(name: str, judged: Judged) -> None:
    pairs, n = judged.pairs, len(judged.pairs)
    agreed = sum(one == two for one, two in pairs) / n
    print(
        f"{name:38} {n:5} {agreed:6.3f} {floor(pairs):6.3f} {kappa(pairs):6.3f} "
        f"{n / judged.seconds:9,.0f}"
    )


def floor(pairs: Sequence[Pair]) -> float:
    """The share of the commonest reference."""
    return max(Counter(one for one, _ in pairs).values()) / len(pairs)


def kappa(pairs: Sequence[Pair]) -> float:
    """Cohen's: (agreement - chance) / (1 - chance)."""
    n = len(pairs)
    human, judge = Counter(one for one, _ in pairs), Counter(two for _, two in pairs)
    agreed = sum(one == two for one, two in pairs) / n
    chance = sum(human[one] * judge[one] for one in human) / n**2
    return (agreed - chance) / (1 - chance)


def _binary(pair: Pair) -> Pair:
    one, two = (verdict if verdict == "supported" else "not supported" for verdict in pair)
    return one, two


def _cross_validated(data: Sequence[Labelled]) -> Judged:
    spec = RUBRIC.judge
    assert isinstance(spec, LexicalSpec)
    rows = np.array([row_of(one, spec.parameters) for one in data])
    supported = np.array([one.verdict == "supported" for one in data])
    snippets = [one.snippet for one in data]
    parts = []
    for seen, held_out in GroupKFold(FOLDS).split(rows, supported, snippets):
        model = fitted(rows[seen], supported[seen])
        judge = LexicalJudge(spec.parameters, RUBRIC.claim_types, model)
        parts.append(_judged([data[at] for at in held_out], judge))
    pairs = [pair for part in parts for pair in part.pairs]
    return Judged(pairs, sum(part.seconds for part in parts))


def _judged(data: Sequence[Labelled], judge: Judge) -> Judged:
    cases = [one.case for one in data]
    verdicts, seconds = _least_of(PASSES, lambda: _verdicts(cases, judge))
    return Judged([(one.verdict, two) for one, two in zip(data, verdicts, strict=True)], seconds)


def _verdicts(cases: Sequence[Case], judge: Judge) -> list[str]:
    return [str(grade_case(case, judge, RUBRIC)[0].verdict) for case in cases]


def _timed(work: Callable[[], list[str]]) -> tuple[list[str], float]:
    # No text that an earlier row has read may make a later one look faster.
    for cached in (tokens.span_of, tokens.windows, sentences.sentences):
        cached.cache_clear()
    started = time.process_time()
    found = work()
    return found, time.process_time() - started


def _least_of(times: int, work: Callable[[], list[str]]) -> tuple[list[str], float]:
    """The quickest pass: the others waited for something that is not the judge."""
    passes = [_timed(work) for _ in range(times)]
    return passes[0][0], min(seconds for _, seconds in passes)


def _starter() -> tuple[Judged, Judged]:
    """By verdict, and by class and verdict together."""
    judge = create_judge(RUBRIC)
    lines = (STARTER / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [Case.model_validate_json(line) for line in lines]
    sources = tuple(_sources())
    started = time.process_time()
    grades = [grade for case in cases for grade in grade_case(case, judge, RUBRIC, sources=sources)]
    seconds = time.process_time() - started
    expected = [statement.expected for case in cases for statement in case.statements]
    both = [(one, two) for one, two in zip(expected, grades, strict=True) if one is not None]
    return (
        Judged([(str(one.verdict), str(two.verdict)) for one, two in both], seconds),
        Judged([(_cell(one), _cell(two)) for one, two in both], seconds),
    )


def _sources() -> Iterator[Source]:
    for line in (STARTER / "sources.jsonl").read_text(encoding="utf-8").splitlines():
        yield Source(**{k: v for k, v in json.loads(line).items() if k in Source.model_fields})


def _cell(one: object) -> str:
    return f"{getattr(one, 'claim_class', None)}/{getattr(one, 'verdict', None)}"


if __name__ == "__main__":
    main()
