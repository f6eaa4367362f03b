"""Extract the terms of stored texts again: accents are folded in them."""

from __future__ import annotations

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from memoryserver.vectors.terms import terms

_BATCH = 500


def extract(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Update the records whose terms differ."""
    record = apps.get_model("vectors", "Record")
    rows = record.objects.filter(text__regex="[^\x01-\x7f]").only("pk", "text", "terms")
    changed = []
    for row in rows.iterator(chunk_size=_BATCH):
        extracted = terms(row.text)
        if extracted != row.terms:
            row.terms = extracted
            changed.append(row)
        if len(changed) == _BATCH:
            record.objects.bulk_update(changed, ["terms"])
            changed = []
    record.objects.bulk_update(changed, ["terms"])


class Migration(migrations.Migration):
    dependencies = [("vectors", "0002_terms_of_unspaced_scripts")]

    operations = [migrations.RunPython(extract, migrations.RunPython.noop, elidable=True)]
