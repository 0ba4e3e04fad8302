"""Agreement cell by cell, class by class, and by what else is known of a statement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from calibration.charts.figures import Figure
from calibration.rendering import pictures
from calibration.rendering.laid_out import RATE, Section, Table
from calibration.rendering.sentences import NOT_TOGETHER, classless
from calibration.wording.numbers import UNDEFINED, counted, rate_cells, rate_in_a_cell, words
from labeling.wording.vocabulary import sentence

Report = Mapping[str, Any]


def by_class(report: Report) -> Iterable[Section]:
    """Class × verdict and by class; where there are no classes, by verdict in their place."""
    why = classless(report)
    if why:
        yield _by(
            report["by_verdict"],
            "By verdict",
            f"{verdicts_alone(why)} Verdict right.",
            pictures.verdicts(report),
        )
        return
    yield _cells(report)
    yield _by(report["by_class"], "By class", "Class and verdict both right.")
    yield _by(report["by_verdict"], "By verdict", "Verdict right.")


def verdicts_alone(why: str) -> str:
    """What is to be said where agreement by verdict stands in the place of class × verdict."""
    return f"{sentence(why)}, so {NOT_TOGETHER}."


def _cells(report: Report) -> Section:
    cells = {(c["claim_class"], c["verdict"]): c for c in report["by_class_and_verdict"]}
    verdicts = report["confusion"]["verdict"]["labels"]
    rows = [
        (words(name), *(_cell(cells.get((name, verdict))) for verdict in verdicts))
        for name in report["confusion"]["class"]["labels"]
    ]
    return Section(
        "Class × verdict",
        [Table(("reference", *map(words, verdicts)), rows, numeric_last=True)],
        [
            "Class and verdict both right, of the compared statements with a class on both sides: "
            f"{report['overall']['n']:,}; the 95% interval in brackets. {UNDEFINED}: no statement "
            "was compared. Blank: the contract does not allow it."
        ],
        figures=[pictures.classes(report), pictures.cells(report)],
    )


def _cell(cell: Mapping[str, Any] | None) -> str:
    return "" if cell is None else rate_in_a_cell(cell)


def others(report: Report) -> Iterable[Section]:
    """By claim type, pair kind and speech act; by risk and tag where cases say any."""
    for key, title in (
        ("by_claim_type", "By claim type"),
        ("by_pair_kind", "By pair kind"),
        ("by_speech_act", "By speech act"),
    ):
        unstated = report["compared"] - sum(rate["n"] for rate in report[key].values())
        rest = counted(unstated, "compared statement has", "compared statements have")
        yield _by(report[key], title, f"Verdict right. {rest} none.")
    for key, title in (("by_risk", "By risk"), ("by_tag", "By tag")):
        if report.get(key):
            yield _by(report[key], title, f"Verdict right. {tagged(report['tags_left_out'][key])}")


def tagged(left_out: int) -> str:
    """What is to be said of a breakdown by tags, or by levels of risk."""
    several = "A case with several counts in each."
    if not left_out:
        return several
    others = counted(left_out, "other has", "others have")
    return f"{several} These are the most frequent; {others} been left out."


def _by(rates: Mapping[str, Any], title: str, note: str, *figures: Figure) -> Section:
    rows = [(name, *rate_cells(rate)) for name, rate in rates.items()]
    return Section(title, [Table(("", *RATE), rows)] if rows else [], [note], figures=figures)
