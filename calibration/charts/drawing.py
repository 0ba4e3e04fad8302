"""From a picture's data to SVG: the only place where altair and vl-convert are set to work."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import Any, Final

from django.utils.safestring import SafeString

from calibration.charts import cleaning
from calibration.charts.figures import Picture

_KEPT: Final = 256
"""Pictures of about 10 kB that a process keeps."""

PLACEHOLDER: Final = "https://link.invalid/"
"""A link is drawn as this and its place; the real address never meets the drawing engine."""


def draw(picture: Picture) -> SafeString:
    """The picture as inline SVG. Takes about a tenth of a second, the first one in a process two
    seconds; a picture that the process has drawn before comes at once."""
    return _drawn(_Keyed(picture))


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
    return cleaning.clean(_converted(specification(picture)), picture, PLACEHOLDER)


def specification(picture: Picture) -> dict[str, Any]:
    """The Vega-Lite specification, made and checked by altair."""
    drawn = import_module(f"calibration.charts.drawn.{picture.kind}")
    theme = import_module("calibration.charts.drawn.theme")
    made: dict[str, Any] = theme.dressed(drawn.chart(picture.data)).to_dict()
    return made


def _converted(spec: dict[str, Any]) -> str:
    import vl_convert

    # Nothing may be fetched: no address is allowed.
    return vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
