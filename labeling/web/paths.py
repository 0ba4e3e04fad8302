"""What may stand in a URL's path: ids by the rule for ids, and free text without U+0000,
which no database could be asked about. Imported by whoever uses ``<id:…>`` or ``<free:…>``."""

from __future__ import annotations

from django.urls import register_converter
from django.urls.converters import StringConverter

from grounding.interchange.models import MAX_ID


class Id(StringConverter):
    regex = rf"[A-Za-z0-9._:\-]{{1,{MAX_ID}}}"


class Free(StringConverter):
    """Any text, slashes and line ends too: the version of something recorded elsewhere."""

    regex = rf"[^\x00]{{1,{MAX_ID}}}"


register_converter(Id, "id")
register_converter(Free, "free")
