"""The texts of a case that a label on it may quote."""

from __future__ import annotations

from grounding.evidence import Texts
from labeling.cases.sources import SourceTexts
from labeling.models import Case


def texts(case: Case) -> Texts:
    """The admitted passages of ``case`` and its set's approved sources, by id."""
    passages = {passage["id"]: passage["text"] for passage in case.context}
    return Texts(passages, SourceTexts(case.set_id))
