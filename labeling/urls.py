"""Pages for everyone who labels; those for leads alone are in `urls_lead`."""

from django.contrib.auth.views import LoginView
from django.urls import include, path
from django.views.decorators.http import require_http_methods, require_safe
from django.views.generic import RedirectView

from labeling import paths  # noqa: F401  # registers <id:…>
from labeling.views import accounts, desk, history, members, queues, sets

# Django's own view would take any method, PUT and TRACE alike.
_sign_in = require_http_methods(["GET", "HEAD", "POST"])(
    LoginView.as_view(template_name="registration/sign_in.html", redirect_authenticated_user=True)
)
_home = require_safe(RedirectView.as_view(pattern_name="sets"))

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
    path("sets/<id:slug>/queues/<int:pk>/label/<uuid:key>/", desk.label, name="label"),
    path("sets/<id:slug>/labels/", history.my_labels, name="my-labels"),
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
