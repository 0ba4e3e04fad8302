"""The JSON Schema of the format, generated from the models.

``python -m grounding.interchange.schema`` prints what ``schema.json`` beside this
file must hold. A schema says less than the readers check: nothing of spans,
quotes, contract or other lines.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final

from grounding.interchange.bundle import PARTS
from grounding.interchange.models import Manifest, Record

PUBLISHED: Final = Path(__file__).with_name("schema.json")
_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def schemas() -> dict[str, dict[str, Any]]:
    """One JSON Schema for each part (``cases``, ``labels`` …: of one line) and ``manifest``."""
    found = {str(part): _schema(model) for part, model in PARTS.items()}
    return {**found, "manifest": _schema(Manifest)}


def text() -> str:
    """The published file."""
    return json.dumps(schemas(), ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def _schema(model: type[Record]) -> dict[str, Any]:
    return {"$schema": _DIALECT, **model.model_json_schema(mode="validation")}


if __name__ == "__main__":
    sys.stdout.write(text())
