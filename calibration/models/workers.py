"""What workers share: their beats, what they hold of a provider, what was sent and answered."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import UniqueConstraint

from calibration.models.runs import Run


class WorkerBeat(models.Model):
    """When a worker last proved, by running a task, that it is there."""

    worker = models.CharField(max_length=200, unique=True)
    seen_at = models.DateTimeField()


class Provider(models.Model):
    """One endpoint that answers judges, and what all workers together are to it.

    Its row is the lock under which permits are given out. ``next_start`` is when the next call
    may start that nobody has reserved yet, ``quiet_until`` what the provider asked for.
    """

    address = models.CharField(max_length=500, unique=True)
    next_start = models.DateTimeField(null=True)
    quiet_until = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.address


class Holder(models.Model):
    """Permits for calls to a provider that one worker holds while its lease lasts.

    ``held`` calls may be in flight at once, ``busy`` were when it last said so, ``wanted`` is
    what it could use. Where its run has a budget it may begin ``allowed`` more, and what the
    ``unwritten`` ones took stands in no attempt yet.
    """

    provider = models.ForeignKey(Provider, models.CASCADE, related_name="holders")
    # None where somebody tries a draft out.
    run = models.ForeignKey(Run, models.CASCADE, null=True, related_name="holders")
    token = models.UUIDField(unique=True)
    held = models.PositiveIntegerField(default=0)
    busy = models.PositiveIntegerField(default=0)
    wanted = models.PositiveIntegerField(default=0)
    allowed = models.PositiveIntegerField(default=0)
    unwritten_calls = models.PositiveIntegerField(default=0)
    unwritten_tokens = models.PositiveBigIntegerField(default=0)
    unwritten_cost = models.FloatField(default=0)
    lease_until = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["pk"]


class SentRequest(models.Model):
    """What was sent to a provider, once for each digest, however often it was sent."""

    digest = models.CharField(max_length=71, primary_key=True)
    body = models.TextField()


class CachedReply(models.Model):
    """An answer that a provider gave, by what it was asked.

    ``model`` is what the provider said had answered.
    """

    provider = models.ForeignKey(Provider, models.CASCADE, related_name="+")
    digest = models.CharField(max_length=71)
    model = models.TextField(null=True)
    reply = models.TextField()
    stored_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            UniqueConstraint(fields=["provider", "digest"], name="cached_reply_once"),
        ]
