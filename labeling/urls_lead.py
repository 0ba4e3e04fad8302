"""Pages about cases for those who lead a set."""

from django.urls import path

from labeling import paths  # noqa: F401  # registers <id:…>
from labeling.views import adjudication, authoring, cases

urlpatterns = [
    path("sets/<id:slug>/cases/", cases.cases, name="cases"),
    path("sets/<id:slug>/pairs/<id:pair_id>/", cases.pair, name="pair"),
    path("sets/<id:slug>/lint/", cases.lint, name="lint"),
    path("sets/<id:slug>/write/pair/", authoring.write_pair, name="pair-write"),
    path("sets/<id:slug>/write/case/", authoring.write_case, name="case-write"),
    path("sets/<id:slug>/pairs/<id:pair_id>/edit/", authoring.edit_pair, name="pair-edit"),
    path("sets/<id:slug>/cases/<int:pk>/edit/", authoring.edit_case, name="case-edit"),
    path("sets/<id:slug>/revisions/<int:revision>/", authoring.revision, name="revision"),
    path("sets/<id:slug>/adjudication/", adjudication.adjudication, name="adjudication"),
    path(
        "sets/<id:slug>/adjudication/majorities/",
        adjudication.adjudicate_bulk,
        name="adjudicate-bulk",
    ),
    path("sets/<id:slug>/adjudication/<uuid:key>/", adjudication.adjudicate, name="adjudicate"),
    path(
        "sets/<id:slug>/labels/<int:pk>/parts/<int:number>/promote/",
        authoring.promote,
        name="promote",
    ),
]
