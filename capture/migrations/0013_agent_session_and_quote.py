"""Adds the agent's session of captures, from their metadata, and the quotations of learnings."""

from typing import Any

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Coalesce, Left
from django.db.models import Value

BATCH = 5_000


def fill(apps: Any, schema_editor: Any) -> None:
    """Takes a batch at a time, each in a transaction of its own."""
    captures = apps.get_model("capture", "Capture").objects.using(schema_editor.connection.alias)
    session = Coalesce(Left(KeyTextTransform("session_id", "metadata"), 200), Value(""))
    last = captures.order_by("-pk").values_list("pk", flat=True).first() or 0
    for start in range(0, last, BATCH):
        captures.filter(pk__gt=start, pk__lte=start + BATCH, agent_session="").update(agent_session=session)


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('capture', '0012_withdrawn_learnings'),
    ]

    operations = [
        migrations.AddField(
            model_name='capture',
            name='agent_session',
            field=models.CharField(blank=True, default='', help_text="the agent's session of the messages", max_length=200),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='learningsource',
            name='quote',
            field=models.TextField(blank=True, default='', help_text='lines of the message around the learning, without secrets'),
            preserve_default=False,
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        AddIndexConcurrently(
            model_name='capture',
            index=models.Index(fields=['agent_session'], name='capture_agent_session'),
        ),
    ]
