"""May a judge stand in for an annotator? The alternative annotator test.

Each annotator is left out in turn, and the judge takes their seat: on each statement, is it the
judge or the annotator who agrees better with the others? A judge that wins against at least half of
the annotators, with ε given it for being the cheaper one, may stand in for any of them.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr

from calibration.stats.multiplicity import benjamini_yekutieli
from calibration.stats.paired import clustered_standard_error
from calibration.stats.rates import clustered_rate
from calibration.stats.results import Coefficient, PValue, Rate

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]

NOTHING = -1
MIN_ANNOTATORS = 2
MIN_STATEMENTS = 30
MIN_TESTED = 3
WINS = 0.5

NOT_TESTED = "no annotator has enough statements in common with others and the judge"


class Seat(NamedTuple):
    """The judge in one annotator's place.

    Attributes
    ----------
    annotator
        Column of the ratings.
    judge_as_good
        Of the statements, those on which the judge agrees with the others at least as well as the
        annotator does: the advantage probability of the judge, ρ_j.
    annotator_as_good
        Likewise the annotator's. Both count ties, so the two can add up to more than 1.
    test
        One-sided: is the annotator's share less than ε above the judge's?
    adjusted
        Its p-value adjusted over the annotators tested, or None where there is none.
    won
        Whether the judge wins against this annotator, or None where that was not tested.
    """

    annotator: int
    judge_as_good: Rate
    annotator_as_good: Rate
    test: PValue
    adjusted: float | None
    won: bool | None


@dataclass(frozen=True, slots=True)
class AlternativeTest:
    """What the test says.

    Attributes
    ----------
    winning_rate
        ω, the share of the annotators tested against whom the judge wins; n counts these. No
        interval: they are all the annotators there were, not a sample.
    advantage
        ρ, the mean of the judge's advantage probabilities over the same annotators.
    stands_in
        Whether the judge wins against at least half of them; None where none was tested.
    seats
        One for each annotator, in the order of the columns.
    epsilon, q
        What was asked: the advantage given to the judge, and the rate of false wins.
    enough
        Whether at least `MIN_TESTED` annotators were tested, which the authors ask for.
    """

    winning_rate: Coefficient
    advantage: Coefficient
    stands_in: bool | None
    seats: list[Seat]
    epsilon: float
    q: float
    enough: bool


def alternative_annotator_test(
    ratings: ArrayLike,
    judge: ArrayLike,
    *,
    epsilon: float,
    clusters: ArrayLike | None = None,
    q: float = 0.05,
    min_annotators: int = MIN_ANNOTATORS,
    min_statements: int = MIN_STATEMENTS,
) -> AlternativeTest:
    """Run the alternative annotator test on nominal ratings.

    A rating's score is the share of the *other* annotators of that statement who say the same.
    With w_f the judge's and w_j the annotator's "scores at least as well", 1 or 0 a statement, the
    hypothesis that ``mean(w_j) - mean(w_f) >= ε`` is tested by a one-sided t test of the
    differences, and the p-values of all annotators are adjusted by Benjamini and Yekutieli.

    Parameters
    ----------
    ratings : array of int, shape (n_statements, n_annotators)
        Codes of the categories, `NOTHING` where an annotator did not rate a statement.
    judge : array of int, shape (n_statements,)
        The judge's codes, `NOTHING` where it failed or was not asked: such statements are left
        out, as a failure is no verdict.
    epsilon : float
        Advantage given to the judge, 0 or more: 0.2 where annotators are experts, 0.15 where they
        are skilled, 0.1 where they are a crowd, say the authors.
    clusters : array, shape (n_statements,), optional
        What may stand and fall together. The t test then has the clustered standard error and
        one degree of freedom less than there are clusters. Each statement by itself if not given,
        as the authors have it.
    q : float
        Rate of false wins among wins that is accepted, inside (0, 1).
    min_annotators : int
        How many annotators a statement needs to be used, at least 2.
    min_statements : int
        How many statements an annotator needs to be tested.

    Returns
    -------
    AlternativeTest
        An annotator with fewer statements, or all in one cluster, is not tested and counts towards
        neither figure; both are undefined where none is. Where all differences are equal, p is 0 or
        1, as that difference is below ε or not.

    Raises
    ------
    ValueError
        If shapes do not fit, epsilon is negative, q outside (0, 1), or min_annotators below 2.

    References
    ----------
    Calderon, Reichart and Dror (2025), The Alternative Annotator Test for LLM-as-a-Judge,
    section 3. Benjamini and Yekutieli (2001), Annals of Statistics 29:1165.
    """
    rated, judged, names = _checked(ratings, judge, clusters)
    if epsilon < 0 or not 0 < q < 1 or min_annotators < MIN_ANNOTATORS:
        raise ValueError(f"epsilon {epsilon}, q {q}, at least {min_annotators} annotators")
    used = (judged != NOTHING) & ((rated != NOTHING).sum(axis=1) >= min_annotators)
    rated, judged, names = rated[used], judged[used], names[used]
    seats = [
        _seat(rated, judged, names, annotator, epsilon, min_statements)
        for annotator in range(rated.shape[1])
    ]
    seats = _adjusted(seats, q)
    tested = [seat for seat in seats if seat.won is not None]
    winning_rate = _mean([float(bool(seat.won)) for seat in tested])
    return AlternativeTest(
        winning_rate=winning_rate,
        advantage=_mean([seat.judge_as_good.rate or 0.0 for seat in tested]),
        stands_in=None if winning_rate.value is None else winning_rate.value >= WINS,
        seats=seats,
        epsilon=epsilon,
        q=q,
        enough=len(tested) >= MIN_TESTED,
    )


def _checked(
    ratings: ArrayLike, judge: ArrayLike, clusters: ArrayLike | None
) -> tuple[Codes, Codes, NDArray[np.generic]]:
    rated, judged = np.asarray(ratings, dtype=np.int64), np.asarray(judge, dtype=np.int64)
    names: NDArray[np.generic] = np.asarray(
        np.arange(judged.size) if clusters is None else clusters
    )
    if rated.ndim != 2 or not rated.shape[:1] == judged.shape == names.shape:
        raise ValueError(
            f"ratings of shape {rated.shape}, {judged.size} judgments, {names.size} clusters"
        )
    return rated, judged, names


def _seat(
    rated: Codes,
    judged: Codes,
    names: NDArray[np.generic],
    annotator: int,
    epsilon: float,
    min_statements: int,
) -> Seat:
    own = rated[:, annotator] != NOTHING
    others = np.delete(rated[own], annotator, axis=1)
    theirs = rated[own, annotator]
    judges_score, their_score = (
        (others == says[:, None]).sum(axis=1) for says in (judged[own], theirs)
    )
    judge_wins, annotator_wins = judges_score >= their_score, their_score >= judges_score
    test = _tested(annotator_wins, judge_wins, names[own], epsilon, min_statements)

    def share(wins: NDArray[np.bool_]) -> Rate:
        return clustered_rate(wins, names[own], reason="no statement in common with others")

    return Seat(annotator, share(judge_wins), share(annotator_wins), test, None, None)


def _tested(
    annotator_wins: NDArray[np.bool_],
    judge_wins: NDArray[np.bool_],
    names: NDArray[np.generic],
    epsilon: float,
    min_statements: int,
) -> PValue:
    n, groups = annotator_wins.size, np.unique(names).size
    if n < min_statements:
        return PValue(None, n, f"fewer than {min_statements} statements in common")
    if groups < 2:
        return PValue(None, n, "all statements in common are of one cluster")
    differences: Floats = annotator_wins.astype(np.float64) - judge_wins
    error = clustered_standard_error(differences, names).value or 0.0
    excess = float(differences.mean()) - epsilon
    if error == 0:
        return PValue(float(excess >= 0), n, None)
    return PValue(float(stdtr(groups - 1, excess / error)), n, None)


def _adjusted(seats: list[Seat], q: float) -> list[Seat]:
    tested = [seat for seat in seats if seat.test.p is not None]
    adjusted = benjamini_yekutieli([seat.test.p for seat in tested if seat.test.p is not None])
    found = {
        seat.annotator: seat._replace(adjusted=float(p), won=bool(p <= q))
        for seat, p in zip(tested, adjusted, strict=True)
    }
    return [found.get(seat.annotator, seat) for seat in seats]


def _mean(values: list[float]) -> Coefficient:
    if not values:
        return Coefficient(None, 0, None, NOT_TESTED)
    return Coefficient(sum(values) / len(values), len(values), None, None)
