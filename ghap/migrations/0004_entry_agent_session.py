"""Adds the agent's session of entries, with an index that is built without blocking writes."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('ghap', '0003_failures'),
    ]

    operations = [
        migrations.AddField(
            model_name='entry',
            name='agent_session',
            field=models.CharField(blank=True, default='', help_text="the agent's session, where it is known", max_length=200),
            preserve_default=False,
        ),
        migrations.AlterField(
            model_name='entry',
            name='session_id',
            field=models.CharField(help_text="the journal's session", max_length=100),
        ),
        AddIndexConcurrently(
            model_name='entry',
            index=models.Index(condition=models.Q(('agent_session', ''), _negated=True), fields=['agent_session'], name='ghap_entry_agent_session'),
        ),
    ]
