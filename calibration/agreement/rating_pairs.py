"""Ratings two by two: who agrees with whom, and whether they split the statement alike.

A pair is two ratings of the same statement by different annotators.

Two ratings **agree on splits** if the parts that one split off match those of the other, one for
one: the same text (Unicode-normalised, without regard to case and white space) or the same span
of the answer, with the same class and the same verdict. Two that split off nothing agree.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from calibration.agreement.between_humans import Rating
from calibration.agreement.columns import VERDICTS, Codes
from calibration.stats.coefficients import kappa
from calibration.stats.rates import clustered_rate, clustered_rates

Part = Mapping[str, Any]

NOT_SHARED: Final = "they share no statement"


@dataclass(frozen=True)
class Pairs:
    """Places of ratings in their list: ``first[i]`` and ``second[i]`` are the i-th pair."""

    first: Codes
    second: Codes


@dataclass(frozen=True)
class Between:
    """How two annotators compare on the statements that both labelled."""

    raters: tuple[int, int]
    agreement: Mapping[str, Any]
    kappa: Mapping[str, Any]


def pairs_of(ratings: Sequence[Rating]) -> Pairs:
    """Every pair, by unit."""
    return pairs_of_units(np.array([one.unit for one in ratings], dtype=np.int64))


def pairs_of_units(units: Codes) -> Pairs:
    """Every pair of ratings of one unit. Memory grows with the pairs, so with the square of the
    overlap."""
    order = np.argsort(units, kind="stable")
    units = units[order]
    firsts, seconds = [order[:0]], [order[:0]]
    for apart in range(1, len(units)):
        at = np.flatnonzero(units[apart:] == units[:-apart])
        if not at.size:
            # They are sorted: what is further apart is of different units, too.
            break
        firsts.append(order[at])
        seconds.append(order[at + apart])
    return Pairs(np.concatenate(firsts), np.concatenate(seconds))


def between(ratings: Sequence[Rating], pairs: Pairs) -> list[Between]:
    """Each two annotators that share a statement; first those of whom it is surest that they
    agree little, by the most that their interval allows. By the rate alone, chance would lead: two
    who share one statement agree on all of it or on none."""
    raters = np.array([one.rater for one in ratings], dtype=np.int64)
    verdicts = np.array([VERDICTS.index(one.verdict) for one in ratings], dtype=np.int64)
    low, high = _turned(raters, pairs)
    names, which = _two_by_two(raters[low], raters[high])
    tables = _tables(which, verdicts[low], verdicts[high], len(names))
    rates = clustered_rates(
        *(verdicts[low] == verdicts[high], _clusters(ratings)[low], which, len(names)),
        reason=NOT_SHARED,
    )
    found = [
        Between(two, agreement.as_json(), kappa(table).as_json())
        for two, agreement, table in zip(names, rates, tables, strict=True)
    ]
    return sorted(found, key=lambda one: (_most(one.agreement), -one.agreement["n"], one.raters))


def _most(agreement: Mapping[str, Any]) -> float:
    """The upper end of the interval; whoever is compared shares a statement, so there is one."""
    return float(agreement["interval"][1])


def splits(ratings: Sequence[Rating], pairs: Pairs) -> dict[str, Any]:
    """Of all pairs and of those in which anyone split: how many agree on splits; and how many
    agree on the verdict, apart by whether they agree on splits."""
    split = np.array([bool(one.parts) for one in ratings], dtype=bool)
    any_split = split[pairs.first] | split[pairs.second]
    alike = ~any_split
    for at in np.flatnonzero(split[pairs.first] & split[pairs.second]):
        alike[at] = agree(ratings[pairs.first[at]].parts, ratings[pairs.second[at]].parts)
    verdicts = np.array([VERDICTS.index(one.verdict) for one in ratings], dtype=np.int64)
    same = verdicts[pairs.first] == verdicts[pairs.second]
    clusters = _clusters(ratings)[pairs.first]

    def share(hits: Any, of: Any, reason: str) -> Mapping[str, Any]:
        return clustered_rate(hits[of], clusters[of], reason=reason).as_json()

    return {
        "agree": share(alike, np.ones_like(alike), "no statement has two ratings"),
        "agree_where_split": share(alike, any_split, "nobody split a statement of a pair"),
        "verdict_where_agreed": share(same, alike, "no pair agrees on splits"),
        "verdict_where_not": share(same, ~alike, "every pair agrees on splits"),
    }


def agree(these: Sequence[Part], those: Sequence[Part]) -> bool:
    """Whether two ratings agree on splits, as defined at the top of this file.

    The matching is a largest one: a part that could go with either of two is never in the way.
    """
    if len(these) != len(those):
        return False
    candidates = [[at for at, that in enumerate(those) if _same(this, that)] for this in these]
    partner: dict[int, int] = {}
    return all(_match(at, candidates, partner, set()) for at in range(len(these)))


def _match(
    at: int, candidates: Sequence[Sequence[int]], partner: dict[int, int], tried: set[int]
) -> bool:
    """One augmenting path of Kuhn's algorithm."""
    for other in candidates[at]:
        if other in tried:
            continue
        tried.add(other)
        if other not in partner or _match(partner[other], candidates, partner, tried):
            partner[other] = at
            return True
    return False


def _same(this: Part, that: Part) -> bool:
    said = ("claim_class", "verdict")
    if any(this.get(name) != that.get(name) for name in said):
        return False
    span = this.get("span")
    same_span = span is not None and list(span) == list(that.get("span") or ())
    return same_span or _normal(this["text"]) == _normal(that["text"])


def _normal(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _turned(raters: Codes, pairs: Pairs) -> tuple[Codes, Codes]:
    """The pairs with the lower annotator first, so that each two meet in one table."""
    wrong = raters[pairs.first] > raters[pairs.second]
    return (
        np.where(wrong, pairs.second, pairs.first),
        np.where(wrong, pairs.first, pairs.second),
    )


def _two_by_two(first: Codes, second: Codes) -> tuple[list[tuple[int, int]], Codes]:
    """Every two annotators that meet, and which of them each pair is of."""
    base = int(max(second, default=0)) + 1
    names, which = np.unique(first * base + second, return_inverse=True)
    return [divmod(int(name), base) for name in names], which


def _tables(which: Codes, said_first: Codes, said_second: Codes, k: int) -> Codes:
    """For each two annotators how often one said the row, the other the column."""
    tables = np.zeros((k, len(VERDICTS), len(VERDICTS)), dtype=np.int64)
    np.add.at(tables, (which, said_first, said_second), 1)
    return tables


def _clusters(ratings: Sequence[Rating]) -> Codes:
    """Codes of what the ratings are right or wrong together in: pairs of cases, else cases. All
    that several annotators say of one statement is of its cluster too."""
    codes: dict[Any, int] = {}
    return np.array([codes.setdefault(one.cluster, len(codes)) for one in ratings], dtype=np.int64)
