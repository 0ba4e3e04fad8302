"""Snapshots keep the different answers once, and in columns which of them each statement has."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from django.db import migrations, models

from labeling.columns.arrays import pack

_AT_ONCE = 10


def turn(apps: Any, schema_editor: Any) -> None:
    snapshots = apps.get_model("labeling", "ReferenceSnapshot").objects.order_by("pk")
    for snapshot in snapshots.iterator(chunk_size=_AT_ONCE):
        rows = sorted((int(pk), json.dumps(row)) for pk, row in snapshot.references.items())
        known = {told: place for place, told in enumerate(dict.fromkeys(row for _, row in rows))}
        columns = np.array([(pk, known[told]) for pk, told in rows], dtype=np.int64).reshape(-1, 2)
        snapshot.answers = [json.loads(told) for told in known]
        snapshot.statements = pack({"statement": columns[:, 0], "answer": columns[:, 1]})
        snapshot.save(update_fields=["answers", "statements"])


class Migration(migrations.Migration):
    dependencies = [
        ("labeling", "0003_label_history"),
    ]

    operations = [
        migrations.AddField("referencesnapshot", "answers", models.JSONField(default=list)),
        migrations.AddField("referencesnapshot", "statements", models.BinaryField(default=b"")),
        migrations.RunPython(turn, elidable=False),
        migrations.RemoveField("referencesnapshot", "references"),
        migrations.AlterField("referencesnapshot", "answers", models.JSONField()),
        migrations.AlterField("referencesnapshot", "statements", models.BinaryField()),
    ]
