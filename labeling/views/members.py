"""Who is in a set, and in which role: for its admins."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from grounding.errors import NotFound
from labeling import accounts, setlists
from labeling.access import Member, set_for
from labeling.forms import MemberForm, NameForm
from labeling.models import Role
from labeling.responses import Request


@require_http_methods(["GET", "HEAD", "POST"])
def members(request: Request, slug: str) -> HttpResponse:
    member = set_for(request.user, slug, at_least=Role.ADMIN)
    if request.method != "POST":
        return _page(request, member, MemberForm())
    form = MemberForm(request.POST)
    if not form.is_valid():
        return _page(request, member, form, status=422)
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
    messages.success(request, f"{user.username} is no longer a member. Their labels stay.")
    return _after(request, member, user)


def _after(request: Request, member: Member, changed: User) -> HttpResponse:
    """Back to the members; to the sets for those who may have shut themselves out."""
    if changed == request.user:
        return redirect("sets")
    return redirect("members", member.set.slug)


def _page(request: Request, member: Member, form: MemberForm, *, status: int = 200) -> HttpResponse:
    context = {
        "member": member,
        "here": "members",
        "memberships": setlists.members(member.set),
        "form": form,
        "roles": Role,
    }
    return render(request, "labeling/members.html", context, status=status)
