"""The human ceiling beside the judge, and whether the judge may stand in for an annotator.

A functional core that only processes `Rated` columns. Units are statements with two ratings or
more; each figure says what it counts.

- ``pairwise``: of all pairs of ratings of the same statement, those that are equal; ``alpha``:
  Krippendorff's, over the statements. Classes among ratings that state one. The judge enters
  neither.
- ``ceiling``: of each rating, is it what the *others* of its statement say? And the judge, asked
  the very same? The others say what they would as a reference (`labeling.references.decide`): one
  alone what it says, several what more than half of them say, verdict and class each. A rating
  counts once; one whose others have no majority has nothing to agree with, and is a tie. Where
  the judge failed, nothing stands beside: these ratings are ``failed``, neither right nor wrong,
  and left out for people too. ``ratings = failed + ties + compared``.
- ``verdict`` is over the compared ratings, ``class`` and ``overall`` over those of which others,
  annotator and judge all state a class; ``by_verdict`` (verdicts equal) and ``by_class`` (both
  equal) go by what the others say. ``difference`` is people's share less the judge's.
- ``alternative_annotator`` is of verdicts (`stats.alt_test`), with pairs, else cases, as clusters.
  ``statements`` are those that the judge answered, ``of_two`` those of them with two ratings;
  ``left_out`` are the others that have a rating.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np

from calibration.agreement.columns import CLASSES, NOTHING, VERDICTS, Codes, Flags
from calibration.agreement.rated import Rated
from calibration.stats.alpha import alpha, pairwise_agreement
from calibration.stats.alt_test import (
    DEFAULT_EPSILON,
    EPSILONS,
    MIN_ANNOTATORS,
    MIN_STATEMENTS,
    MIN_TESTED,
    AlternativeTest,
    Seat,
    Wins,
    alternative_test_of_list,
    as_good,
)
from calibration.stats.paired_clusters import clustered_difference
from calibration.stats.rates import clustered_rate

Figures = dict[str, Any]

PASSES: Final = ("verdict", "class", "overall")

_NOT_COMPARED: Final = "no rating can be held against what others say of its statement"
_NOT_CLASSED: Final = "there is no rating of which others, annotator and judge all state a class"
_NEVER_SAID: Final = "the others never say it"


class Others(NamedTuple):
    """What the others of each rating's statement say; `NOTHING` where they have no majority."""

    claim_class: Codes
    verdict: Codes


class Compared(NamedTuple):
    """Of each rating: whether one pass holds it against its others, and whether annotator and
    judge then say the same as they do."""

    counted: Flags
    human: Flags
    judge: Flags

    def among(self, chosen: Flags) -> Compared:
        return self._replace(counted=self.counted & chosen)


def figures(rated: Rated, *, seed: int, epsilon: float = DEFAULT_EPSILON) -> Figures:
    """``humans`` and ``alternative_annotator``."""
    return {
        "humans": {
            "units": rated.statement.size,
            "ratings": len(rated),
            "raters": np.unique(rated.annotator).size,
            "rated_once": rated.rated_once.size,
            "failed": int((rated.judge_verdict == NOTHING).sum()),
            **_between(rated, seed),
            "ceiling": _ceiling(rated),
        },
        "alternative_annotator": _alternative(rated, epsilon),
    }


def others(rated: Rated) -> Others:
    """Verdict and class each by its own majority; without one of verdicts there is no answer."""
    verdict = _majority_of_others(rated, rated.verdict, len(VERDICTS))
    # Stating no class is something that a majority can do, and then there is none.
    unstated = len(CLASSES)
    stated = np.where(rated.claim_class == NOTHING, unstated, rated.claim_class)
    claim_class = _majority_of_others(rated, stated, unstated + 1)
    none = (verdict == NOTHING) | (claim_class == unstated)
    return Others(np.where(none, NOTHING, claim_class), verdict)


def compared(rated: Rated, said: Others, which: str) -> Compared:
    """One of `PASSES`."""
    judge_class, judge_verdict = rated.judge_class[rated.place], rated.judge_verdict[rated.place]
    held = rated.answered & (said.verdict != NOTHING)
    same = rated.verdict == said.verdict, judge_verdict == said.verdict
    if which == "verdict":
        return Compared(held, *same)
    classes = (said.claim_class, rated.claim_class, judge_class)
    classed = held & np.logical_and.reduce([each != NOTHING for each in classes])
    same_class = rated.claim_class == said.claim_class, judge_class == said.claim_class
    if which == "class":
        return Compared(classed, *same_class)
    return Compared(classed, same[0] & same_class[0], same[1] & same_class[1])


def wins(rated: Rated) -> Wins:
    """Of each rating, who scores at least as well as the other on its statement; False for both
    where the judge failed."""
    judged = rated.answered
    found = as_good(rated.place[judged], rated.verdict[judged], rated.judge_verdict)
    judge, annotator = np.zeros((2, len(rated)), dtype=np.bool_)
    judge[judged], annotator[judged] = found
    return Wins(judge, annotator)


def _majority_of_others(rated: Rated, codes: Codes, k: int) -> Codes:
    """What more than half of the other ratings of each rating's statement are."""
    counts = _counts(rated, codes, k)[rated.place]
    counts[np.arange(len(rated)), codes] -= 1
    commonest = counts.argmax(axis=1)
    enough = 2 * counts.max(axis=1, initial=0) > counts.sum(axis=1)
    return np.where(enough, commonest, NOTHING)


