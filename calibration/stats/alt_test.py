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
from calibration.stats.rates import clustered_rates
from calibration.stats.results import Coefficient, PValue, Rate

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

NOTHING = -1
MIN_ANNOTATORS = 2
MIN_STATEMENTS = 30
MIN_TESTED = 3
WINS = 0.5
EPSILONS = {"crowd": 0.1, "skilled": 0.15, "expert": 0.2}
"""The advantage that the authors suggest to give, by who the annotators are."""
DEFAULT_EPSILON = EPSILONS["crowd"]
"""The least of these: a judge that stands in with it does so with any."""

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
        Advantage given to the judge, 0 or more; `EPSILONS` are those that the authors suggest.
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
    rated = np.asarray(ratings, dtype=np.int64)
    if rated.ndim != 2 or rated.shape[:1] != np.shape(judge):
        raise ValueError(f"ratings of shape {rated.shape} for {np.size(judge)} judgments")
    units, annotators = np.nonzero(rated != NOTHING)
    return alternative_test_of_list(
        (units, annotators, rated[units, annotators]),
        judge,
        rated.shape[1],
        epsilon=epsilon,
        clusters=clusters,
        q=q,
        min_annotators=min_annotators,
        min_statements=min_statements,
    )


def alternative_test_of_list(
    ratings: tuple[ArrayLike, ArrayLike, ArrayLike],
    judge: ArrayLike,
    k: int,
    *,
    epsilon: float,
    clusters: ArrayLike | None = None,
    q: float = 0.05,
    min_annotators: int = MIN_ANNOTATORS,
    min_statements: int = MIN_STATEMENTS,
) -> AlternativeTest:
    """`alternative_annotator_test` of a list of ratings, for many annotators of few statements.

    Parameters
    ----------
    ratings : three arrays of int, shape (n_ratings,)
        Of each rating its statement, its annotator and its code. Nobody rates a statement twice.
    judge : array of int, shape (n_statements,)
        As there.
    k : int
        How many annotators there are.
    epsilon, clusters, q, min_annotators, min_statements
        As there.

    Returns
    -------
    AlternativeTest
        As there.

    Raises
    ------
    ValueError
        As there.

    References
    ----------
    As there.
    """
    unit, annotator, code = (np.asarray(each, dtype=np.int64) for each in ratings)
    judged: Codes = np.asarray(judge, dtype=np.int64)
    names = np.arange(judged.size) if clusters is None else np.asarray(clusters)
    if judged.ndim != 1 or names.shape != judged.shape:
        raise ValueError(f"{judged.size} judgments, {names.size} clusters")
    if epsilon < 0 or not 0 < q < 1 or min_annotators < MIN_ANNOTATORS:
        raise ValueError(f"epsilon {epsilon}, q {q}, at least {min_annotators} annotators")
    sizes = np.bincount(unit, minlength=judged.size)
    used = (judged[unit] != NOTHING) & (sizes[unit] >= min_annotators)
    unit, annotator, code = unit[used], annotator[used], code[used]
    wins = as_good(unit, code, judged)
    seats = _seats(wins, annotator, names[unit], k, epsilon, min_statements)
    return _result(_adjusted(seats, q), epsilon, q)


class Wins(NamedTuple):
    """Of each rating, whether the judge scores at least as well as its annotator, and the reverse.

    Attributes
    ----------
    judge, annotator
        Arrays of bool of one length.
    """

    judge: Flags
    annotator: Flags

    def at(self, rows: NDArray[np.integer]) -> "Wins":
        """Return those of some ratings."""
        return Wins(self.judge[rows], self.annotator[rows])


def as_good(units: ArrayLike, codes: ArrayLike, judge: ArrayLike) -> Wins:
    """Return whether the judge scores at least as well as each rating, and the rating as the judge.

    The score of either is how many of the *other* ratings of that statement say the same.

    Parameters
    ----------
    units, codes : array of int, shape (n_ratings,)
        Of each rating its statement and its code, 0 or more.
    judge : array of int, shape (n_statements,)
        The judge's codes, 0 or more for every statement that is rated.

    Returns
    -------
    Wins
        Two arrays of bool, shape (n_ratings,).
    """
    unit, code, judged = (np.asarray(each, dtype=np.int64) for each in (units, codes, judge))
    counts = np.zeros((judged.size, 1 + max(code.max(initial=0), judged.max(initial=0))), np.int64)
    np.add.at(counts, (unit, code), 1)
    judges_score = counts[unit, judged[unit]] - (judged[unit] == code)
    their_score = counts[unit, code] - 1
    return Wins(judges_score >= their_score, their_score >= judges_score)


def _result(seats: list[Seat], epsilon: float, q: float) -> AlternativeTest:
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


def _seats(
    wins: Wins,
    annotator: Codes,
    names: NDArray[np.generic],
    k: int,
    epsilon: float,
    min_statements: int,
) -> list[Seat]:
    judge_as_good, annotator_as_good = (
        clustered_rates(hits, names, annotator, k, reason="no statement in common with others")
        for hits in wins
    )
    ends = np.cumsum(np.bincount(annotator, minlength=k))[:-1]
    rows = np.split(np.argsort(annotator, kind="stable"), ends)[:k]
    tests = [_tested(wins.at(each), names[each], epsilon, min_statements) for each in rows]
    each = zip(range(k), judge_as_good, annotator_as_good, tests, strict=True)
    return [Seat(*found, None, None) for found in each]


def _tested(wins: Wins, names: NDArray[np.generic], epsilon: float, min_statements: int) -> PValue:
    n, groups = names.size, np.unique(names).size
    if n < min_statements:
        return PValue(None, n, f"fewer than {min_statements} statements in common")
    if groups < 2:
        return PValue(None, n, "all statements in common are of one cluster")
    differences: Floats = wins.annotator.astype(np.float64) - wins.judge
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
