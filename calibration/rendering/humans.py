"""What a report says of people beside its judge: the human ceiling, and the annotator's seat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from calibration.rendering.laid_out import COEFFICIENT, RATE, Section, Table
from calibration.rendering.sentences import behind_of
from calibration.wording.numbers import (
    Figure,
    Sentence,
    coefficient_cells,
    counted,
    counted_in,
    p_value,
    percent,
    rate_cells,
    rate_in_a_cell,
    read,
    share_in,
    signed,
    words,
)

Figures = Mapping[str, Any]

NO_SAMPLE: Final = "No interval: these are all the annotators there were, not a sample."
SHARED: Final = (
    "No interval: the annotators share their statements; each share above has one of its own."
)
PASSES: Final = {"verdict": "Verdict", "class": "Class", "overall": "Class and verdict"}
SIDES: Final = {"human": "people", "judge": "the judge"}
WHO: Final = {
    "crowd": "annotators from a crowd",
    "skilled": "skilled annotators",
    "expert": "experts",
}
SHOWN: Final = 20
"""How many annotators a file shows; JSON has all."""
ON_A_PAGE: Final = 8
"""And a page, which leads to the rest."""

MEANING: Final = (
    "Each rating is held against what the others say of the same statement, as a reference would "
    "be made of theirs: one alone is taken at its word, of several more than half must agree. "
    "Where these are split there is nothing to agree with; where the judge failed, people are left "
    "out too. The judge is held against the very same, as often as a person is."
)
TEST_MEANING: Final = (
    "The judge takes each annotator's seat in turn: on how many statements does it agree with the "
    "others at least as well as that annotator does, and that annotator as well as it? It wins "
    "where a one-sided t test, over pairs, else cases, says that the annotator's share is less "
    "than ε above the judge's; p is adjusted over the annotators by Benjamini and Yekutieli. It "
    "may stand in where it wins against at least half (Calderon, Reichart and Dror, 2025). Only "
    "verdicts are looked at."
)


def in_pieces(report: Figures) -> dict[str, Sentence]:
    """The two answers; none for a report of before."""
    if "humans" not in report:
        return {}
    return {
        "ceiling": ceiling(report["humans"]),
        "seat": seat(report["alternative_annotator"]),
    }


def ceiling(people: Figures) -> Sentence:
    both = people["ceiling"]["verdict"]
    if not people["units"]:
        return _nothing_rated(people)
    if not both["human"]["n"]:
        return _nothing_compared(people["ceiling"])
    return [
        "People agree with each other on ",
        *share_in(both["human"], "ratings"),
        ", the judge with the same others on ",
        *share_in(both["judge"]),
        f"; {_apart(both['difference'])}.",
    ]


def _nothing_rated(people: Figures) -> Sentence:
    once = counted_in(people["rated_once"], "has one", "have one", behind_of(people, "rated_once"))
    return [
        "No statement has two blind ratings, so there is no human ceiling: ",
        *once,
        ". Have statements labelled in a queue by two people or more, then make the report anew.",
    ]


def _nothing_compared(found: Figures) -> Sentence:
    return [
        "No rating can be held against what others say: ",
        *counted_in(found["failed"], "is", "are", behind_of(found, "failed")),
        " on statements where the judge failed, of ",
        *counted_in(found["ties"], "rating", "ratings", behind_of(found, "ties")),
        " the others are split.",
    ]


def _apart(difference: Figures) -> str:
    low, high = difference["interval"]
    points = f"{signed(difference['value'])} points, 95% interval {signed(low)} to {signed(high)}"
    if low > 0:
        return f"people are ahead of it ({points})"
    if high < 0:
        return f"it is ahead of people ({points})"
    return f"neither is clearly ahead ({points})"


def seat(test: Figures) -> Sentence:
    if test["stands_in"] is None:
        return [
            "Whether this judge may stand in for an annotator is undecided: ",
            f"{test['reason']}.",
        ]
    may = "may" if test["stands_in"] else "may not"
    return [
        f"This judge {may} stand in for an annotator: it wins against ",
        Figure(f"{test['won']:,}", behind_of(test, "won")),
        " of ",
        Figure(f"{test['tested']:,}", behind_of(test, "tested")),
        f" annotators tested, where half are needed, with ε = {test['epsilon']:g} given to it.",
    ]


def sections(report: Figures) -> Iterable[Section]:
    """None for a report of before."""
    if "humans" not in report:
        return
    people, test = report["humans"], report["alternative_annotator"]
    yield _ceiling(people)
    if people["units"]:
        yield _between(people)
        yield _seats(test)


def _ceiling(people: Figures) -> Section:
    found = people["ceiling"]
    rows = [
        (f"{name}, {side}", *rate_cells(both[key]))
        for name, both in rows_of(found)
        for key, side in SIDES.items()
    ]
    notes = [read(ceiling(people))]
    if people["units"]:
        notes += [MEANING, _accounts(people)]
    return Section("People beside the judge", [Table(("", *RATE), rows)] if rows else [], notes)


def rows_of(found: Figures) -> list[tuple[str, Figures]]:
    """The rows of the ceiling that hold a rating: each pass, then by what the others say."""
    passes = [(name, found[which]) for which, name in PASSES.items()]
    verdicts = [(f"Others: {words(name)}", both) for name, both in found["by_verdict"].items()]
    classes = [(f"Others: {words(name)}", both) for name, both in found["by_class"].items()]
    return [(name, both) for name, both in (*passes, *verdicts, *classes) if both["human"]["n"]]


def _accounts(people: Figures) -> str:
    found = people["ceiling"]
    return (
        f"{counted(people['ratings'], 'rating', 'ratings')} of {people['units']:,} statements = "
        f"{found['compared']:,} compared + {found['ties']:,} whose others are split + "
        f"{found['failed']:,} on the {counted(people['failed'], 'statement', 'statements')} where "
        f"the judge failed. Statements with one rating: {people['rated_once']:,}. "
        f"Digest of the ratings: {people['digest']}."
    )


def _between(people: Figures) -> Section:
    alphas = [(which, *coefficient_cells(one)) for which, one in people["alpha"].items()]
    pairs = [(which, *rate_cells(one)) for which, one in people["pairwise"].items()]
    return Section(
        "Between people",
        [
            Table(("Krippendorff's alpha", *COEFFICIENT), alphas),
            Table(("pairs of ratings alike", *RATE), pairs),
        ],
        ["Of the statements with two blind ratings or more; the judge does not enter."],
    )


def _seats(test: Figures) -> Section:
    tested = [one for one in test["annotators"] if one["won"] is not None]
    rows = [
        (
            one["annotator"],
            rate_in_a_cell(one["judge_as_good"]),
            rate_in_a_cell(one["annotator_as_good"]),
            p_value(one["test"]["p"]),
            p_value(one["adjusted"]),
            "yes" if one["won"] else "no",
        )
        for one in tested[:SHOWN]
    ]
    headers = ("annotator", "judge as good, 95% interval", "annotator as good, 95% interval")
    return Section(
        "In an annotator's seat",
        [Table((*headers, "p", "adjusted", "judge wins"), rows)] if rows else [],
        [read(seat(test)), TEST_MEANING, *map(read, over_all(test)), *_more(test, len(tested))],
    )


def _more(test: Figures, tested: int) -> list[str]:
    rest = f"{tested - SHOWN:,} more were tested and are not listed. " if tested > SHOWN else ""
    left = test["left_out"]
    given = [f"{WHO[one['who']]} (ε = {one['epsilon']:g}): {answer(one)}" for one in given_to(test)]
    used = counted(test["statements"], "statement", "statements")
    return [
        f"{rest}Not tested, with fewer than {test['min_statements']} statements in common or all "
        f"of one case: {counted(test['untested'], 'annotator', 'annotators')}.",
        f"{used} used, {test['of_two']:,} of them with two ratings only, where the others are one "
        f"person; left out: {left['rated_once']:,} with one rating, {left['failed']:,} where the "
        "judge failed.",
        f"May it stand in, by what the authors suggest to give? {'; '.join(given)}.",
    ]


def over_all(test: Figures) -> list[Sentence]:
    """Winning rate and advantage probability, of how many each, and why neither has an interval;
    nothing where nobody was tested."""
    if not test["tested"]:
        return []
    tested = counted_in(
        test["tested"], "annotator tested", "annotators tested", behind_of(test, "tested")
    )
    statements = counted_in(
        test["statements"], "statement", "statements", behind_of(test, "statements")
    )
    share, mean = percent(test["winning_rate"]["value"]), percent(test["advantage"]["value"])
    won = Figure(f"{test['won']:,}", behind_of(test, "won"))
    return [
        ["Winning rate: ", won, " of ", *tested, f" ({share}). {NO_SAMPLE}"],
        [
            f"Advantage probability: {mean}, the mean over ",
            *tested,
            " of how often the judge is as good, on ",
            *statements,
            f" in all. {SHARED}",
        ],
    ]


def given_to(test: Figures) -> list[Figures]:
    """The answers by ε, from the least that is given."""
    return sorted(test["by_epsilon"], key=lambda one: one["epsilon"])


def answer(one: Figures) -> str:
    if one["stands_in"] is None:
        return "undecided"
    return f"{'may' if one['stands_in'] else 'may not'}, {one['won']:,} won"


def on_a_page(figures: Figures) -> Mapping[str, Any]:
    """What a page shows of linked figures; empty for a report of before."""
    if "humans" not in figures:
        return {}
    people, test = figures["humans"], figures["alternative_annotator"]
    tested = [one for one in test["annotators"] if one["won"] is not None]
    return {
        "answers": in_pieces(figures),
        "rows": rows_of(people["ceiling"]),
        "meaning": MEANING,
        "test_meaning": TEST_MEANING,
        "annotators": tested[:ON_A_PAGE],
        "over_all": over_all(test),
        "unlisted": len(tested) > ON_A_PAGE,
        "given": [(WHO[one["who"]], one["epsilon"], answer(one)) for one in given_to(test)],
    }
