"""Pages about rubric versions, runs, reports and exports, for those who lead a set."""

from django.urls import path

from calibration.views import (
    answers,
    cases,
    checkup,
    comparing,
    drafts,
    exports,
    gate,
    imports,
    people,
    quality,
    reports,
    rubrics,
    runs,
    training,
)
from labeling import paths  # noqa: F401  # registers <id:…> and <free:…>

urlpatterns = [
    path("rubrics/", rubrics.rubric_list, name="rubrics"),
    path("rubrics/<id:name>/<free:version>/", rubrics.rubric_version, name="rubric-version"),
    path("rubric-files/<id:name>/<free:version>.yaml", rubrics.rubric_yaml, name="rubric-yaml"),
    path("rubric-drafts/", drafts.draft_list, name="drafts"),
    path("rubric-drafts/<int:pk>/", drafts.draft, name="draft"),
    path("rubric-drafts/<int:pk>/trial/", drafts.try_out, name="draft-trial"),
    path("rubric-drafts/<int:pk>/release/", drafts.release, name="draft-release"),
    path("rubric-drafts/<int:pk>/discard/", drafts.discard, name="draft-discard"),
    path("rubric-drafts/<int:pk>/draft.yaml", drafts.draft_yaml, name="draft-yaml"),
    path("sets/<id:slug>/cases/<int:pk>/", cases.case, name="case"),
    path("sets/<id:slug>/import/", imports.import_file, name="import"),
    path("sets/<id:slug>/exports/", exports.exports, name="exports"),
    path("sets/<id:slug>/exports/bundle/", exports.bundle, name="export-bundle"),
    path("sets/<id:slug>/exports/csv/", exports.csv, name="export-csv"),
    path(
        "sets/<id:slug>/exports/labels.<id:format>",
        exports.annotator_labels,
        name="annotator-labels",
    ),
    path("sets/<id:slug>/gate/<id:name>/<free:version>/", gate.gate, name="gate"),
    path("sets/<id:slug>/judges/<id:name>/<free:version>/", checkup.checks, name="judge-checks"),
    path("sets/<id:slug>/runs/<int:pk>/moved/", checkup.moved, name="probe-moved"),
    path("sets/<id:slug>/quality/", quality.of_set, name="quality"),
    path("sets/<id:slug>/queues/<int:pk>/quality/", quality.of_queue, name="queue-quality"),
    path("sets/<id:slug>/quality/left-out/", quality.left_out_of_set, name="left-out"),
    path(
        "sets/<id:slug>/queues/<int:pk>/quality/left-out/",
        quality.left_out_of_queue,
        name="queue-left-out",
    ),
    path("sets/<id:slug>/queues/<int:pk>/gold/", quality.gold_list, name="queue-gold"),
    path("sets/<id:slug>/compare/", comparing.compare, name="compare"),
    path(
        "sets/<id:slug>/compare/statements/",
        comparing.statements,
        name="compare-statements",
    ),
    path("sets/<id:slug>/learned-judge/", training.train, name="train-judge"),
    path("sets/<id:slug>/runs/", runs.runs, name="runs"),
    path("sets/<id:slug>/runs/<int:pk>/", runs.run, name="run"),
    path("sets/<id:slug>/runs/<int:pk>/progress/", runs.progress, name="run-progress"),
    path("sets/<id:slug>/runs/<int:pk>/cancel/", runs.cancel, name="run-cancel"),
    path("sets/<id:slug>/runs/<int:pk>/rerun/", runs.rerun, name="run-rerun"),
    path("sets/<id:slug>/runs/<int:pk>/calls/", runs.run_calls, name="run-calls"),
    path("sets/<id:slug>/runs/<int:pk>/report/", reports.create, name="report-create"),
    path("sets/<id:slug>/runs/<int:pk>/judgments/", runs.judgments, name="judgments"),
    path("sets/<id:slug>/judgments/<int:pk>/", runs.judgment, name="judgment"),
    path("sets/<id:slug>/reports/<int:pk>/", reports.report, name="report"),
    path(
        "sets/<id:slug>/reports/<int:pk>/disagreements/",
        reports.disagreements,
        name="disagreements",
    ),
    path("sets/<id:slug>/reports/<int:pk>/queue/", reports.have_labelled, name="report-queue"),
    path(
        "sets/<id:slug>/reports/<int:pk>/statements/",
        reports.statements,
        name="report-statements",
    ),
    path("sets/<id:slug>/reports/<int:pk>/pairs/", reports.pairs, name="report-pairs"),
    path("sets/<id:slug>/reports/<int:pk>/ratings/", people.ratings, name="report-ratings"),
    path(
        "sets/<id:slug>/reports/<int:pk>/rating-pairs/",
        people.rating_pairs,
        name="report-rating-pairs",
    ),
    path(
        "sets/<id:slug>/reports/<int:pk>/annotators/", people.annotators, name="report-annotators"
    ),
    path("sets/<id:slug>/reports/<int:pk>/answers/", answers.answers, name="report-answers"),
    path(
        "sets/<id:slug>/reports/<int:pk>/answers/<int:case>/",
        answers.answer,
        name="report-answer",
    ),
    path(
        "sets/<id:slug>/reports/<int:pk>/report.<id:format>",
        reports.download,
        name="report-download",
    ),
]
