"""What is said of a version that judged the same statements again: whether its verdicts moved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from calibration.rendering.laid_out import Section, Table
from calibration.wording.numbers import Figure, Sentence, counted, p_value, percent, words
from labeling.wording.vocabulary import sentence

Told = Mapping[str, Any]

NO_MODEL: Final = "a model that did not report its name"
RESULTS: Final = {
    "alarm": "alarm",
    "quiet": "no change beyond chance",
    "too_little": "too little to tell",
}


def said(told: Told) -> list[Sentence]:
    """An alarm for each comparison that raised one, or why there is none."""
    pairs = told["pairs"]
    alarms = [alarm(pair) for pair in pairs if pair["result"] == "alarm"]
    if alarms:
        return alarms
    if not pairs:
        return [
            [
                "Drift cannot be seen yet: no version was run twice, nor answered by two models, "
                "on the same statements."
            ]
        ]
    able = [pair for pair in pairs if pair["result"] == "quiet"]
    few = len(pairs) - len(able)
    little = f"{counted(few, 'comparison has', 'comparisons have')} too little in common"
    if not able:
        return [[f"Drift cannot be told yet: {little}."]]
    quiet = (
        f"No drift alarm: of {counted(len(able), 'comparison', 'comparisons')} of one version "
        "with itself, on the same statements, none moved beyond chance."
    )
    return [[f"{quiet} {sentence(little)}." if few else quiet]]


def alarm(pair: Told) -> Sentence:
    """What moved in which direction, how many statements, and how sure."""
    verdict, test = _strongest(pair)
    behind = test.get("behind", {})
    more = "more often" if test["gained"] > test["lost"] else "less often"
    return [
        f"Drift: {pair['later']['rubric']} judged {words(verdict)} {more} in "
        f"{telling(pair['later'])} than in {telling(pair['earlier'])}. On the same ",
        Figure(f"{pair['statements']:,}", behind.get("common")),
        " statements it went from ",
        Figure(f"{test['before']:,}", behind.get("before")),
        " to ",
        Figure(f"{test['after']:,}", behind.get("after")),
        ": ",
        Figure(f"{test['gained']:,}", behind.get("gained")),
        " newly, ",
        Figure(f"{test['lost']:,}", behind.get("lost")),
        f" no longer (exact p after Holm = {p_value(test['p_holm'])}).",
    ]


def _strongest(pair: Told) -> tuple[str, Told]:
    """The verdict whose change is surest; `supported`, which comes first, where several are."""
    tested = [(name, one) for name, one in pair["verdicts"].items() if one["p_holm"] is not None]
    return min(tested, key=lambda item: float(item[1]["p_holm"]))


def telling(one: Told) -> str:
    return f"run {one['run']} ({one['model'] or NO_MODEL}, {one['at'][:10]})"


def sections(told: Told, listed: int) -> Iterator[Section]:
    if not told["tellings"]:
        return
    names = list(told["tellings"][0]["verdicts"])
    rows = [
        (
            f"{one['rubric']}, {telling(one)}",
            f"{one['n']:,}",
            *(percent(one["verdicts"][name]["rate"]) for name in names),
        )
        for one in told["tellings"]
    ]
    yield Section(
        f"Verdicts by reported model, revision {told['revision']}",
        [Table(("", "n", *map(words, names)), rows, numeric_last=True)],
    )
    if told["pairs"]:
        yield _pairs(told["pairs"], listed)


def _pairs(pairs: Sequence[Told], listed: int) -> Section:
    shown = alarms_first(pairs)[:listed]
    rows = [
        (
            f"{pair['later']['rubric']}: {telling(pair['later'])} after {telling(pair['earlier'])}",
            f"{pair['statements']:,}",
            f"{pair['differ']:,}",
            f"{pair['verdicts']['supported']['gained']:,}",
            f"{pair['verdicts']['supported']['lost']:,}",
            p_value(_least(pair)),
            RESULTS[pair["result"]],
        )
        for pair in shown
    ]
    headers = ("same version", "n", "differ", "newly supported", "no longer", "p, Holm", "")
    left = len(pairs) - len(shown)
    notes = [f"{counted(left, 'comparison is', 'comparisons are')} not listed."] if left else []
    return Section("The same statements again", [Table(headers, rows)], notes)


def alarms_first(pairs: Sequence[Told]) -> list[Told]:
    return sorted(pairs, key=lambda pair: list(RESULTS).index(pair["result"]))


def _least(pair: Told) -> float | None:
    found = [one["p_holm"] for one in pair["verdicts"].values() if one["p_holm"] is not None]
    return min(found, default=None)
