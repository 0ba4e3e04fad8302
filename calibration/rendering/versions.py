"""What is said of a rubric's versions on a set: which became more lenient, what moved while no
version did, and how worn the hold-out is. Takes the dict of `calibration.versions.full`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from calibration.rendering import drift, holdout
from calibration.rendering.comparison import cell_name
from calibration.rendering.headlines import HEADLINES, two_baselines
from calibration.rendering.laid_out import RATE, Document, Section, Table
from calibration.rendering.leniency import CHANCE, more_or_less, with_p
from calibration.wording.numbers import (
    UNDEFINED,
    Figure,
    Sentence,
    counted,
    decimal,
    p_value,
    percent,
    rate_cells,
    read,
    share_in,
)

Told = Mapping[str, Any]


def outline(told: Told, listed: int) -> Document:
    """``listed`` of the comparisons over time, alarms first."""
    return Document(
        title=f"Versions of {told['rubric']} on {told['set']['slug']}",
        sentences=list(map(read, sentences(told))),
        facts=_facts(told),
        sections=[
            *(section for block in told["blocks"] for section in _block(block)),
            *map(_repeated, told["repeated"]),
            *drift.sections(told["drift"], listed),
            *_holdout(told["holdout"]),
        ],
    )


def sentences(told: Told) -> list[Sentence]:
    """What a lead reads first, each number with what it counts where the figures carry links."""
    if not told["blocks"]:
        return [[f"No version of {told['rubric']} has a finished run on {told['set']['slug']}."]]
    return [
        *(leniency(block) for block in told["blocks"]),
        *(_apart(block) for block in told["blocks"] if block["apart"]),
        *drift.said(told["drift"]),
        holdout.sentence(told["holdout"]),
    ]


def name_of(one: Told) -> str:
    return f"{one['rubric']['name']}@{one['rubric']['version']}"


def stands_as(block: Told, one: Told) -> str:
    """A version as its line names it: by its number, and a baseline that was run again since by
    its run as well."""
    if one["latest"]:
        return str(one["rubric"]["version"])
    first = "baseline" if block["scope_digest"] else "first"
    return f"{one['rubric']['version']}, {first} run {one['id']}"


def leniency(block: Told) -> Sentence:
    """Which versions of a scope are more lenient than what they are read against."""
    if not block["versions"]:
        runs = counted(len(block["partial"]), "run is", "runs are")
        return [f"Nothing is complete: {runs} partial, too much of it failed."]
    later = [one for one in block["versions"] if one["against"]]
    if not later:
        only = name_of(block["versions"][0])
        return [f"{only} stands alone in its scope: there is nothing to read it against yet."]
    worse = [one for one in later if _is_worse(one["against"])]
    if worse:
        return [piece for one in worse for piece in [*_more_lenient(one), " "]][:-1]
    most = max(later, key=lambda one: one["against"]["second"]["rate"] or 0)
    which = "it is" if len(later) == 1 else "they are"
    again = any(name_of(one) == one["against"]["rubric"] for one in later)
    what = "runs" if again else "versions"
    names = name_of(most) if len(later) == 1 else f"The {len(later)} later {what}"
    return [
        f"{names} cannot be told to be more lenient than what {which} read against. ",
        *(["The most lenient: "] if len(later) > 1 else []),
        *_more_lenient(most),
    ]


def _is_worse(against: Told) -> bool:
    return against["p_holm"] is not None and against["p_holm"] <= CHANCE


def _more_lenient(one: Told) -> Sentence:
    against = one["against"]
    if not against["second"]["n"]:
        return [f"{name_of(one)}: {against['second']['reason']}."]
    behind = against.get("behind", {})
    name, other = name_of(one), against["rubric"]
    if name == other:
        name, other = f"{name} in run {one['id']}", f"{other} in run {against['run']}"
    return [
        f"{name} is {more_or_less(_adjusted(against), other)}: of the failing "
        "statements that both graded it passes ",
        *share_in(against["second"]),
        ", where the other passes ",
        *share_in(against["first"]),
        "; ",
        Figure(f"{against['only_second']:,}", behind.get("only_second")),
        " newly passed, ",
        Figure(f"{against['only_first']:,}", behind.get("only_first")),
        " no longer",
        with_p(against, against["p_holm"], "one-sided exact p after Holm"),
    ]


def _adjusted(against: Told) -> Told:
    """The test as one of several, for the words that depend on it."""
    p = against["p_holm"]
    return {**against, "p_more_lenient": 1.0 if p is None else p}


def _apart(block: Told) -> Sentence:
    return [" ".join(apart(block["apart"]))]


def apart(told: Told) -> Iterator[str]:
    """Why a scope is not compared with the one before, and what moved."""
    yield f"{told['here']} is not comparable with {told['before']}: {told['reason']}."
    if told["moved"]:
        moved = [f"{one['field']} ({one['before']} → {one['here']})" for one in told["moved"]]
        yield f"What moved in the scope: {'; '.join(moved)}."
    old = told["baseline_before"]
    if old:
        yield (
            f"The versions from {told['here']} on have a baseline of their own; run {old['id']}, "
            f"the baseline of {name_of(old)}, stands beside it and is not comparable."
        )


def _facts(told: Told) -> list[tuple[str, str]]:
    return [
        ("lowest reference taken", told["reference"]["minimum"]),
        ("seed of the intervals", str(told["seed"])),
        ("not run on this set", ", ".join(told["not_run"]) or "none"),
    ]


def _block(block: Told) -> Iterator[Section]:
    names = (
        " to ".join(dict.fromkeys(name_of(block["versions"][at]) for at in (0, -1)))
        if (block["versions"])
        else "no complete run"
    )
    apart = block["apart"] or {}
    yield from two_baselines(apart.get("baseline_before"), apart.get("baseline_here"))
    yield Section(
        f"Scope {(block['scope_digest'] or 'not stated')[:19]}: {names}",
        [_runs(block), *(_line(block, name, said) for name, said in HEADLINES.items())],
        list(_notes(block)),
    )
    if any(one["against"] for one in block["versions"]):
        yield Section("Against the baseline", [_against(block)])
    yield _cells(block)


def _name(block: Told, one: Told) -> str:
    return f"{one['rubric']['name']}@{stands_as(block, one)}"


def _runs(block: Told) -> Table:
    rows = [
        (
            _name(block, one),
            str(one["id"]),
            f"{one['complete_runs']:,}",
            *(f"{one['lacks'][reason]:,}" for reason in ("failed", "not_planned")),
            *rate_cells(one["own"]),
        )
        for one in block["versions"]
    ]
    headers = ("version", "run", "complete runs", "failed", "not planned", *RATE)
    return Table(headers, rows)


def _line(block: Told, name: str, said: str) -> Table:
    rows = [(_name(block, one), *rate_cells(one[name])) for one in block["versions"]]
    return Table((said, *RATE), rows)


def _notes(block: Told) -> Iterable[str]:
    statements = block["statements"]
    yield (
        f"On the same {statements['common']:,} statements, of {statements['asked']:,} that any of "
        "these runs was to judge and that have a reference. The first table says what each run "
        "lacks of them, and its verdicts right on all that it graded itself."
    )
    for run in block["partial"]:
        yield f"Run {run['id']} of {name_of(run)} is partial and stands on no line."
    if block["left_off"]:
        left = counted(block["left_off"], "earlier version is", "earlier versions are")
        yield f"{left} left off."


def _against(block: Told) -> Table:
    rows = [
        (
            _name(block, one),
            f"{against['rubric']}, run {against['run']}",
            f"{against['second']['n']:,}",
            percent(against["first"]["rate"]),
            percent(against["second"]["rate"]),
            f"{against['only_second']:,}",
            f"{against['only_first']:,}",
            p_value(against["p_more_lenient"]),
            p_value(against["p_holm"]),
        )
        for one in block["versions"]
        if (against := one["against"])
    ]
    headers = ("version", "against", "failing n", "its lenient", "lenient", "newly passed")
    return Table((*headers, "no longer", "p", "p, Holm"), rows, numeric_last=True)


def _cells(block: Told) -> Section:
    """A table for each cell: the line that it draws over the versions."""
    versions: Sequence[Told] = block["versions"]
    lines = lines_of_cells(block)
    tables = [
        Table(
            (cell_name(cells[0]), *RATE),
            [
                (_name(block, one), *rate_cells(cell))
                for one, cell in zip(versions, cells, strict=True)
            ],
        )
        for cells in lines
        if cells[0]["n"]
    ]
    empty = [cell_name(cells[0]) for cells in lines if not cells[0]["n"]]
    note = (
        "Class and verdict right; the class counts where the reference and all versions state one."
    )
    none = [f"No statement in: {'; '.join(empty)}."] if empty else []
    return Section("Cell by cell", tables, [note, *none])


def lines_of_cells(block: Told) -> list[Sequence[Told]]:
    """Each cell as it is in one version after another."""
    return list(zip(*(one["cells"] for one in block["versions"]), strict=True))


def _repeated(told: Told) -> Section:
    rows = [(f"run {run['id']}, {run['finished_at'][:10]}", *_rates(run)) for run in told["runs"]]
    ends = [
        (end, *(percent(told["spread"][name][end]) for name in HEADLINES)) for end in ("min", "max")
    ]
    steady = told["self_agreement"]
    pairwise = steady["pairwise"]["verdict"]
    return Section(
        f"{told['rubric']['name']}@{told['rubric']['version']}: {len(told['runs'])} runs",
        [
            Table(("", *HEADLINES.values()), [*rows, *ends], numeric_last=True),
            Table(
                ("agreement with itself", *RATE),
                [("all verdicts equal", *rate_cells(steady["verdict"]))],
            ),
        ],
        [
            f"On the same {told['statements']:,} statements. Pairwise agreement of the verdicts "
            f"{decimal(pairwise['value'])} over {pairwise['n']:,} statements."
        ],
    )


def _rates(run: Told) -> Iterator[str]:
    for name in HEADLINES:
        rate = run[name]
        yield UNDEFINED if rate["rate"] is None else f"{rate['count']:,} of {rate['n']:,}"


def _holdout(told: Told) -> Iterator[Section]:
    if told["statements"]:
        rows = [("looks", *(f"{told['looks'][end]:g}" for end in ("min", "median", "max")))]
        yield Section(
            "Hold-out",
            [Table(("per statement", "min", "median", "max"), rows, numeric_last=True)],
            [f"Versions that have looked: {', '.join(told['versions']) or 'none'}."],
        )
