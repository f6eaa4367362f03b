"""Adds when and by whom a learning was reviewed; one that a person has changed counts as reviewed."""

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models import Max, OuterRef, Subquery

BATCH = 2_000


def fill(apps: Any, schema_editor: Any) -> None:
    """Takes a batch at a time, each in a transaction of its own."""
    alias = schema_editor.connection.alias
    learnings = apps.get_model("capture", "Learning").objects.using(alias)
    changes = apps.get_model("capture", "LearningChange").objects.using(alias).exclude(made_by=None)
    latest = changes.filter(learning=OuterRef("pk")).order_by().values("learning").annotate(at=Max("made_at"))
    last = learnings.order_by("-pk").values_list("pk", flat=True).first() or 0
    for start in range(0, last, BATCH):
        batch = learnings.filter(pk__gt=start, pk__lte=start + BATCH, pk__in=changes.values("learning"))
        batch.update(reviewed_at=Subquery(latest.values("at")))


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ('capture', '0013_agent_session_and_quote'),
    ]

    operations = [
        migrations.AddField(
            model_name='learning',
            name='reviewed_at',
            field=models.DateTimeField(blank=True, help_text='when a person last kept or changed it', null=True),
        ),
        migrations.AddField(
            model_name='learning',
            name='reviewed_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        AddIndexConcurrently(
            model_name='learning',
            index=models.Index(condition=models.Q(('reviewed_at', None)), fields=['-first_seen'], name='learning_unreviewed'),
        ),
    ]
