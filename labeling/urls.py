"""Pages for everyone who labels; those for leads alone are in `urls_lead`."""

from django.contrib.auth.views import LoginView
from django.urls import include, path
from django.views.decorators.http import require_http_methods, require_safe
from django.views.generic import RedirectView

from labeling.views import (
    accounts,
    desk,
    drafts,
    history,
    members,
    parts,
    queues,
    remarks,
    sets,
)
from labeling.web import paths  # noqa: F401  # registers <id:…>

# Django's own view would take any method, PUT and TRACE alike.
_sign_in = require_http_methods(["GET", "HEAD", "POST"])(
    LoginView.as_view(template_name="registration/sign_in.html", redirect_authenticated_user=True)
)
_home = require_safe(RedirectView.as_view(pattern_name="sets"))

_DESK = "sets/<id:slug>/queues/<int:pk>/label/<uuid:key>/"

urlpatterns = [
    path("", _home, name="home"),
    path("sign-in/", _sign_in, name="sign-in"),
    path("sign-out/", accounts.sign_out, name="sign-out"),
    path("password/", accounts.change_password, name="password-change"),
    path("join/<str:token>/", accounts.invitation, name="invitation"),
    path("sets/", sets.sets, name="sets"),
    path("sets/<id:slug>/", sets.home, name="set"),
    path("sets/<id:slug>/queues/", queues.queues, name="queues"),
    path("sets/<id:slug>/queues/<int:pk>/next/", queues.go, name="queue-next"),
    path("sets/<id:slug>/queues/<int:pk>/revealed/", queues.revealed, name="queue-revealed"),
    path(_DESK, desk.label, name="label"),
    path(f"{_DESK}draft/", drafts.save, name="draft-save"),
    path(f"{_DESK}draft/discard/", drafts.discard, name="label-discard"),
    path(f"{_DESK}undo/", drafts.undo, name="label-undo"),
    path(f"{_DESK}skip/", drafts.skip, name="label-skip"),
    path(f"{_DESK}flag/", drafts.flag, name="label-flag"),
    path(f"{_DESK}withdraw/", remarks.withdraw, name="remark-withdraw"),
    path(f"{_DESK}snippets/", drafts.use_snippets, name="label-snippets"),
    path(f"{_DESK}parts/", parts.split, name="label-parts"),
    path(f"{_DESK}parts/<int:number>/", parts.part, name="label-part"),
    path("sets/<id:slug>/labels/", history.my_labels, name="my-labels"),
    path("sets/<id:slug>/remarks/", remarks.my_remarks, name="my-remarks"),
    path("sets/<id:slug>/members/", members.members, name="members"),
    path("sets/<id:slug>/members/end/", members.end, name="member-end"),
    path("sets/<id:slug>/invitations/", members.invitations, name="invitations"),
    path(
        "sets/<id:slug>/invitations/<int:pk>/withdraw/",
        members.withdraw,
        name="invitation-withdraw",
    ),
    path("", include("labeling.urls_lead")),
]
