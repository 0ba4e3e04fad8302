"""A report keeps each of its lists as columns in one field, not as rows or as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import django.db.models.deletion
import numpy as np
from django.db import migrations, models

from labeling.columns.arrays import pack

# As they were when this was written; what is packed carries its own.
DIRECTIONS = ["lenient", "class_escape", "strict", "other"]
CLASSES = ["subject_specific", "external", "interpretation"]
VERDICTS = ["supported", "unsupported", "contradictory", "not_applicable"]
TIERS = ["adjudicated", "consensus", "single", "author", "disputed", "none"]
ERRORS = {
    "direction": DIRECTIONS,
    "human_class": CLASSES,
    "human_verdict": VERDICTS,
    "judgment__claim_class": CLASSES,
    "judgment__verdict": VERDICTS,
    "tier": TIERS,
}
RENAMED = {"judgment__claim_class": "judge_class", "judgment__verdict": "judge_verdict"}
PAIRS = {
    "outcome": [
        *("both_right", "lenient_collapse", "strict_collapse", "inverted", "other", "incomplete"),
    ],
    "twin": ["lenient_flip", "strict_flip", "resisted", "clean_wrong", "incomplete"],
}


def turn(apps: Any, schema_editor: Any) -> None:
    model = lambda name: apps.get_model("calibration", name)  # noqa: E731
    case = apps.get_model("labeling", "Case")
    for report in model("Report").objects.select_related("run").defer("figures").order_by("pk"):
        listed = model("Disagreement").objects.filter(report=report).order_by("position")
        model("DisagreementSheet").objects.create(report=report, columns=errors(listed))
        outcomes = model("PairOutcome").objects.filter(report=report).order_by("position")
        run = report.run
        stood = case.objects.filter(set=run.set_id, added_in__lte=run.revision).exclude(
            superseded_in__lte=run.revision
        )
        model("PairSheet").objects.create(report=report, columns=pairs(outcomes, stood))
    for sheet in model("AnswerSheet").objects.order_by("pk").iterator(chunk_size=1):
        words = sheet.told.pop("words")
        sheet.columns = pack({name: whole(each) for name, each in sheet.told.items()}, words)
        sheet.save(update_fields=["columns"])


def errors(listed: Any) -> bytes:
    names = ["statement_id", "judgment_id", *ERRORS]
    rows = list(listed.values_list(*names))
    statements, judgments, *words = zip(*rows) if rows else ((),) * len(names)
    columns = {"statement": whole(statements), "judgment": whole(judgments)}
    for (name, vocabulary), each in zip(ERRORS.items(), words, strict=True):
        columns[RENAMED.get(name, name)] = coded(each, vocabulary)
    return pack(columns, {RENAMED.get(name, name): words for name, words in ERRORS.items()})


def pairs(outcomes: Any, cases: Any) -> bytes:
    firsts: dict[str, int] = {}
    for pk, pair_id in cases.order_by("position", "pk").values_list("pk", "pair_id"):
        firsts.setdefault(pair_id, pk)
    rows = list(outcomes.values_list("pair_id", "outcome", "twin"))
    columns = {
        "case": whole([firsts[pair_id] for pair_id, _, _ in rows]),
        "outcome": coded([outcome for _, outcome, _ in rows], PAIRS["outcome"]),
        "twin": coded([twin for _, _, twin in rows], PAIRS["twin"]),
    }
    return pack(columns, PAIRS)


def whole(values: Iterable[int]) -> Any:
    return np.array(list(values), dtype=np.int64)


def coded(words: Iterable[str | None], vocabulary: Sequence[str]) -> Any:
    return whole(-1 if word is None else vocabulary.index(word) for word in words)


class Migration(migrations.Migration):
    dependencies = [
        ("calibration", "0005_run_probes_and_twins"),
        ("labeling", "0004_snapshots_in_columns"),
    ]

    operations = [
        *(
            migrations.CreateModel(
                name=name,
                fields=[
                    (
                        "report",
                        models.OneToOneField(
                            on_delete=django.db.models.deletion.PROTECT,
                            primary_key=True,
                            related_name=related,
                            serialize=False,
                            to="calibration.report",
                        ),
                    ),
                    ("columns", models.BinaryField()),
                ],
            )
            for name, related in (
                ("DisagreementSheet", "disagreement_sheet"),
                ("PairSheet", "pair_sheet"),
            )
        ),
        migrations.RenameField("answersheet", "columns", "told"),
        migrations.AddField("answersheet", "columns", models.BinaryField(default=b"")),
        migrations.RunPython(turn, elidable=False),
        migrations.RemoveField("answersheet", "told"),
        migrations.AlterField("answersheet", "columns", models.BinaryField()),
        migrations.DeleteModel("Disagreement"),
        migrations.DeleteModel("PairOutcome"),
    ]
