"""What `labeling` stores: fields, constraints and querysets only.

Rows are written by the noun modules of `labeling` (`cases`, `labels`, `queues`, …). Cases,
statements, expectations and labels are never changed once written; a newer row supersedes an
older one.
"""

from labeling.models.cases import Case, CaseQuerySet, Expectation, RevisionSheet, Statement
from labeling.models.labels import (
    Adjudication,
    Label,
    LabelQuerySet,
    LabelSheet,
    ReferenceSnapshot,
)
from labeling.models.queues import (
    Assignment,
    GoldStatement,
    Queue,
    QueueOrder,
    QueueState,
    Remark,
    RemarkKind,
    Slot,
    SlotQuerySet,
    Snippet,
)
from labeling.models.sets import (
    Annotator,
    CalibrationSet,
    Exposure,
    Invitation,
    Membership,
    Role,
    Source,
)

__all__ = [
    "Adjudication",
    "Annotator",
    "Assignment",
    "CalibrationSet",
    "Case",
    "CaseQuerySet",
    "Expectation",
    "Exposure",
    "GoldStatement",
    "Invitation",
    "Label",
    "LabelQuerySet",
    "LabelSheet",
    "Membership",
    "Queue",
    "QueueOrder",
    "QueueState",
    "ReferenceSnapshot",
    "Remark",
    "RemarkKind",
    "RevisionSheet",
    "Role",
    "Slot",
    "SlotQuerySet",
    "Snippet",
    "Source",
    "Statement",
]
