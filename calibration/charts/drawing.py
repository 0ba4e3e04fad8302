"""From a picture's data to SVG that is fit for a page."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from django.utils.safestring import SafeString

from calibration.charts import cleaning, vega
from calibration.charts.engine import ENGINE, NotDrawn
from calibration.charts.picture import Picture

logger = logging.getLogger(__name__)

_KEPT: Final = 256
"""Pictures of about 10 kB that a process keeps."""

PLACEHOLDER: Final = "https://link.invalid/"
"""A link is drawn as this and its place; the real address never meets the drawing engine."""


def draw(picture: Picture) -> SafeString:
    """The picture as inline SVG; raises `NotDrawn`. Takes about a tenth of a second, the first one
    a second more; a picture that this process has drawn before comes at once."""
    try:
        return _drawn(_Keyed(picture))
    except NotDrawn as error:
        logger.error("a picture was not drawn (%s): %s", picture.kind, error)
        raise


def draw_ahead(pictures: Iterable[Picture]) -> None:
    """Begin to draw what `draw` will be asked for soon. Where it leads does not matter, only
    whether it leads anywhere: addresses are not drawn."""
    ENGINE.ahead([specification(picture) for picture in pictures])


class _Keyed:
    """A picture that is told from others by its digest, since its data cannot be hashed."""

    def __init__(self, picture: Picture) -> None:
        self.picture = picture
        self.digest = picture.digest

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Keyed) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)


@lru_cache(maxsize=_KEPT)
def _drawn(keyed: _Keyed) -> SafeString:
    picture = keyed.picture
    return cleaning.clean(ENGINE.svg(specification(picture)), picture, PLACEHOLDER)


def specification(picture: Picture) -> dict[str, Any]:
    """The picture in Vega-Lite, its links as placeholders."""
    return vega.specification(picture, [_with_link(row) for row in picture.rows])


def _with_link(row: Mapping[str, Any]) -> dict[str, Any]:
    link = row.get("link")
    return {**row, "href": None if link is None else f"{PLACEHOLDER}{link}"}
