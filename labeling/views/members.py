"""Who is in a set, in which role, and who is invited: for its admins."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from grounding.errors import NotFound
from labeling.access import Member, invitation_for, set_for
from labeling.models import Role
from labeling.people import accounts, setlists
from labeling.people import invitations as inviting
from labeling.people.forms import InviteForm, MemberForm, NameForm
from labeling.web.responses import Request


@require_http_methods(["GET", "HEAD", "POST"])
def members(request: Request, slug: str) -> HttpResponse:
    member = set_for(request.user, slug, at_least=Role.ADMIN)
    if request.method != "POST":
        return _page(request, member)
    form = MemberForm(request.POST)
    if not form.is_valid():
        return _page(request, member, status=422, form=form)
    user, role = form.cleaned_data["username"], form.cleaned_data["role"]
    accounts.join(member.set, user, role)
    messages.success(request, f"{user.username} is now {role.label.lower()} of this set.")
    return _after(request, member, user)


@require_POST
def end(request: Request, slug: str) -> HttpResponse:
    member = set_for(request.user, slug, at_least=Role.ADMIN)
    form = NameForm(request.POST)
    if not form.is_valid():
        raise NotFound("there is no such member")
    user = form.cleaned_data["username"]
    accounts.leave(member.set, user)
    messages.success(
        request,
        f"{user.username} is no longer a member. Their labels stay; "
        "what was reserved for them is free again.",
    )
    return _after(request, member, user)


@require_http_methods(["GET", "HEAD", "POST"])
def invitations(request: Request, slug: str) -> HttpResponse:
    """Make one. Its link stands on the page that answers, and on no other ever."""
    member = set_for(request.user, slug, at_least=Role.ADMIN)
    if request.method != "POST":
        return redirect("members", member.set.slug)
    form = InviteForm(request.POST)
    if not form.is_valid():
        return _page(request, member, status=422, invite=form)
    given = form.cleaned_data
    token = inviting.invite(
        member.set,
        request.user,
        given["role"],
        note=given["note"],
        lasts=timedelta(days=given["days"]),
    )
    return _page(request, member, link=_link(request, token), invited=given["role"])


@require_POST
def withdraw(request: Request, slug: str, pk: int) -> HttpResponse:
    member, invitation = invitation_for(request.user, slug, pk)
    inviting.withdraw(invitation)
    messages.success(request, "The invitation is withdrawn. Its link lets nobody in any more.")
    return redirect("members", member.set.slug)


def _link(request: Request, token: str) -> str:
    """Where the invited go: by https wherever this server is known to be reached so, even when
    a proxy hides that from it."""
    path = reverse("invitation", args=[token])
    secure = f"https://{request.get_host()}"
    if secure in settings.CSRF_TRUSTED_ORIGINS:
        return f"{secure}{path}"
    return request.build_absolute_uri(path)


def _after(request: Request, member: Member, changed: User) -> HttpResponse:
    """Back to the members; to the sets for those who may have shut themselves out."""
    if changed == request.user:
        return redirect("sets")
    return redirect("members", member.set.slug)


def _page(request: Request, member: Member, *, status: int = 200, **shown: Any) -> HttpResponse:
    context = {
        "member": member,
        "here": "members",
        "memberships": setlists.members(member.set),
        "invitations": inviting.lines(member.set),
        "form": MemberForm(),
        "invite": InviteForm(),
        "roles": Role,
    }
    return render(request, "labeling/members.html", context | shown, status=status)
