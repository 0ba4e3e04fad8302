"""A queue's progress for those who lead its set, and the lists behind its numbers."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from grounding.errors import NotFound
from labeling.access import Member, queue_for
from labeling.models import Assignment, Queue, Remark, RemarkKind, Role
from labeling.queues import claims, oversight, remarks
from labeling.queues.buckets import BUCKETS
from labeling.sets import exposures
from labeling.web import parameters
from labeling.web.responses import Request

NAMES = {"names": ["1"]}


@require_safe
def progress(request: Request, slug: str, pk: int) -> HttpResponse:
    member, queue = queue_for(request.user, slug, pk, at_least=Role.LEAD)
    names = parameters.read(request.GET, NAMES).get("names")
    seen = oversight.of(queue)
    context = {
        "member": member,
        "here": "queues",
        "queue": queue,
        "names": names,
        "seen": seen,
        "units": oversight.tables(seen),
        "columns": oversight.COLUMNS,
        "lines": [
            (one, [(name, one.counts[name]) for name in oversight.COLUMNS]) for one in seen.lines
        ],
    }
    return render(request, "labeling/oversight/progress.html", context)


@require_safe
def bucket_list(request: Request, slug: str, pk: int) -> HttpResponse:
    member, queue = queue_for(request.user, slug, pk, at_least=Role.LEAD)
    annotators = {one.code: one for one in oversight.annotators_in(queue)}
    allowed = {"bucket": list(BUCKETS), "annotator": list(annotators), **NAMES}
    filters = parameters.read(request.GET, allowed)
    exposures.record(member.set, request.user, "queue-list")
    bucket = filters.get("bucket", "statements")
    rows = oversight.BucketList(queue, bucket, annotators.get(filters.get("annotator", "")))
    context = {
        "member": member,
        "here": "queues",
        "queue": queue,
        "bucket": bucket,
        "unit": BUCKETS[bucket].unit,
        "meaning": BUCKETS[bucket].meaning,
        "filters": filters,
        "names": filters.get("names"),
        "buckets": BUCKETS,
        "annotators": annotators,
        "now": timezone.now(),
        "page": parameters.page_of(rows, request.GET),
    }
    return render(request, "labeling/oversight/list.html", context)


@require_POST
def release(request: Request, slug: str, pk: int) -> HttpResponse:
    member, queue = queue_for(request.user, slug, pk, at_least=Role.LEAD)
    if claims.release(_assignment(queue, request.POST.get("assignment", ""))):
        messages.success(request, "The place is free again. What was written is kept.")
    else:
        messages.info(request, "The place was no longer reserved; nothing was changed.")
    return _to_list(member, queue, "leased")


@require_POST
def settle(request: Request, slug: str, pk: int) -> HttpResponse:
    member, queue = queue_for(request.user, slug, pk, at_least=Role.LEAD)
    remarks.settle_flag(_flag(queue, request.POST.get("flag", "")))
    messages.success(request, "The flag is settled, and kept.")
    return _to_list(member, queue, "flagged")


def _assignment(queue: Queue, given: str) -> Assignment:
    found = Assignment.objects.filter(queue=queue, pk=_number(given)).first()
    if found is None:
        raise NotFound("there is no such work in this queue")
    return found


def _flag(queue: Queue, given: str) -> Remark:
    flagged = Remark.objects.filter(assignment__queue=queue, kind=RemarkKind.FLAGGED)
    found = flagged.filter(pk=_number(given)).first()
    if found is None:
        raise NotFound("there is no such flag in this queue")
    return found


def _number(given: str) -> int:
    """0, which is no one's, where nothing like a number was given."""
    return int(given) if given.isascii() and given.isdigit() and len(given) < 19 else 0


def _to_list(member: Member, queue: Queue, bucket: str) -> HttpResponse:
    return redirect(f"{reverse('queue-list', args=[member.set.slug, queue.pk])}?bucket={bucket}")
