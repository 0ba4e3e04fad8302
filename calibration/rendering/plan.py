"""A plan of labels and a regression suite, in words and as tables. Each takes the dict that the
command prints and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from calibration.rendering import text
from calibration.rendering.laid_out import Document, Section, Table
from calibration.wording.numbers import UNDEFINED, counted, words

UNLABELLED: Final = "unlabelled"

Planned = Mapping[str, Any]

BY_AUTHOR: Final = (
    "A statement that nobody has labelled is taken to fall where its author expects it. Where the "
    "author expects nothing its cell is not known; and people may put any of them elsewhere."
)
NOTHING_LEFT: Final = (
    "Every statement that would serve a cell is labelled, or asked for by a queue already."
)
ENOUGH: Final = "No cell needs more labels."
CLUSTERS: Final = (
    "Statements of one pair, else of one case, are taken to stand and fall together: nothing else "
    "is known of them without a judge. A design effect that was measured can be stated instead."
)


def render(planned: Planned) -> str:
    return text.render(outline(planned))


def outline(planned: Planned) -> Document:
    asked = planned["asked"]
    effect = asked["design_effect"]
    return Document(
        title=f"Labels that {planned['set']['slug']} needs",
        sentences=[sentence(planned), BY_AUTHOR, *([] if effect else [CLUSTERS])],
        facts=[
            ("interval", f"± {points(asked['margin'])} points at 95%, in each cell"),
            ("share to be measured", f"{asked['share']:g}"),
            ("design effect", f"{effect:g}, as stated" if effect else "by pairs and cases"),
            ("revision", str(planned["set"]["revision"])),
            ("disputed", f"{planned['disputed']:,} statements, to be adjudicated"),
            ("seed", str(asked["seed"])),
        ],
        sections=[_cells(planned), _next(planned)],
    )


def sentence(planned: Planned) -> str:
    """What it takes in all, and where it is to come from."""
    total, cells = planned["total"], len(planned["cells"])
    opening = (
        f"An interval of ± {points(planned['asked']['margin'])} points in each of "
        f"{counted(cells, 'cell', 'cells')} takes {total['needed']:,} labels; "
        f"{total['labelled']:,} {_are(total['labelled'])} there, and {total['more']:,} more "
        f"{_are(total['more'])} needed."
    )
    if not total["more"]:
        return opening
    return f"{opening} {_whence(total, planned['unknown'][UNLABELLED])}"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _whence(total: Planned, unknown: int) -> str:
    statements = counted(unknown, "statement", "statements")
    besides = f" The cell of {statements} besides is not known." if unknown else ""
    coming = total["more"] - total["to_ask"] - total["to_write"]
    return (
        f"Of these {coming:,} will come from queues that are open, {total['to_ask']:,} can be "
        f"asked for on statements that are there, and for {total['to_write']:,} new statements "
        f"have to be written.{besides}"
    )


def points(share: float | None) -> str:
    """A half-width in percentage points."""
    return UNDEFINED if share is None else f"{100 * share:.1f}"


def cell_name(cell: Mapping[str, Any]) -> str:
    return " ".join(words(word) for word in (cell["claim_class"], cell["verdict"]) if word)


_HEADERS: Final = (
    *("cell", "labelled", "± now", "needed", "more", "in queues", "to ask", "to write"),
)


def _cells(planned: Planned) -> Section:
    rows = [_row(cell_name(cell), cell) for cell in planned["cells"]]
    total, unknown, together = planned["total"], planned["unknown"], planned["together"]
    rows.append(
        ("all cells", *(f"{total[name]:,}" if name else "" for name in _NUMBERS)),
    )
    rows.append(_row("one rate over all", together))
    notes = [
        *_tiers(planned),
        f"In no cell: {unknown['labelled']:,} labelled without a class, {unknown['waiting']:,} in "
        f"queues and {unknown['unlabelled']:,} unlabelled whose cell is not known.",
    ]
    return Section("Cells", [Table(_HEADERS, rows, numeric_last=True)], notes)


_NUMBERS: Final = ("labelled", "", "needed", "more", "waiting", "to_ask", "to_write")


def _row(name: str, cell: Mapping[str, Any]) -> tuple[str, ...]:
    numbers = (f"{cell[key]:,}" if key else points(cell["half_width"]) for key in _NUMBERS)
    return (name, *numbers)


def _tiers(planned: Planned) -> list[str]:
    """Of the cells that people have labelled, by which tier."""
    return [
        f"{cell_name(cell)}: "
        + ", ".join(f"{count:,} {tier}" for tier, count in cell["tiers"].items() if count)
        for cell in planned["cells"]
        if cell["labelled"]
    ]


def _next(planned: Planned) -> Section:
    rows = [
        (f"{one['case_id']} {one['statement_id']}", cell_name(one) or "not known")
        for one in planned["next"]
    ]
    title = f"Label next: {counted(len(rows), 'statement', 'statements')}"
    if not rows:
        return Section(
            title, notes=["No statement that is there would serve a cell that needs more."]
        )
    return Section(title, [Table(("statement", "expected by its author"), rows)])


def render_suite(suite: Planned) -> str:
    return text.render(suite_outline(suite))


def suite_outline(suite: Planned) -> Document:
    coverage = [
        (cell_name(one), f"{one['pairs']:,}", f"{one['available']:,}") for one in suite["coverage"]
    ]
    pairs = [
        (one["pair_id"], words(one["pair_kind"] or "kind not stated"), ", ".join(one["case_ids"]))
        for one in suite["pairs"]
    ]
    headers = ("cell", "pairs", "of")
    return Document(
        title=f"A regression suite of {suite['set']['slug']}",
        sentences=[suite_sentence(suite)],
        facts=[
            ("references", f"down to the tier {suite['reference']['minimum']}"),
            ("left out", f"{suite['left_out']:,}: not two sides, or a statement without reference"),
            ("seed", str(suite["seed"])),
        ],
        sections=[
            Section("How it covers each cell", [Table(headers, coverage, numeric_last=True)]),
            Section("Pairs", [Table(("pair", "kind", "cases"), pairs)] if pairs else ()),
        ],
    )


def suite_sentence(suite: Planned) -> str:
    taken, available = len(suite["pairs"]), suite["available"]
    if not taken:
        return "No pair has a reference on every statement of both its sides, so none is proposed."
    told = f"{counted(taken, 'pair', 'pairs')} of {available:,}, balanced over their cells."
    if taken == available and taken < suite["size"]:
        return f"{told} These are all there are; {suite['size']:,} were asked for."
    return f"{told} A smaller suite is the first of them."
