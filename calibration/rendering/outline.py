"""What a report says, in order: titles, notes, tables and items of plain text.

Written once; the renderers only set it in type. Nothing here is escaped, and everything
that came from outside must be by whoever prints it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from calibration.agreement.pairs import shares
from calibration.rendering import (
    answers,
    breakdowns,
    failing,
    holdout,
    humans,
    making,
    pictures,
    selfcheck,
    sureness,
)
from calibration.rendering.laid_out import COEFFICIENT, RATE, Document, Section, Table
from calibration.rendering.sentences import (
    AUTHOR_ALONE,
    author_alone,
    classless,
    sentences,
)
from calibration.stats.confusion import NEVER_JUDGED, NEVER_REFERENCED, UNUSED
from calibration.wording.numbers import (
    UNDEFINED,
    Number,
    coefficient_cells,
    decimal,
    rate_cells,
    rate_in_a_cell,
    read,
    share_of,
    words,
)

Report = Mapping[str, Any]

MEANINGS: Final = {
    "lenient": "reference unsupported or contradictory, judged supported",
    "strict": "reference supported, judged unsupported or contradictory",
    "class_escape": "reference subject-specific, judged another class",
    "other": "any other difference",
}
TIER_MEANINGS: Final = {
    "adjudicated": "a decision between labels",
    "consensus": "most of two or more blind labels",
    "single": "one blind label",
    "author": "no label, the author's expectation",
    "disputed": "blind labels without a majority",
    "none": "neither label nor expectation",
}
PAIR_MEANINGS: Final = {
    "both_right": "both sides right",
    "lenient_collapse": "the judge passes both sides",
    "strict_collapse": "the judge passes neither side",
    "inverted": "the judge passes the wrong side",
    "other": "any other mistake",
    "incomplete": "a failure or a missing reference on either side",
}
PAIR_SHARES: Final = (
    "Shares are of the complete pairs, that of incomplete ones of all. A pair counts once, "
    "whatever it holds."
)


FLOOR_MEANINGS: Final = {
    "learned": "It learned from this set's own references and grades what it did not see: a floor "
    "for any judge that costs more. Same statements for both.",
    "lexical": "It compares words and asks no model. Same statements for both.",
}


FLOOR_RATES: Final = {
    "verdict": "verdict",
    "right": "class too where stated",
    "lenient": "lenient",
    "strict": "strict",
}


def outline(report: Report, listed: int) -> Document:
    """``report`` with its first ``listed`` disagreements, and the count of the rest."""
    rubric, measured = report["rubric"], report["set"]
    version = f"{rubric['name']}@{rubric['version']}"
    return Document(
        title=f"{version} on {measured['slug']}, revision {measured['revision']}",
        sentences=[*sentences(report), *making.standard(report)],
        facts=making.facts(report),
        sections=[
            _outcomes(report),
            _references(report),
            _agreement(report),
            *_floors(report),
            *humans.sections(report),
            *breakdowns.by_class(report),
            *breakdowns.others(report),
            _directions(report),
            *sureness.severity(report),
            _pairs(report),
            *sureness.confidence(report),
            *sureness.evidence(report),
            *_itself(report),
            *_holdout(report),
            *answers.sections(report, listed),
            _coefficients(report),
            *_each(report),
            *(_confusion(report, which) for which in _passes(report)),
            failing.section(report, listed),
            *making.sections(report),
        ],
    )


def _outcomes(report: Report) -> Section:
    rows = [(words(name), f"{n:,}") for name, n in report["outcomes"].items()]
    compared = [
        (words(name), f"{report[name]:,}")
        for name in (
            "compared",
            "without_reference",
            "class_not_labelled",
            "class_not_judged",
            "without_evidence",
        )
    ]
    return Section(
        "Outcomes",
        [
            Table(("planned judgments", "count"), rows, numeric_last=True),
            Table(("graded judgments", "count"), compared, numeric_last=True),
        ],
        [
            "planned = graded + every failure; graded = compared + without reference. "
            "A failure enters no rate."
        ],
    )


def _references(report: Report) -> Section:
    rows = [(tier, f"{n:,}") for tier, n in report["reference"]["tiers"].items()]
    notes = [AUTHOR_ALONE] if author_alone(report["reference"]) else []
    return Section("References", [Table(("tier", "statements"), rows, numeric_last=True)], notes)


def _agreement(report: Report) -> Section:
    floor = report["floor"]
    rows = [
        ("verdict", *rate_cells(report["verdict"])),
        ("class", *rate_cells(report["class"])),
        ("class and verdict", *rate_cells(report["overall"])),
        *(
            ("verdict, of those with the right class", *rate_cells(report[key]))
            for key in ("verdict_given_class",)
            if key in report
        ),
        ("floor: always the commonest verdict", *rate_cells(floor["always_majority"])),
        ("floor: always the commonest cell", *rate_cells(floor["always_majority_cell"])),
    ]
    return Section("Agreement", [Table(("", *RATE), rows)])


def _floors(report: Report) -> Iterable[Section]:
    """Nothing where no floor was asked for, as in what a terminal shows first."""
    for each in report["floor"].get("judges", ()):
        rubric = each["rubric"]
        name = f"{rubric['name']}@{rubric['version']}"
        rows = [
            (f"{told}, {which}", *rate_cells(each[key][side]))
            for key, told in FLOOR_RATES.items()
            for side, which in (("judge", "this judge"), ("floor", name))
        ]
        yield Section(
            f"Beside the {each['kind']} judge",
            [Table(("", *RATE), rows)],
            [FLOOR_MEANINGS[each["kind"]]],
        )


def _holdout(report: Report) -> Iterable[Section]:
    """Nothing of a report that was frozen before looks were counted, or with nothing held out."""
    told = report.get("holdout")
    if told and told["statements"]:
        yield Section("Hold-out", notes=[read(holdout.of_report(told))])


def _passes(report: Report) -> Sequence[str]:
    return ("verdict",) if classless(report) else ("verdict", "class")


def _directions(report: Report) -> Section:
    rows = [
        (f"{words(name)}: {MEANINGS[name]}", *rate_cells(report[name]))
        for name in ("lenient", "strict", "class_escape")
    ]
    floor = report["floor"]
    floors = [
        (f"floor: always the commonest verdict, {name}", *rate_cells(floor[key]))
        for name in ("lenient", "strict")
        if (key := f"always_majority_{name}") in floor
    ]
    table = Table(("", *RATE), [*rows, *floors])
    return Section("Direction of errors", [table], figures=[pictures.directions(report)])


def _pairs(report: Report) -> Section:
    found = shares(report["pairs"])
    rows = [
        (f"{words(name)}: {meaning}", *rate_cells(found[name]))
        for name, meaning in PAIR_MEANINGS.items()
    ]
    title = f"Pairs ({report['pairs']['n']:,})"
    return Section(title, [Table(("outcome", *RATE), rows)], [PAIR_SHARES])


def _itself(report: Report) -> Iterable[Section]:
    told = selfcheck.in_pieces(report)
    if told:
        notes = [f"{selfcheck.TITLES[name]}. {read(said)}" for name, said in told.items()]
        yield Section("The judge itself", notes=notes)


def _coefficients(report: Report) -> Section:
    seeded = f"Intervals resample pairs, else cases, with seed {report['seed']}."
    rows = [
        (f"{name}, {which}", *coefficient_cells(report[key][which]))
        for key, name in (("kappa", "Cohen's kappa"), ("ac1", "Gwet's AC1"), ("mcc", "Matthews"))
        for which in ("verdict", "class")
    ]
    return Section(
        "Beyond chance",
        [Table(("", *COEFFICIENT), rows)],
        [f"{_base_rate(report)}{seeded}"],
    )


def _base_rate(report: Report) -> str:
    if not report["verdict"]["n"]:
        return ""
    return (
        f"Read beside the agreement, {share_of(report['verdict'])}, and the base rate: the "
        "commonest verdict of the references is that of "
        f"{share_of(report['floor']['always_majority'])}. "
    )


def _each(report: Report) -> Iterable[Section]:
    for key, title in (("per_verdict", "Each verdict"), ("per_class", "Each class")):
        if key in report:
            yield _scores(report[key], title)


def _scores(per_word: Mapping[str, Any], title: str) -> Section:
    rows = [
        (words(name), *map(rate_in_a_cell, (scores["precision"], scores["recall"])), *_f1(scores))
        for name, scores in per_word.items()
    ]
    return Section(
        title,
        [
            Table(
                (
                    "",
                    "precision, 95% interval",
                    "recall, 95% interval",
                    "F1",
                    "n of F1",
                    "95% interval",
                ),
                rows,
            )
        ],
        [
            f"{key.capitalize()} {UNDEFINED}: {why}."
            for key, why in _WHY_UNDEFINED.items()
            if any(_is_undefined(scores[key]) for scores in per_word.values())
        ],
    )


_WHY_UNDEFINED: Final = {"precision": NEVER_JUDGED, "recall": NEVER_REFERENCED, "f1": UNUSED}


def _is_undefined(figure: Number | float | None) -> bool:
    return (figure["rate"] if isinstance(figure, Mapping) else figure) is None


def _f1(scores: Mapping[str, Any]) -> tuple[str, str, str]:
    """Of a report from before F1 had an interval, the number alone."""
    if "f1_score" in scores:
        return coefficient_cells(scores["f1_score"])
    return decimal(scores["f1"]), UNDEFINED, UNDEFINED


def _confusion(report: Report, which: str) -> Section:
    labels = report["confusion"][which]["labels"]
    counts = report["confusion"][which]["rows_human_columns_judge"]
    rows = [
        (words(name), *(f"{n:,}" for n in row), f"{sum(row):,}")
        for name, row in zip(labels, counts, strict=True)
    ]
    headers = ("reference ↓ judge →", *map(words, labels), "n")
    table, picture = Table(headers, rows, numeric_last=True), pictures.confusion(report, which)
    return Section(f"Confusion of the {which}", [table], figures=[picture])
