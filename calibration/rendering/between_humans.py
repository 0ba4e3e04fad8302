"""What annotators' agreement says, laid out like a report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from calibration.rendering import humans, text
from calibration.rendering.laid_out import COEFFICIENT, RATE, Document, Section, Table
from calibration.wording.numbers import (
    coefficient_cells,
    decimal,
    decimal_interval,
    percent_interval,
    rate_cells,
    share_of,
    words,
)

REASONS: Final = {
    "revealed": "made after a judge's output, the answer key or another's label was shown",
    "model": "written by a model",
    "selected": "on a statement chosen in a way that depends on judges",
    "other_contract": "made under another major version of the contract",
    "single": "the only rating of its statement",
}


def render(measured: Mapping[str, Any], slug: str) -> str:
    """The dict of `calibration.agreement.between_humans.measure`, for a terminal."""
    return text.render(outline(measured, slug))


def outline(measured: Mapping[str, Any], slug: str) -> Document:
    return Document(
        title=f"Agreement between humans on {slug}",
        sentences=[how_much(measured)],
        facts=[
            ("statements with two ratings or more", f"{measured['units']:,}"),
            ("ratings of these", f"{measured['ratings']:,}"),
            ("contract major version", str(measured["contract_major"])),
            ("seed of the intervals", str(measured["seed"])),
        ],
        sections=[
            _each("Each verdict against all others", measured["per_verdict"]),
            _each("Each class against all others", measured["per_class"]),
            _excluded(measured["excluded"]),
            *_beside(measured.get("against")),
        ],
    )


def _beside(against: Mapping[str, Any] | None) -> Iterable[Section]:
    """A judge, where one was asked for."""
    if against is None:
        return
    rubric, run = against["rubric"], against["run"]
    judge = f"{rubric['name']}@{rubric['version']}"
    yield Section(
        f"Beside {judge}",
        notes=[
            f"Run {run['id']}, {run['status']}, on revision {run['revision']} of the set; only "
            "ratings under its contract's major version."
        ],
    )
    yield from humans.sections(against)


def how_much(measured: Mapping[str, Any], places: int = 4) -> str:
    """Alpha and pairwise agreement in two sentences."""
    alpha, pairwise = measured["alpha"], measured["pairwise"]
    if not pairwise["n"]:
        return (
            "No statement has two blind ratings, so there is neither Krippendorff's alpha nor a "
            "pair of ratings to compare."
        )
    return (
        f"Krippendorff's alpha of the verdict is {decimal(alpha['value'], places)} "
        f"({decimal_interval(alpha, places)}) over {alpha['n']:,} statements. Of all pairs of "
        f"ratings of the same statement {share_of(pairwise)} agree ({percent_interval(pairwise)})."
    )


def _each(title: str, by_word: Mapping[str, Any]) -> Section:
    rows = [(words(name), *coefficient_cells(both["alpha"])) for name, both in by_word.items()]
    pairs = [(words(name), *rate_cells(both["pairwise"])) for name, both in by_word.items()]
    return Section(
        title,
        [Table(("alpha", *COEFFICIENT), rows), Table(("both say it", *RATE), pairs)],
        ["n of alpha: statements; n below: pairs of ratings of which at least one says it."],
    )


def _excluded(excluded: Mapping[str, int]) -> Section:
    rows = [(f"{words(name)}: {REASONS[name]}", f"{n:,}") for name, n in excluded.items()]
    return Section("Labels left out", [Table(("", "labels"), rows, numeric_last=True)])
