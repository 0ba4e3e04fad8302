"""Plain data (mappings, lists and single values) as the paths that lead to its values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

Path: TypeAlias = tuple[str | int, ...]


def _nothing_else(_node: Any) -> bool:
    return False


def leaves(
    node: Any, path: Path = (), *, whole: Callable[[Any], bool] = _nothing_else
) -> Iterator[tuple[Path, Any]]:
    """Every single value with the keys and numbers, counted from 0, that lead to it.

    An empty list or mapping is a value of its own, so that emptying one is a change; so is
    whatever ``whole`` says is not to be taken apart.
    """
    if not isinstance(node, Mapping | list) or not node or whole(node):
        yield path, node
        return
    for key, below in node.items() if isinstance(node, Mapping) else enumerate(node):
        yield from leaves(below, (*path, key), whole=whole)
