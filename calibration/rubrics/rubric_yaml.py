"""A rubric definition as YAML, every text quoted so that it is read back letter for letter."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import yaml


def as_yaml(definition: Mapping[str, Any]) -> str:
    """The definition as YAML that `grounding.rubrics.load_rubric` reads back."""
    return _written(json.dumps(dict(definition)))


@lru_cache(maxsize=64)
def _written(definition: str) -> str:
    # What was released never changes, and every view of a report shows it.
    return yaml.dump(
        json.loads(definition),
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=10_000,
    )


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def _quoted(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    # What YAML's versions read differently (1e3, 0o7, dates) is any text but a plain word.
    style = None if re.fullmatch("[a-z_]+", text) else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _quoted)
