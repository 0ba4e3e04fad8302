"""What `calibration` stores: fields, constraints and querysets only.

Rows are written by the noun modules of `calibration` (`rubrics`, `runs`, `reports`, …).
"""

from calibration.models.reports import (
    AnswerSheet,
    DisagreementSheet,
    DrawnPicture,
    EvidenceSheet,
    FloorBeside,
    PairSheet,
    RatingSheet,
    Report,
    Sheet,
)
from calibration.models.rubrics import (
    Artifact,
    RubricDraft,
    RubricVersion,
)
from calibration.models.runs import (
    ENDED,
    FINISHED,
    MEASURES,
    Attempt,
    Judgment,
    JudgmentQuerySet,
    RoundSheet,
    Run,
    new_key,
)
from calibration.models.workers import (
    CachedReply,
    Holder,
    Provider,
    SentRequest,
    WorkerBeat,
)

__all__ = [
    "ENDED",
    "FINISHED",
    "MEASURES",
    "AnswerSheet",
    "Artifact",
    "Attempt",
    "CachedReply",
    "DisagreementSheet",
    "DrawnPicture",
    "EvidenceSheet",
    "FloorBeside",
    "Holder",
    "Judgment",
    "JudgmentQuerySet",
    "PairSheet",
    "Provider",
    "RatingSheet",
    "Report",
    "RoundSheet",
    "RubricDraft",
    "RubricVersion",
    "Run",
    "SentRequest",
    "Sheet",
    "WorkerBeat",
    "new_key",
]
