"""Adds title, branch and start of sessions; the start is that of the first call that is kept."""

from typing import Any

from django.db import migrations, models
from django.db.models import Min, OuterRef, Subquery

BATCH = 1_000


def fill(apps: Any, schema_editor: Any) -> None:
    """Takes a batch at a time, each in a transaction of its own."""
    alias = schema_editor.connection.alias
    sessions = apps.get_model("trajectory", "Trajectory").objects.using(alias)
    calls = apps.get_model("trajectory", "ToolCall").objects.using(alias)
    first = calls.filter(trajectory=OuterRef("pk")).order_by().values("trajectory").annotate(first=Min("made_at"))
    last = sessions.order_by("-pk").values_list("pk", flat=True).first() or 0
    for start in range(0, last, BATCH):
        batch = sessions.filter(pk__gt=start, pk__lte=start + BATCH, started_at=None)
        batch.update(started_at=Subquery(first.values("first")))


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('trajectory', '0004_bound_times_of_wrong_clocks'),
    ]

    operations = [
        migrations.AddField(
            model_name='trajectory',
            name='title',
            field=models.CharField(blank=True, default='', help_text='its first prompt, redacted and cut', max_length=200),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='trajectory',
            name='branch',
            field=models.CharField(blank=True, default='', help_text='that was checked out at its first prompt', max_length=200),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='trajectory',
            name='started_at',
            field=models.DateTimeField(blank=True, help_text='when its first call was made', null=True),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
