"""Pages about cases for those who lead a set."""

from django.urls import path

from labeling import paths  # noqa: F401  # registers <id:…>
from labeling.views import cases

urlpatterns = [
    path("sets/<id:slug>/cases/", cases.cases, name="cases"),
    path("sets/<id:slug>/pairs/<id:pair_id>/", cases.pair, name="pair"),
    path("sets/<id:slug>/lint/", cases.lint, name="lint"),
]
