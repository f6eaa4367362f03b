"""Indexes the few entries that several sessions worked on, so that the page of a session finds those it had before."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('ghap', '0007_figures_by_index'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='entry',
            index=models.Index(condition=models.Q(('body__has_key', 'earlier_agent_sessions')), fields=['user'], name='ghap_entry_adopted'),
        ),
    ]
