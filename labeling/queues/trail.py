"""An annotator's own way through a queue: what they did before a statement and what after it."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from labeling.models import Assignment


@dataclass(frozen=True)
class Trail:
    """Keys of statements, in the order in which they were handed out to this annotator."""

    before: UUID | None
    after: UUID | None


def around(assignment: Assignment) -> Trail:
    """The last label of theirs before ``assignment`` and, for one that they look back at, what
    they were handed after it."""
    mine = Assignment.objects.filter(queue=assignment.queue, annotator=assignment.annotator)
    keys = mine.values_list("statement__key", flat=True)
    later = keys.filter(pk__gt=assignment.pk) if assignment.label_id else keys.none()
    return Trail(
        before=keys.filter(pk__lt=assignment.pk, label__isnull=False).order_by("-pk").first(),
        after=later.order_by("pk").first(),
    )
