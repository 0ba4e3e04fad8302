"""The cases that a batch of labels or judgments speaks of, read in two queries."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from grounding.interchange.checking import CaseTexts
from grounding.interchange.models import Evidence, Premise
from labeling.models import CalibrationSet, Case, Statement


class Grading(Protocol):
    """What a label and a judgment have in common."""

    @property
    def case_id(self) -> str: ...
    @property
    def evidence(self) -> tuple[Evidence, ...]: ...
    @property
    def premises(self) -> tuple[Premise, ...]: ...


class Shelf:
    """Live cases of a set; texts only where evidence or a premise's span needs them."""

    def __init__(self, calibration_set: CalibrationSet) -> None:
        self._cases = Case.objects.live().filter(set=calibration_set)
        self._texts: dict[str, CaseTexts] = {}
        self._statements: dict[tuple[str, str], int] = {}

    def load(self, records: Iterable[Grading]) -> None:
        """Hold the cases of ``records``, and no others."""
        gradings = list(records)
        named = {record.case_id for record in gradings}
        quoting = {record.case_id for record in gradings if record.evidence or record.premises}
        self._statements = {
            (case_id, statement_id): pk
            for case_id, statement_id, pk in Statement.objects.filter(
                case__in=self._cases.filter(case_id__in=named)
            ).values_list("case__case_id", "statement_id", "pk")
        }
        self._texts = self._read(quoting)

    def find(self, case_id: str) -> CaseTexts | None:
        return self._texts.get(case_id)

    def statement(self, case_id: str, statement_id: str) -> int:
        """The primary key of a statement that `find` has shown to be there."""
        return self._statements[case_id, statement_id]

    def _read(self, quoting: set[str]) -> dict[str, CaseTexts]:
        ids: dict[str, set[str]] = {}
        for case_id, statement_id in self._statements:
            ids.setdefault(case_id, set()).add(statement_id)
        texts = {}
        if quoting:
            rows = self._cases.filter(case_id__in=quoting)
            for case_id, answer, context in rows.values_list("case_id", "answer", "context"):
                passages = {passage["id"]: passage["text"] for passage in context}
                texts[case_id] = CaseTexts(answer, passages, frozenset(ids[case_id]))
        for case_id in ids.keys() - texts.keys():
            texts[case_id] = CaseTexts("", {}, frozenset(ids[case_id]))
        return texts
