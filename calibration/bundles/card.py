"""The dataset card of a bundle: what is in it, in words and counts."""

from __future__ import annotations

from collections import Counter
from typing import Final

from django.db.models import Count, QuerySet

from calibration.models import Run
from grounding.contract import CONTRACT
from labeling.models import Annotator, CalibrationSet, Case, Expectation, Label, Statement

_NOT_STATED: Final = "not stated"


def write(calibration_set: CalibrationSet) -> str:
    """Markdown that says the same of the same set, whenever it is written."""
    live = Case.objects.live().filter(set=calibration_set).order_by()
    labels = Label.objects.live().filter(statement__case__in=live.values("pk")).order_by()
    blocks = [
        _opening(calibration_set),
        _listed("Size", _sizes(calibration_set, live, labels)),
        _listed("Pair kinds", _counted(live.filter(pair_id__isnull=False), "pair_kind")),
        _listed("Expected by the author", _expected(live)),
        _listed("Labels by verdict", _counted(labels, "verdict")),
        _listed("Labels by origin", _counted(labels, "origin")),
        _listed("Where the cases are from", _counted(live, "source")),
        _listed("Licences", _counted(live, "licence")),
        _CLOSING,
    ]
    return "\n".join(block for block in blocks if block)


_CLOSING = (
    "## Reading it\n\n"
    "JSON Lines in UTF-8, one record a line; offsets count Unicode code points, half open.\n"
    "Only the live revision of each case is here. Annotators are named by code, never by\n"
    "account. A label whose origin is not `blind`, or that was selected because of what a\n"
    "judge said, does not count as a reference.\n"
)


def _opening(calibration_set: CalibrationSet) -> str:
    return (
        f"# {calibration_set.slug}\n\n"
        f"A calibration set for groundedness judges, revision {calibration_set.revision},"
        f" under contract {CONTRACT.version}.\n"
    )


def _sizes(
    calibration_set: CalibrationSet, live: QuerySet[Case], labels: QuerySet[Label]
) -> list[tuple[str, int]]:
    paired = live.filter(pair_id__isnull=False)
    codes = Annotator.objects.filter(pk__in=labels.values("annotator"))
    runs = Run.objects.filter(set=calibration_set, finished_at__isnull=False, probe__isnull=True)
    return [
        ("cases", live.count()),
        ("pairs", paired.values("pair_id").distinct().count()),
        ("statements", Statement.objects.filter(case__in=live.values("pk")).count()),
        ("labels", labels.count()),
        ("annotators", codes.count()),
        ("finished runs", runs.count()),
    ]


def _expected(live: QuerySet[Case]) -> list[tuple[str, int]]:
    rows = Expectation.objects.filter(statement__case__in=live.values("pk")).order_by()
    cells: Counter[str] = Counter()
    counted = rows.values_list("claim_class", "verdict").annotate(Count("pk"))
    for claim_class, verdict, count in counted:
        name = f"{claim_class or 'class ' + _NOT_STATED}, {verdict or 'verdict ' + _NOT_STATED}"
        cells[name] += count
    return sorted(cells.items())


def _counted(rows: QuerySet, column: str, *, most: int = 20) -> list[tuple[str, int]]:  # type: ignore[type-arg]
    counted: Counter[str] = Counter()
    for value, count in rows.values_list(column).annotate(Count("pk")):
        counted[_plain(value)] += count
    if len(counted) > most:
        return [("different ones", len(counted))]
    return sorted(counted.items())


def _plain(value: str | None) -> str:
    """Imported text on one line, cut short, without the marks that Markdown would act on."""
    if value is None:
        return _NOT_STATED
    line = " ".join(value.split())
    line = line if len(line) <= 100 else line[:99] + "…"
    return "".join(f"\\{mark}" if mark in "\\`*_{}[]<>#|!&" else mark for mark in line)


def _listed(title: str, rows: list[tuple[str, int]]) -> str:
    lines = [f"- {name}: {count}" for name, count in rows]
    return "\n".join([f"## {title}", "", *lines, ""]) if lines else ""
