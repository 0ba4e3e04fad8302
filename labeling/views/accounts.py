"""An account's own business: coming in by an invitation, a new password, and leaving."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth import login, update_session_auth_hash
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.views import LogoutView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from grounding.errors import NotFound
from labeling.models import Invitation
from labeling.people import accounts, invitations
from labeling.people.forms import JoinForm
from labeling.web.responses import Request

_BACKEND = "django.contrib.auth.backends.ModelBackend"


@login_not_required
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: Request, token: str) -> HttpResponse:
    try:
        found = invitations.find(token)
        known = request.user.is_authenticated
        answer = _as_oneself(request, found) if known else _as_newcomer(request, found)
    except NotFound:
        # Its own page, and the same one whatever is wrong with the link.
        answer = render(request, "labeling/invitation_closed.html", status=404)
    answer["Cache-Control"] = "no-store"
    return answer


def _as_oneself(request: Request, found: Invitation) -> HttpResponse:
    if request.method == "POST":
        accounts.accept(found, request.user)
        return _welcome(request, found)
    context = {"invitation": found, "held": accounts.no_lower_role(found, request.user)}
    return render(request, "labeling/invitation.html", context)


def _as_newcomer(request: Request, found: Invitation) -> HttpResponse:
    form = JoinForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        name, password = form.cleaned_data["username"], form.cleaned_data["password1"]
        login(request, accounts.create_invited(found, name, password), backend=_BACKEND)
        return _welcome(request, found)
    status = 422 if form.is_bound else 200
    context = {"invitation": found, "form": form}
    return render(request, "labeling/invitation.html", context, status=status)


def _welcome(request: Request, found: Invitation) -> HttpResponse:
    role = found.get_role_display().lower()
    messages.success(request, f"You are now {role} of {found.set.title or found.set.slug}.")
    return redirect("set", found.set.slug)


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def change_password(request: Request) -> HttpResponse:
    form = PasswordChangeForm(request.user, request.POST if request.method == "POST" else None)
    if form.is_valid():
        # This session goes on; every other one of the account ends.
        update_session_auth_hash(request, form.save())
        messages.success(request, "Your password is changed. Other browsers are signed out.")
        return redirect("sets")
    status = 422 if form.is_bound else 200
    return render(request, "registration/password_change.html", {"form": form}, status=status)


@login_not_required
@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """Leave, and take along what the browser kept; it ignores the header on plain HTTP from
    another machine."""
    answer: HttpResponse = LogoutView.as_view()(request)
    answer["Clear-Site-Data"] = '"cache", "storage"'
    return answer
