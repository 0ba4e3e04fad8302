"""Calibration sets, who belongs to them, and their approved sources."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import UniqueConstraint

from grounding.interchange.models import MAX_ID
from labeling.constraints import within


class Role(models.TextChoices):
    ANNOTATOR = "annotator"
    LEAD = "lead"
    ADMIN = "admin"


class CalibrationSet(models.Model):
    """Cases that are measured together; ``revision`` grows whenever they change."""

    slug = models.CharField(max_length=MAX_ID, unique=True)
    title = models.CharField(max_length=200, blank=True)
    revision = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["slug"]

    def __str__(self) -> str:
        return self.slug


class Membership(models.Model):
    """What one account may do in one set; ended, never deleted."""

    set = models.ForeignKey(CalibrationSet, models.PROTECT, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=16, choices=Role.choices)
    active = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            UniqueConstraint(fields=["set", "user"], name="membership_one_per_user"),
            within("role", Role.values, name="membership_role_known"),
        ]


class Invitation(models.Model):
    """A link that lets one person in, once. The token itself is kept nowhere."""

    set = models.ForeignKey(CalibrationSet, models.PROTECT, related_name="invitations")
    role = models.CharField(max_length=16, choices=Role.choices)
    note = models.CharField(max_length=200, blank=True)
    token_digest = models.CharField(max_length=71, unique=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)
    used_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    withdrawn_at = models.DateTimeField(null=True)

    class Meta:
        ordering: ClassVar = ["-pk"]
        constraints: ClassVar = [
            within("role", Role.values, name="invitation_role_known"),
        ]


class Exposure(models.Model):
    """That an account has seen what a blind annotator must not: from then on its labels on
    this set are `revealed`. ``to`` says what it saw."""

    set = models.ForeignKey(CalibrationSet, models.PROTECT, related_name="exposures")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="exposures")
    to = models.CharField(max_length=64)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            UniqueConstraint(fields=["set", "user", "to"], name="exposure_first_only"),
        ]


class Annotator(models.Model):
    """Someone who labels, known to exports by ``code`` alone; an import makes no sign-in."""

    set = models.ForeignKey(CalibrationSet, models.PROTECT, related_name="annotators")
    code = models.CharField(max_length=MAX_ID)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="annotators"
    )

    class Meta:
        constraints: ClassVar = [
            UniqueConstraint(fields=["set", "code"], name="annotator_code_unique"),
            UniqueConstraint(fields=["set", "user"], name="annotator_one_per_user"),
        ]

    def __str__(self) -> str:
        return self.code


class Source(models.Model):
    """An approved source for external claims."""

    set = models.ForeignKey(CalibrationSet, models.PROTECT, related_name="sources")
    source_id = models.CharField(max_length=MAX_ID)
    text = models.TextField()
    uri = models.TextField(null=True)
    retrieved_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            UniqueConstraint(fields=["set", "source_id"], name="source_id_unique"),
        ]
