"""What a comparison says, in order: the sentences that a lead needs, then tables and lists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from calibration.rendering.headlines import two_baselines
from calibration.rendering.laid_out import RATE, Document, Item, Section, Table
from calibration.rendering.leniency import CHANCE, more_or_less, with_p
from calibration.rendering.outline import MEANINGS
from calibration.rendering.sentences import AUTHOR_ALONE, author_alone, behind_of, references
from calibration.wording.numbers import (
    UNDEFINED,
    Figure,
    Sentence,
    counted,
    counted_in,
    p_value,
    percent,
    rate_cells,
    read,
    share_in,
    signed,
    words,
)

Compared = Mapping[str, Any]

_TEST: Final = "one-sided exact p, whole pairs or cases being exchanged,"
LEFT_OUT: Final = {
    "first_failed": "the first failed",
    "second_failed": "the second failed",
    "both_failed": "both failed",
    "without_reference": "without a reference",
}
TITLES: Final = {
    "newly_lenient": "Passed by the second alone: failing statements judged supported",
    "broke": "Broken: the first alone is right",
    "fixed": "Fixed: the second alone is right",
}


def sentences(compared: Compared) -> list[str]:
    """Did it become more lenient, on which cells, how sure; or why that cannot be said."""
    return list(map(read, in_pieces(compared)))


def in_pieces(compared: Compared) -> list[Sentence]:
    """`sentences`, each number with what it counts where the figures carry links."""
    if not compared["comparable"]:
        return [[sentence] for sentence in _refusal(compared)]
    return [
        _leniency(compared),
        _strictness(compared),
        _which_cells(compared),
        _how_sure(compared),
        *_cautions(compared),
    ]


def outline(compared: Compared, listed: int) -> Document:
    """The comparison with the first ``listed`` of its fixed and broken statements."""
    first, second = _names(compared)
    return Document(
        title=f"{first} → {second} on {compared['set']['slug']}",
        sentences=sentences(compared),
        facts=_facts(compared),
        sections=list(_sections(compared, listed)),
    )


def name_of(side: Mapping[str, Any]) -> str:
    return f"{side['rubric']['name']}@{side['rubric']['version']}"


def _told(p: float | None, reason: str | None) -> str:
    return f"{p_value(p)}: {reason}" if reason else p_value(p)


def points(difference: Mapping[str, Any]) -> str:
    """A difference of two shares in percentage points, with its interval."""
    if difference["value"] is None:
        return f"{UNDEFINED} ({difference['reason']})"
    low, high = difference["interval"]
    return f"{signed(difference['value'])} ({signed(low)} to {signed(high)})"


def cell_name(cell: Mapping[str, Any]) -> str:
    return f"{words(cell['claim_class'] or 'class not stated')}, {words(cell['verdict'])}"


def _names(compared: Compared) -> tuple[str, str]:
    """Two runs of one version are told apart by their number."""
    sides = [compared["first"], compared["second"]]
    names = [name_of(side) for side in sides]
    if names[0] == names[1]:
        names = [f"{name_of(side)} in run {side['run']['id']}" for side in sides]
    return names[0], names[1]


def _refusal(compared: Compared) -> list[str]:
    first, second = _names(compared)
    told = [f"{second} cannot be compared with {first}: {compared['reason']}."]
    if compared["moved"]:
        moved = [f"{m['field']} ({m['first']} → {m['second']})" for m in compared["moved"]]
        told.append(f"What moved in the scope: {'; '.join(moved)}.")
    return [*told, *_two_baselines(compared)]


def _two_baselines(compared: Compared) -> Iterable[str]:
    old, new = compared["first"]["baseline"], compared["second"]["baseline"]
    if compared["scope"] != "other" or not old or not new or not old["run"] or not new["run"]:
        return
    yield (
        f"{new['of']} has a baseline of its own, run {new['run']}. It is not comparable with run "
        f"{old['run']}, the baseline of {old['of']}; later runs of {new['of']} are read against "
        f"run {new['run']}."
    )


def _leniency(compared: Compared) -> Sentence:
    first, second = _names(compared)
    lenient = compared["lenient"]
    behind = lenient.get("behind", {})
    if not lenient["first"]["n"]:
        why = lenient["first"]["reason"]
        return [f"Whether {second} is more lenient than {first} cannot be told: {why}."]
    return [
        f"{second} is {more_or_less(lenient, first)}. Of the failing statements it passes ",
        *share_in(lenient["second"]),
        f" as supported, where {first} passes ",
        *share_in(lenient["first"]),
        ": it passes ",
        Figure(f"{lenient['only_second']:,}", behind.get("only_second")),
        " that the other caught, and catches ",
        Figure(f"{lenient['only_first']:,}", behind.get("only_first")),
        " that the other passed",
        with_p(lenient, lenient["p_more_lenient"], _TEST),
    ]


def _strictness(compared: Compared) -> Sentence:
    first, second = _names(compared)
    strict = compared["strict"]
    if not strict["first"]["n"]:
        return [f"Whether {second} is stricter cannot be told: {strict['first']['reason']}."]
    change = strict["second"]["count"] - strict["first"]["count"]
    how = "as often" if not change else "more often" if change > 0 else "less often"
    return [
        f"{second} refuses supported statements {how}: ",
        *share_in(strict["second"]),
        f", where {first} refuses ",
        *share_in(strict["first"]),
        ".",
    ]


def _which_cells(compared: Compared) -> Sentence:
    looser = [
        [f"{cell_name(cell)} (", *_change(both["first"], both["second"]), ")"]
        for cell in compared["cells"]
        if (both := cell["lenient"]) and both["second"]["count"] > both["first"]["count"]
    ]
    moved = [
        [
            f"{cell_name(cell)} (",
            *_change(cell["first"], cell["second"], " right"),
            f", p = {p_value(cell['p_holm'])})",
        ]
        for cell in compared["cells"]
        if cell["p_holm"] is not None and cell["p_holm"] <= CHANCE
    ]
    where = ["More failing statements pass in: ", *_listed(looser), "."] if looser else []
    return [
        *(where or ["In no cell do more failing statements pass."]),
        " Cells whose right answers changed beyond chance, after Holm: ",
        *(_listed(moved) or ["none"]),
        ".",
    ]


def _change(first: Mapping[str, Any], second: Mapping[str, Any], what: str = "") -> Sentence:
    """``3 → 5 of 9``"""
    before, after = first.get("behind", {}), second.get("behind", {})
    return [
        Figure(f"{first['count']:,}", before.get("count")),
        " → ",
        Figure(f"{second['count']:,}", after.get("count")),
        f"{what} of ",
        Figure(f"{first['n']:,}", before.get("n")),
    ]


def _listed(phrases: Sequence[Sentence]) -> Sentence:
    return [
        piece for at, phrase in enumerate(phrases) for piece in (["; ", *phrase] if at else phrase)
    ]


def _how_sure(compared: Compared) -> Sentence:
    first, second = _names(compared)
    tested = {key: compared["mcnemar"][key] for key in ("p", "reason")}
    right_first = compared["both_right"] + compared["only_first"]
    right_second = compared["both_right"] + compared["only_second"]
    return [
        "Over the same ",
        *counted_in(compared["n"], "statement", "statements", behind_of(compared, "n")),
        f", {first} is right on ",
        Figure(f"{right_first:,}", behind_of(compared, "right_first")),
        f" and {second} on ",
        Figure(f"{right_second:,}", behind_of(compared, "right_second")),
        f"; first minus second, in points: {points(compared['difference'])}, exact McNemar p = "
        f"{_told(**tested)}. The references are ",
        *references(compared),
        ".",
    ]


def _cautions(compared: Compared) -> Iterable[Sentence]:
    if author_alone(compared["reference"]):
        yield [AUTHOR_ALONE]
    if compared["scope"] == "not stated":
        yield ["Scope not stated: both were recorded elsewhere, and may not answer one question."]
    apart = compared["statements"]
    if apart["only_in_first"] or apart["only_in_second"]:
        yield _apart(compared, apart)
    left: list[Sentence] = [
        [Figure(f"{n:,}", behind_of(compared, reason)), f" {LEFT_OUT[reason]}"]
        for reason, n in compared["left_out"].items()
        if n
    ]
    if left:
        yield ["Not compared, of the statements that both were to judge: ", *_listed(left), "."]
    for side in (compared["first"], compared["second"]):
        if side["run"]["status"] == "partial":
            run = f"Run {side['run']['id']} of {name_of(side)}"
            yield [f"{run} is partial: too much of it failed."]


def _apart(compared: Compared, apart: Mapping[str, int]) -> Sentence:
    common = counted_in(apart["common"], "statement", "statements", behind_of(compared, "common"))
    alone = [
        Figure(f"{apart[which]:,}", behind_of(compared, which))
        for which in ("only_in_first", "only_in_second")
    ]
    return [
        f"The runs are of revisions {compared['first']['run']['revision']} and "
        f"{compared['second']['run']['revision']} of the set: only the ",
        *common,
        " of both can be compared; ",
        alone[0],
        " of the first alone and ",
        alone[1],
        " of the second alone are not.",
    ]


def _facts(compared: Compared) -> list[tuple[str, str]]:
    facts = [(which, _side(compared[which])) for which in ("first", "second")]
    facts.append(("scope", compared["scope"]))
    if compared["reference"]:
        facts.append(("reference digest", compared["reference"]["digest"]))
    return facts


def _side(side: Mapping[str, Any]) -> str:
    run = side["run"]
    told = f"{name_of(side)}, run {run['id']}, {run['status']}, revision {run['revision']}"
    return f"{told}, baseline of {side['baseline']['of']}" if _is_baseline(side) else told


def _is_baseline(side: Mapping[str, Any]) -> bool:
    return bool(side["baseline"]) and side["baseline"]["run"] == side["run"]["id"]


def _sections(compared: Compared, listed: int) -> Iterable[Section]:
    if not compared["comparable"]:
        both = compared["baselines"] or {}
        yield from two_baselines(both.get("first"), both.get("second"))
        return
    yield _fourfold(compared)
    yield _cells(compared)
    yield _lenient_errors(compared)
    yield _strict_errors(compared)
    for name, title in TITLES.items():
        yield _changes(title, compared[name], listed)


def _fourfold(compared: Compared) -> Section:
    rows = [
        ("first right", f"{compared['both_right']:,}", f"{compared['only_first']:,}"),
        ("first wrong", f"{compared['only_second']:,}", f"{compared['neither']:,}"),
    ]
    table = Table(("", "second right", "second wrong"), rows, numeric_last=True)
    note = "Right: the verdict, and the class too where the reference and both versions state one."
    return Section(f"The same {compared['n']:,} statements", [table], [note])


def _cells(compared: Compared) -> Section:
    rows = [
        (
            cell_name(cell),
            f"{cell['n']:,}",
            f"{cell['first']['count']:,}",
            f"{cell['second']['count']:,}",
            points(cell["difference"]) if cell["n"] else UNDEFINED,
            p_value(cell["p"]),
            p_value(cell["p_holm"]),
        )
        for cell in compared["cells"]
    ]
    headers = ("reference", "n", "first", "second", "first − second, points", "p", "p, Holm")
    note = f"{UNDEFINED}: no statement was compared, or none tells the two apart."
    return Section("Right, cell by cell", [Table(headers, rows, numeric_last=True)], [note])


def _lenient_errors(compared: Compared) -> Section:
    failing = [(cell_name(cell), cell["lenient"]) for cell in compared["cells"] if cell["lenient"]]
    rows = [
        (
            name,
            f"{both['first']['n']:,}",
            f"{both['first']['count']:,}",
            f"{both['second']['count']:,}",
            f"{percent(both['first']['rate'])}",
            f"{percent(both['second']['rate'])}",
            p_value(both["p_more_lenient"]),
        )
        for name, both in [*failing, ("all", compared["lenient"])]
    ]
    headers = ("reference", "n", "first", "second", "first, %", "second, %", "p, more lenient")
    return Section("Lenient errors", [Table(headers, rows, numeric_last=True)])


def _strict_errors(compared: Compared) -> Section:
    rows = [(which, *rate_cells(compared["strict"][which])) for which in ("first", "second")]
    return Section("Strict errors", [Table(("supported, and refused by the", *RATE), rows)])


def _changes(title: str, changes: Sequence[Mapping[str, Any]], listed: int) -> Section:
    left = len(changes) - listed
    notes = [f"Most harmful first; {counted(left, 'more is', 'more are')} not listed."]
    return Section(
        f"{title} ({len(changes):,})",
        items=[_item(change) for change in changes[:listed]],
        notes=notes if left > 0 else [],
    )


def _item(change: Mapping[str, Any]) -> Item:
    lines = [
        ("statement", change.get("text") or ""),
        ("human", f"{cell_name(change['human'])} ({change['human']['tier']})"),
        ("first", cell_name(change["first"])),
        ("second", cell_name(change["second"])),
        ("error", MEANINGS[change["direction"]]),
    ]
    title = f"{words(change['direction'])}: {change['case_id']} / {change['statement_id']}"
    return Item(title, [(label, text) for label, text in lines if text])
