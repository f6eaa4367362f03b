"""Indexes entries by strategy, so that a list of those of one that is seldom used does not look through all others."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('ghap', '0009_poor_entries'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='entry',
            index=models.Index(fields=['strategy', '-captured_at', '-id'], include=['user', 'project', 'domain', 'outcome_status', 'confidence_tier'], name='ghap_entry_strategy'),
        ),
    ]
