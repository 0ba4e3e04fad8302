"""Sentences that an annotator uses again in rationales; nobody else sees them."""

from __future__ import annotations

from typing import Final

from django.db import transaction
from django.db.models import QuerySet

from grounding.errors import BadInput, NotFound
from labeling.models import Annotator, Snippet

MAX_SNIPPETS: Final = 50
MAX_LENGTH: Final = 2_000


def mine(annotator: Annotator) -> QuerySet[Snippet]:
    return Snippet.objects.filter(annotator=annotator)


def save(annotator: Annotator, text: str) -> Snippet:
    """Keep ``text`` for use again; what is there already is found and not kept twice."""
    said = text.replace("\r\n", "\n").strip()
    if not said:
        raise BadInput("write the rationale first that is to be kept", field="rationale")
    if len(said) > MAX_LENGTH or "\x00" in said:
        raise BadInput(
            f"is kept up to {MAX_LENGTH:,} characters, without U+0000", field="rationale"
        )
    with transaction.atomic():
        # Held, so that two saves at once cannot exceed what one may have.
        Annotator.objects.select_for_update().get(pk=annotator.pk)
        return mine(annotator).filter(text=said).first() or _added(annotator, said)


def delete(annotator: Annotator, pk: int) -> None:
    mine(annotator).filter(pk=pk).delete()


def appended(annotator: Annotator, pk: int, rationale: str) -> str:
    """``rationale`` with a snippet after it, on a line of its own."""
    found = mine(annotator).filter(pk=pk).first()
    if found is None:
        raise NotFound("there is no such snippet of yours")
    before = rationale.rstrip()
    return f"{before}\n{found.text}" if before else found.text


def _added(annotator: Annotator, text: str) -> Snippet:
    if mine(annotator).count() >= MAX_SNIPPETS:
        raise BadInput(f"{MAX_SNIPPETS} snippets at most: delete one first", field="rationale")
    return Snippet.objects.create(annotator=annotator, text=text)
