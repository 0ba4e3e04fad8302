"""Which of its outputs means what, by the names that a model's own configuration gives them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from grounding.errors import Refused

Meaning = Literal["entailment", "neutral", "contradiction", "not_entailment"]

_SPELLINGS: Final[Mapping[str, Meaning]] = {
    **dict.fromkeys(("entailment", "entail", "entails", "entailed"), "entailment"),
    "neutral": "neutral",
    **dict.fromkeys(
        ("contradiction", "contradict", "contradicts", "contradicted", "contradictory"),
        "contradiction",
    ),
    **dict.fromkeys(("notentailment", "nonentailment", "notentailed"), "not_entailment"),
}
_MENUS: Final = (
    frozenset({"entailment", "neutral", "contradiction"}),
    frozenset({"entailment", "not_entailment"}),
)


def meanings(config: Mapping[str, Any], model: str) -> tuple[Meaning, ...]:
    """What each output of the model means, in their order, whatever that is.

    ``config`` is the model's own. Raises Refused, with the names that it gives, for any that
    are not entailment, neutral and contradiction, or entailment and its absence, once each.
    """
    named = config.get("id2label")
    if not isinstance(named, Mapping) or not named:
        raise Refused(f"{model} does not say what its outputs mean (id2label)")
    try:
        names = [str(named[key]) for key in sorted(named, key=int)]
    except ValueError:
        raise Refused(f"{model} numbers its outputs by something else than numbers") from None
    found = [_SPELLINGS.get(_plain(name)) for name in names]
    meant = tuple(one for one in found if one is not None)
    if len(meant) != len(names) or len(set(meant)) != len(meant) or frozenset(meant) not in _MENUS:
        raise Refused(
            f"{model} calls its outputs {', '.join(names)}; known are entailment, neutral and "
            "contradiction, or entailment and not_entailment, once each"
        )
    return meant


def _plain(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalpha())
