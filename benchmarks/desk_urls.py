"""The product's pages, and a bare one: a session, two indexed queries, one insert."""

from django.http import HttpRequest, HttpResponse
from django.urls import include, path


def bare(request: HttpRequest) -> HttpResponse:
    from labeling.models import Annotator, Membership, Snippet

    membership = Membership.objects.get(user=request.user.pk, set__slug="desk")
    annotator = Annotator.objects.get(user=request.user.pk, set=membership.set_id)
    made = Snippet.objects.create(annotator=annotator, text="A sentence of some length.")
    return HttpResponse(f"<!doctype html><title>{made.pk}</title><p>{made.text}</p>")


urlpatterns = [path("bare/", bare), path("", include("config.urls"))]
