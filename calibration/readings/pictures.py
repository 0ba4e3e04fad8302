"""Pictures that have been drawn are kept: of a frozen report they never change.

A picture is found by the digest of what it is made from and of the way of drawing, so nothing
has to be told when either changes, and whatever page shows the same picture finds it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from django.utils.safestring import SafeString, mark_safe

from calibration.charts import Figure, NotDrawn
from calibration.models import DrawnPicture


def kept(figures: Sequence[Figure]) -> list[Figure]:
    """The figures with their pictures, in their order: one query, and what is not there yet is
    drawn and stored. One that cannot be drawn is left to its table."""
    digests = [figure.picture.digest for figure in figures]
    rows = DrawnPicture.objects.filter(digest__in=digests).values_list("digest", "svg")
    # Only what `charts` drew, and with that cleaned, is ever stored.
    held = {digest: mark_safe(svg) for digest, svg in rows}  # noqa: S308
    drawn = dict(_drawn(zip(digests, figures, strict=True), held))
    _store({digest: svg for digest, svg in drawn.items() if svg})
    return [
        replace(figure, drawn=held.get(digest, drawn.get(digest)))
        for digest, figure in zip(digests, figures, strict=True)
    ]


def _drawn(
    wanted: Iterable[tuple[str, Figure]], held: dict[str, SafeString]
) -> Iterable[tuple[str, SafeString]]:
    for digest, figure in wanted:
        if digest in held:
            continue
        try:
            yield digest, figure.svg
        except NotDrawn:
            yield digest, mark_safe("")


def _store(drawn: dict[str, SafeString]) -> None:
    # Another request may have drawn the same one meanwhile.
    rows = [DrawnPicture(digest=digest, svg=svg) for digest, svg in drawn.items()]
    if rows:
        DrawnPicture.objects.bulk_create(rows, ignore_conflicts=True)