def _counts(rated: Rated, codes: Codes, k: int) -> Codes:
    """How many ratings put each statement into each category; one that states none, into none."""
    stated = codes != NOTHING
    at = rated.place[stated] * k + codes[stated]
    counts: Codes = np.bincount(at, minlength=rated.statement.size * k).astype(np.int64)
    return counts.reshape(-1, k)


def _between(rated: Rated, seed: int) -> Figures:
    counts = {
        "verdict": _counts(rated, rated.verdict, len(VERDICTS)),
        "class": _counts(rated, rated.claim_class, len(CLASSES)),
    }
    return {
        "pairwise": {
            which: pairwise_agreement(table, clusters=rated.cluster).as_json()
            for which, table in counts.items()
        },
        "alpha": {
            which: alpha(table, seed=seed, clusters=rated.cluster).as_json()
            for which, table in counts.items()
        },
    }


def _ceiling(rated: Rated) -> Figures:
    said = others(rated)
    passes = {which: compared(rated, said, which) for which in PASSES}
    held = int(passes["verdict"].counted.sum())
    answered = int(rated.answered.sum())
    return {
        "failed": len(rated) - answered,
        "ties": answered - held,
        "compared": held,
        "class_not_stated": held - int(passes["class"].counted.sum()),
        "verdict": _both(rated, passes["verdict"], _NOT_COMPARED),
        "class": _both(rated, passes["class"], _NOT_CLASSED),
        "overall": _both(rated, passes["overall"], _NOT_CLASSED),
        "by_verdict": {
            word.value: _both(rated, passes["verdict"].among(said.verdict == code), _NEVER_SAID)
            for code, word in enumerate(VERDICTS)
        },
        "by_class": {
            word.value: _both(rated, passes["overall"].among(said.claim_class == code), _NEVER_SAID)
            for code, word in enumerate(CLASSES)
        },
    }


def _both(rated: Rated, held: Compared, reason: str) -> Figures:
    human, judge = held.human[held.counted], held.judge[held.counted]
    clusters = rated.cluster[rated.place[held.counted]]
    difference = clustered_difference(human, judge, clusters)
    if not difference.n:
        difference = replace(difference, reason=reason)
    return {
        "human": clustered_rate(human, clusters, reason=reason).as_json(),
        "judge": clustered_rate(judge, clusters, reason=reason).as_json(),
        "difference": difference.as_json(),
    }


def _alternative(rated: Rated, epsilon: float) -> Figures:
    tests = {each: _test(rated, each) for each in {epsilon, *EPSILONS.values()}}
    test, answered = tests[epsilon], rated.judge_verdict != NOTHING
    sizes = np.bincount(rated.place, minlength=rated.statement.size)
    tested = test.winning_rate.n
    return {
        "epsilon": epsilon,
        "q": test.q,
        "min_annotators": MIN_ANNOTATORS,
        "min_statements": MIN_STATEMENTS,
        "min_tested": MIN_TESTED,
        "statements": int(answered.sum()),
        "of_two": int((answered & (sizes == MIN_ANNOTATORS)).sum()),
        "left_out": {"rated_once": rated.rated_once.size, "failed": int((~answered).sum())},
        "tested": tested,
        "untested": len(rated.annotators) - tested,
        **_answer(test),
        "winning_rate": test.winning_rate.as_json(),
        "advantage": test.advantage.as_json(),
        "annotators": [_seat(rated, seat) for seat in sorted(test.seats, key=_most_tested)],
        "by_epsilon": [
            {"who": who, "epsilon": each, **_answer(tests[each])} for who, each in EPSILONS.items()
        ],
    }


def _test(rated: Rated, epsilon: float) -> AlternativeTest:
    return alternative_test_of_list(
        (rated.place, rated.annotator, rated.verdict),
        rated.judge_verdict,
        len(rated.annotators),
        epsilon=epsilon,
        clusters=rated.cluster,
    )


def _answer(test: AlternativeTest) -> Figures:
    """Whether the judge may stand in; null with the reason where too few were tested to say."""
    tested, enough = test.winning_rate.n, test.enough
    return {
        "won": sum(seat.won is True for seat in test.seats),
        "stands_in": test.stands_in if enough else None,
        "reason": None if enough else _too_few(tested, len(test.seats)),
    }


def _too_few(tested: int, annotators: int) -> str:
    return (
        f"{tested} of {annotators} annotators have {MIN_STATEMENTS} statements that others rated "
        f"and the judge answered too; the test needs {MIN_TESTED} such annotators"
    )


def _most_tested(seat: Seat) -> tuple[bool, int, int]:
    """Those tested first, of most statements first."""
    return seat.won is None, -seat.test.n, seat.annotator


def _seat(rated: Rated, seat: Seat) -> Figures:
    return {
        "annotator": rated.annotators[seat.annotator],
        "judge_as_good": seat.judge_as_good.as_json(),
        "annotator_as_good": seat.annotator_as_good.as_json(),
        "test": seat.test.as_json(),
        "adjusted": seat.adjusted,
        "won": seat.won,
    }
