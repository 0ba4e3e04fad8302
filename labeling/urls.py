"""Pages for everyone who labels; those for leads alone are in `urls_lead`."""

from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import LoginView, LogoutView
from django.urls import include, path
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.generic import RedirectView

from labeling import paths  # noqa: F401  # registers <id:…>
from labeling.views import desk, history, members, queues, sets

# Django's own views would take any method, PUT and TRACE alike.
_sign_in = require_http_methods(["GET", "HEAD", "POST"])(
    LoginView.as_view(template_name="registration/sign_in.html", redirect_authenticated_user=True)
)
_sign_out = require_POST(login_not_required(LogoutView.as_view()))
_home = require_safe(RedirectView.as_view(pattern_name="sets"))

urlpatterns = [
    path("", _home, name="home"),
    path("sign-in/", _sign_in, name="sign-in"),
    path("sign-out/", _sign_out, name="sign-out"),
    path("sets/", sets.sets, name="sets"),
    path("sets/<id:slug>/", sets.home, name="set"),
    path("sets/<id:slug>/queues/", queues.queues, name="queues"),
    path("sets/<id:slug>/queues/<int:pk>/next/", queues.go, name="queue-next"),
    path("sets/<id:slug>/queues/<int:pk>/revealed/", queues.revealed, name="queue-revealed"),
    path("sets/<id:slug>/queues/<int:pk>/label/<uuid:key>/", desk.label, name="label"),
    path("sets/<id:slug>/labels/", history.my_labels, name="my-labels"),
    path("sets/<id:slug>/members/", members.members, name="members"),
    path("sets/<id:slug>/members/end/", members.end, name="member-end"),
    path("", include("labeling.urls_lead")),
]
