"""The failing examples of a report: each disagreement with both sides and what the judge cites."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from calibration.rendering.laid_out import Item, Section
from calibration.wording.numbers import counted, words

Report = Mapping[str, Any]

LONGEST: Final = 2_000
"""Most characters of one text: a judge may write any number, and a file must stay one to open."""
MOST_QUOTES: Final = 6

_OFFSETS: Final = (
    "[from:to] are code points of the passage, or of the answer, counted from 0; the quote is what "
    "stands there."
)


def section(report: Report, listed: int) -> Section:
    """The first ``listed`` disagreements, and how many there are; JSON has all, in full."""
    rows = report["disagreements"][:listed]
    total = report.get("disagreements_in_all", len(report["disagreements"]))
    left = total - len(rows)
    more = f"Most harmful first; {counted(left, 'more is', 'more are')} not listed."
    return Section(
        f"Disagreements ({total:,})",
        items=[_item(row) for row in rows],
        notes=[*([more] if left else []), *([_OFFSETS] if rows else [])],
    )


def _item(row: Mapping[str, Any]) -> Item:
    human, judge = row["human"], row["judge"]
    lines = [
        ("statement", row.get("text")),
        ("in the answer", _place(row["span"]) if row.get("span") else None),
        ("human", f"{_answer(human)} ({human['tier']})"),
        ("judge", _answer(judge)),
        ("explanation", judge["explanation"]),
        *_quoted(judge["evidence"] or ()),
    ]
    return Item(
        f"{words(row['direction'])}: {row['case_id']} / {row['statement_id']}",
        [(label, shortened(text)) for label, text in lines if text],
    )


def shortened(text: str) -> str:
    """``text`` up to `LONGEST`, and how much of it is left out."""
    left = len(text) - LONGEST
    if left <= 0:
        return text
    return f"{text[:LONGEST]} … ({counted(left, 'character', 'characters')} more)"


def places(evidence: Iterable[Mapping[str, Any]]) -> list[str]:
    """Where the first of the quotes stand, ``passage [from:to]``, and how many more there are."""
    told = list(map(_where, evidence))
    left = len(told) - MOST_QUOTES
    return [*told[:MOST_QUOTES], *([f"{left:,} more"] if left > 0 else [])]


def _quoted(evidence: Iterable[Mapping[str, Any]]) -> Iterable[tuple[str, str]]:
    cited = list(evidence)
    for one in cited[:MOST_QUOTES]:
        yield "quoted", " ".join(filter(None, (_where(one), one.get("quote"))))
    left = len(cited) - MOST_QUOTES
    if left > 0:
        yield "quoted", f"{counted(left, 'more quote is', 'more quotes are')} not shown"


def _where(one: Mapping[str, Any]) -> str:
    text = one.get("passage_id") or one.get("source_id") or "?"
    return f"{text} {_place((one['start'], one['end']))}" if one.get("start") is not None else text


def _place(span: Any) -> str:
    start, end = span
    return f"[{start}:{end}]"


def _answer(side: Mapping[str, Any]) -> str:
    return f"{words(side['claim_class'] or 'class not stated')}, {words(side['verdict'])}"
