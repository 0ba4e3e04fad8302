"""What the buttons of the form do: rows added and taken away, the other side started."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import fields, is_dataclass
from functools import partial
from itertools import count
from typing import Any, Final

from grounding.errors import BadInput
from grounding.interchange.models import MAX_ID
from grounding.splitting import Claim, Sentence, claims_of, sentences_of
from grounding.splitting.premises import premises
from labeling.authoring.caseforms.places import sentence_place
from labeling.authoring.caseforms.typed import (
    FOUND,
    NOWHERE,
    TypedCase,
    TypedEvidence,
    TypedPair,
    TypedPassage,
    TypedStatement,
)

# Beyond it the server would not read the form; the rest of the fields are the page's own.
MAX_FIELDS: Final = 1_900
_ACT: Final = re.compile(
    r"(?P<verb>add|remove|split|claims|premises|copy)\.(?P<side>[ab])"
    r"(?:\.(?P<list>context|retrieved|statements)"
    r"(?:\.(?P<row>[0-9]{1,4})(?P<evidence>\.expected\.evidence(?:\.(?P<quote>[0-9]{1,4}))?)?)?)?"
)
_SIDE_END: Final = re.compile(r"(?<=[._:-])(a|A|1)$")
_OTHER_END: Final = {"a": "b", "A": "B", "1": "2"}


def new_case(case_id: str = "") -> TypedCase:
    made = TypedCase(case_id=case_id)
    made.context.append(TypedPassage(id="p1"))
    made.statements.append(TypedStatement(statement_id="s1"))
    return made


def act(pair: TypedPair, button: str) -> bool:
    """Do to ``pair`` what ``button`` says; False where it is no button of rows.

    BadInput where the form would outgrow what a server reads.
    """
    found = _ACT.fullmatch(button)
    if found is None:
        return False
    side = pair.sides.get(found["side"])
    if found["verb"] == "copy":
        _copy(pair)
    elif side is not None and found["verb"] in _OF_ANSWER:
        _split(side, _OF_ANSWER[found["verb"]](side.answer))
    elif side is not None and found["verb"] == "premises":
        _add_premises(side, int(found["row"] or 0))
    elif side is not None and found["list"]:
        _on_row(side, found)
    elif found["verb"] == "remove" and found["side"] == "b":
        pair.sides.pop("b", None)
    if size(pair) > MAX_FIELDS:
        raise BadInput("this form is full; write the rest in a file and import it")
    return True


def size(typed: Any) -> int:
    """How many fields the form of ``typed`` has."""
    if isinstance(typed, list):
        return sum(map(size, typed))
    if isinstance(typed, dict):
        return sum(map(size, typed.values()))
    if is_dataclass(typed):
        return sum(size(getattr(typed, one.name)) for one in fields(typed))
    return 1


def _copy(pair: TypedPair) -> None:
    """Side A again as side B, ready to be changed at one point; a side that is there stays."""
    if "a" not in pair.sides or "b" in pair.sides:
        return
    other = deepcopy(pair.sides["a"])
    other.opened = ""
    other.case_id = _SIDE_END.sub(lambda end: _OTHER_END[end[0]], other.case_id)
    pair.sides["b"] = other


_OF_ANSWER: Final[Mapping[str, Callable[[str], Sequence[Sentence | Claim]]]] = {
    "split": sentences_of,
    "claims": claims_of,
}


def _split(side: TypedCase, stretches: Sequence[Sentence | Claim]) -> None:
    """A statement for each stretch of the answer at which none stands yet. A claim of a
    sentence that is a statement is split from it."""
    side.statements = [one for one in side.statements if one.text or one.evidence]
    texts = {one.text: one.statement_id for one in side.statements}
    places = {one.span for one in side.statements}
    for stretch in stretches:
        place = sentence_place(side.answer, stretch.start, stretch.end)
        whole = not isinstance(stretch, Claim) or stretch.is_verbatim
        if stretch.text in texts or (whole and place in places):
            continue
        once = whole and side.answer.count(stretch.text) == 1
        side.statements.append(
            TypedStatement(
                statement_id=_next("s", [one.statement_id for one in side.statements]),
                text=stretch.text,
                span=FOUND if once else place,
                parent_id=texts.get(stretch.sentence.text, "")
                if isinstance(stretch, Claim)
                else "",
            )
        )
    side.statements = side.statements or [TypedStatement(statement_id="s1")]


def _sentence_of(stretch: Sentence | Claim) -> str:
    """The sentence that a claim was split from; none of a sentence."""
    return stretch.sentence.text if isinstance(stretch, Claim) else ""


def _add_premises(side: TypedCase, row: int) -> None:
    """What a statement takes for granted, as proposals behind it; one that is there stays."""
    if row >= len(side.statements):
        return
    parent = side.statements[row]
    there = {one.text for one in side.statements}
    for number, premise in enumerate(premises(parent.text), 1):
        if premise.text not in there:
            made = TypedStatement(
                statement_id=child_id(
                    parent.statement_id, [one.statement_id for one in side.statements]
                ),
                text=premise.text,
                span=FOUND if side.answer.count(premise.text) == 1 else NOWHERE,
                parent_id=parent.statement_id,
            )
            side.statements.insert(row + number, made)


def child_id(parent_id: str, ids: Iterable[str]) -> str:
    """``s1`` → s1.1, or the first such name that is free."""
    taken = {one.lower() for one in ids}
    stem = parent_id[: MAX_ID - 5]
    return next(name for n in count(1) if (name := f"{stem}.{n}").lower() not in taken)


def _on_row(side: TypedCase, found: re.Match[str]) -> None:
    listed: list[Any] = getattr(side, found["list"])
    if not found["evidence"]:
        _change(listed, found["verb"], found["row"], partial(_new_row, side, found["list"]))
    elif found["list"] == "statements" and int(found["row"]) < len(listed):
        quotes = listed[int(found["row"])].evidence
        _change(quotes, found["verb"], found["quote"], TypedEvidence)


def _change(listed: list[Any], verb: str, row: str | None, make: Callable[[], Any]) -> None:
    if verb == "add" and row is None:
        listed.append(make())
    elif verb == "remove" and row is not None and int(row) < len(listed):
        del listed[int(row)]


def _new_row(side: TypedCase, name: str) -> TypedPassage | TypedStatement:
    if name == "statements":
        return TypedStatement(_next("s", [one.statement_id for one in side.statements]))
    ids = [one.id for one in (*side.context, *side.retrieved)]
    return TypedPassage(_next("p", ids))


def _next(letter: str, ids: Sequence[str]) -> str:
    taken = {id_.lower() for id_ in ids}
    return next(
        name for number in range(1, len(ids) + 2) if (name := f"{letter}{number}") not in taken
    )
