"""A confusion matrix as a heat map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from calibration.charts.figures import Cell, Figure, Linked
from calibration.charts.picture import Links, Picture
from calibration.charts.words import of, shown
from calibration.wording.numbers import percent


def heat_map(
    title: str,
    caption: str,
    labels: Sequence[str],
    table: Sequence[Sequence[int]],
    hrefs: Sequence[Sequence[str | None]],
) -> Figure:
    """Rows are the references, columns what the judge said, both in the order of ``labels``.

    A cell is the darker the greater its share of its row; its count stands in it, and where both
    sides agree it is framed. A cell that counts nothing is no link.
    """
    links = Links()
    names = [shown(label, 24) for label in labels]
    cells = [
        _cell(names, row, column, table, hrefs, links)
        for row in range(len(labels))
        for column in range(len(labels))
    ]
    picture = Picture(
        "heat", shown(title), shown(caption, 500), cells, links.found, {"labels": names}
    )
    headers = ["Reference ↓ judge →", *labels, "All"]
    return Figure(title, caption, picture, headers, _rows(labels, table, hrefs))


def _cell(
    names: Sequence[str],
    row: int,
    column: int,
    table: Sequence[Sequence[int]],
    hrefs: Sequence[Sequence[str | None]],
    links: Links,
) -> dict[str, Any]:
    count, n = table[row][column], sum(table[row])
    share = count / n if n else None
    name = f"Reference {names[row]}, judge {names[column]}: {of(count, n)}, {percent(share)}"
    return {
        "row": row,
        "column": column,
        "count": f"{count:,}",
        "said": percent(share),
        "share": share or 0.0,
        "agreed": row == column,
        "link": links.place(hrefs[row][column] if count else None, name),
    }


def _rows(
    labels: Sequence[str], table: Sequence[Sequence[int]], hrefs: Sequence[Sequence[str | None]]
) -> list[list[Cell]]:
    return [
        [
            label,
            *(
                Linked(f"{count:,}", href if count else None)
                for count, href in zip(counts, to, strict=True)
            ),
            f"{sum(counts):,}",
        ]
        for label, counts, to in zip(labels, table, hrefs, strict=True)
    ]
