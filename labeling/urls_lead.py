"""Pages about cases and queues for those who lead a set."""

from django.urls import path

from labeling.views import adjudication, authoring, cases, oversight, partners, queue_lead
from labeling.web import paths  # noqa: F401  # registers <id:…>

urlpatterns = [
    path("sets/<id:slug>/cases/", cases.cases, name="cases"),
    path("sets/<id:slug>/statements/", cases.statements, name="set-statements"),
    path("sets/<id:slug>/pairs/<id:pair_id>/", cases.pair, name="pair"),
    path("sets/<id:slug>/lint/", cases.lint, name="lint"),
    path("sets/<id:slug>/write/pair/", authoring.write_pair, name="pair-write"),
    path("sets/<id:slug>/write/case/", authoring.write_case, name="case-write"),
    path("sets/<id:slug>/pairs/<id:pair_id>/edit/", authoring.edit_pair, name="pair-edit"),
    path("sets/<id:slug>/cases/<int:pk>/edit/", authoring.edit_case, name="case-edit"),
    path("sets/<id:slug>/cases/<int:pk>/partner/", partners.partner, name="partner"),
    path(
        "sets/<id:slug>/cases/<int:pk>/partner/write/",
        authoring.write_partner,
        name="partner-write",
    ),
    path("sets/<id:slug>/revisions/<int:revision>/", authoring.revision, name="revision"),
    path("sets/<id:slug>/queues/<int:pk>/progress/", oversight.progress, name="queue-progress"),
    path("sets/<id:slug>/queues/<int:pk>/list/", oversight.bucket_list, name="queue-list"),
    path("sets/<id:slug>/queues/<int:pk>/release/", oversight.release, name="lease-release"),
    path("sets/<id:slug>/queues/<int:pk>/settle/", oversight.settle, name="flag-settle"),
    path("sets/<id:slug>/queues/open/", queue_lead.open_queue, name="queue-open"),
    path("sets/<id:slug>/queues/<int:pk>/", queue_lead.queue, name="queue"),
    path("sets/<id:slug>/queues/<int:pk>/state/", queue_lead.state, name="queue-state"),
    path("sets/<id:slug>/queues/<int:pk>/revise/", queue_lead.revise, name="queue-revise"),
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
