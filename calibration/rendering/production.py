"""What a production score means, in words and as a table. Each takes the dict of
`calibration.production.measure` and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from calibration.rendering import text
from calibration.rendering.laid_out import RATE, Document, Section, Table
from calibration.rendering.sentences import AUTHOR_ALONE, author_alone
from calibration.wording.numbers import (
    UNDEFINED,
    Figure,
    Sentence,
    minus,
    percent,
    percent_interval,
    rate_cells,
    read,
)

Measured = Mapping[str, Any]

SHARES: Final = ("raw", "rogan_gladen", "prediction_powered")
NAMES: Final = {
    "raw": "As the judge says",
    "rogan_gladen": "Rogan–Gladen",
    "prediction_powered": "Prediction-powered",
}
ASSUMED: Final = {
    "raw": "Holds if the judge never errs.",
    "rogan_gladen": "Holds if the judge errs in production as it does on these labelled "
    "statements, among the supported ones and among the others; how many are supported may differ.",
    "prediction_powered": "Holds if these labelled statements are a random sample of that very "
    "traffic. They are not where cases were written, or picked, to be hard: then do not read it.",
}
DEFINED: Final = (
    "Counted, here and in production, are the statements that the judge called supported, "
    "unsupported or contradictory. What the judge called not applicable is in no count. What is "
    "not applicable by its reference and was graded by the judge all the same counts as not "
    "supported: it stands in production's count too, and nothing supports it."
)
INDEPENDENT: Final = (
    "Each statement in production is taken to stand alone. Those of one answer stand together, so "
    "state how many independent ones they are worth (their effective n), or the intervals are too "
    "narrow."
)
SIDES: Final = {
    "sensitivity": "supported by its reference, and by the judge",
    "specificity": "not supported by its reference, nor by the judge",
}


def render(measured: Measured) -> str:
    return text.render(outline(measured))


def outline(measured: Measured) -> Document:
    rubric, run = measured["rubric"], measured["run"]
    labelled, reference = measured["labelled"], measured["reference"]
    return Document(
        title=f"Production by {rubric['name']}@{rubric['version']}, corrected by its errors on "
        f"{measured['set']['slug']}",
        sentences=[
            read(sentence(measured)),
            *([AUTHOR_ALONE] if author_alone(reference) else []),
            DEFINED,
        ],
        facts=[
            ("report", f"{measured['report']}, of run {run['id']} ({run['status']})"),
            ("labelled statements", f"{labelled['n']:,}"),
            (
                "not applicable by the reference",
                f"{labelled['not_applicable_by_people']:,} of these",
            ),
            ("left out", f"{labelled['left_out']:,}, not applicable by the judge"),
            ("effective n of production", _worth(measured)),
            ("reference digest", reference["digest"]),
        ],
        sections=[_shares(measured), _errors(measured)],
    )


def sentence(measured: Measured) -> Sentence:
    """What the raw share comes to once it is corrected."""
    raw, corrected = measured["raw"], measured["rogan_gladen"]
    if raw["rate"] is None:
        return [f"There is no share to correct: {raw['reason']}."]
    opening: Sentence = [
        "In production the judge passes ",
        Figure(f"{raw['count']:,}"),
        " of ",
        Figure(f"{raw['n']:,}"),
        f" statements ({percent(raw['rate'])}). Corrected for its errors it is ",
    ]
    uncut = outside(measured, "rogan_gladen")
    if corrected["value"] is None:
        return [*opening, Figure(UNDEFINED), f": {corrected['reason']}.", *_further(uncut)]
    told = f" ({percent_interval(corrected)}), if it errs there as it does here."
    return [*opening, Figure(percent(corrected["value"])), told, *_further(uncut)]


def outside(measured: Measured, name: str) -> str | None:
    """How far the corrected share called ``name`` would lie outside 0% to 100%, and whether chance
    can explain that; None where it lies inside."""
    uncut = measured["uncut"].get(name)
    if uncut is None or uncut["value"] is None or 0 <= uncut["value"] <= 1:
        return None
    beyond = 100 * max(-uncut["value"], uncut["value"] - 1)
    points = f"{beyond:.1f} points" if beyond >= 0.05 else "less than 0.1 points"
    told = minus(f"Uncut it is {percent(uncut['value'])} ({percent_interval(uncut)})")
    if measured[name]["value"] is None:  # its reason says already that they contradict each other
        return f"{told}, {points} outside."
    if uncut["interval"] is None:
        return f"{told}, {points} outside, from which nothing follows."
    return f"{told}, {points} outside, which chance in production or in the labels can explain."


def _further(said: str | None) -> Sentence:
    return [f" {said}"] if said else []


def share(measured: Measured, name: str) -> dict[str, Any]:
    """Each of `SHARES` with the keys of a rate, but for count and n: they differ in kind."""
    found = measured[name]
    value = found["rate"] if name == "raw" else found["value"]
    kept = {key: found[key] for key in ("n", "interval", "reason")}
    return {"rate": value, **kept}


def _worth(measured: Measured) -> str:
    worth = measured["production"]["effective_n"]
    return "as many as were judged" if worth is None else f"{worth:,g}"


def _shares(measured: Measured) -> Section:
    rows = []
    for name in SHARES:
        one = share(measured, name)
        of = "statements in production" if name == "raw" else "labelled statements"
        rows.append(
            (NAMES[name], percent(one["rate"]), percent_interval(one), f"{one['n']:,} {of}")
        )
    headers = ("share of supported statements", "share", "95% interval", "n")
    notes = [
        f"{NAMES[name]}: {read([ASSUMED[name], *_further(outside(measured, name))])}"
        for name in SHARES
    ]
    worth = measured["production"]["effective_n"]
    return Section("Shares", [Table(headers, rows)], [*notes, *([] if worth else [INDEPENDENT])])


def _errors(measured: Measured) -> Section:
    rows = [(f"{name}: {said}", *rate_cells(measured[name])) for name, said in SIDES.items()]
    return Section("The judge on the labelled statements", [Table(("", *RATE), rows)])
