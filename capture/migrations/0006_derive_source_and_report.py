"""Give the learnings of before their source and whether they are status reports."""

from __future__ import annotations

from typing import Any

from django.db import migrations

from capture.belief.sources import derive
from capture.local.extraction.status_reports import is_status_report

_BATCH = 1_000


def _derive(apps: Any, schema_editor: Any) -> None:
    learnings = apps.get_model("capture", "Learning").objects.using(schema_editor.connection.alias)
    changed = []
    for row in learnings.only("type", "content", "reasons", "by_hand_at").iterator(_BATCH):
        row.source = "agent" if row.by_hand_at else derive(row.reasons)
        row.is_report = is_status_report(row.type, row.content)
        changed.append(row)
        if len(changed) == _BATCH:
            learnings.bulk_update(changed, ["source", "is_report"])
            changed.clear()
    learnings.bulk_update(changed, ["source", "is_report"])


class Migration(migrations.Migration):
    """See the module."""

    dependencies = [("capture", "0005_learning_source_and_report")]

    operations = [migrations.RunPython(_derive, migrations.RunPython.noop)]
