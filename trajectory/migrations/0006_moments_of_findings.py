"""Adds the call at which a finding was first reported to the agent, and what it said there and where it began."""

from typing import Any

from django.db import migrations, models
from django.db.models import F

BATCH = 1_000


def fill(apps: Any, schema_editor: Any) -> None:
    """Of older findings the last telling alone is known. Takes a batch at a time, each in a transaction of its own."""
    rows = apps.get_model("trajectory", "AssessmentRecord").objects.using(schema_editor.connection.alias)
    last = rows.order_by("-pk").values_list("pk", flat=True).first() or 0
    for start in range(0, last, BATCH):
        batch = rows.filter(pk__gt=start, pk__lte=start + BATCH, first_told_at_call=None)
        batch.exclude(told_at_call=None).update(first_told_at_call=F("told_at_call"))


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('trajectory', '0005_title_branch_and_start'),
    ]

    operations = [
        migrations.AddField(
            model_name='assessmentrecord',
            name='first_told_at_call',
            field=models.PositiveIntegerField(blank=True, help_text='the first call whose answer to the agent contained it', null=True),
        ),
        migrations.AddField(
            model_name='assessmentrecord',
            name='moments',
            field=models.JSONField(default=list, help_text='where it began and where the agent was told, with its severity and summary of then'),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
