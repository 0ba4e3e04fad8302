"""Rubric versions as released, drafts of them, and what a definition names by its digest."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import CheckConstraint, Q, UniqueConstraint

from grounding.interchange.models import MAX_ID


class RubricVersion(models.Model):
    """A released rubric version, which never changes.

    ``definition`` is the whole definition as released. A ``recorded`` version was
    never released here: it has neither definition, digest nor scope.
    """

    name = models.CharField(max_length=MAX_ID)
    version = models.CharField(max_length=MAX_ID)
    major = models.PositiveIntegerField(null=True)
    minor = models.PositiveIntegerField(null=True)
    patch = models.PositiveIntegerField(null=True)
    recorded = models.BooleanField(default=False)
    definition = models.JSONField(null=True)
    digest = models.CharField(max_length=71, null=True)
    scope_digest = models.CharField(max_length=71, null=True)
    contract_major = models.PositiveIntegerField(default=1)
    required_bump = models.CharField(max_length=8, null=True)
    released_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["name", "major", "minor", "patch", "version"]
        constraints: ClassVar = [
            UniqueConstraint(fields=["name", "version"], name="rubric_version_unique"),
            CheckConstraint(
                condition=Q(recorded=True, definition__isnull=True, digest__isnull=True)
                | Q(recorded=False, definition__isnull=False, digest__isnull=False),
                name="rubric_version_released_or_recorded",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name}@{self.version}"

    @property
    def version_parts(self) -> tuple[int, int, int]:
        return self.major or 0, self.minor or 0, self.patch or 0


class RubricDraft(models.Model):
    """A rubric version that is being written, and may be anything until it is released.

    ``definition`` is the JSON of what was typed, as text: the order of its fields and what is
    wrong with them stay as they are. ``edition`` grows with each save, so that a save that
    began from an older one is seen.
    """

    based_on = models.ForeignKey(RubricVersion, models.PROTECT, null=True, related_name="drafts")
    title = models.CharField(max_length=2 * MAX_ID + 1, blank=True)
    definition = models.TextField()
    edition = models.PositiveIntegerField(default=1)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    updated_at = models.DateTimeField(auto_now_add=True)
    released_as = models.ForeignKey(
        RubricVersion, models.PROTECT, null=True, related_name="drafts_released"
    )
    discarded_at = models.DateTimeField(null=True)

    class Meta:
        ordering: ClassVar = ["-updated_at", "-pk"]
        constraints: ClassVar = [
            CheckConstraint(
                condition=Q(released_as__isnull=True) | Q(discarded_at__isnull=True),
                name="rubric_draft_released_or_discarded",
            ),
        ]

    def __str__(self) -> str:
        return self.title or f"draft {self.pk}"


class Artifact(models.Model):
    """What a rubric names by its digest because it is too large to stand in it: trained weights.
    Never changed; it holds no text of any case."""

    digest = models.CharField(max_length=71, unique=True)
    kind = models.CharField(max_length=32)
    payload = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.kind} {self.digest}"
