"""Indexes falsified entries with a poor hypothesis, so that the page of a context does not look through all others."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('ghap', '0008_adopted_entries'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='entry',
            index=models.Index(condition=models.Q(('confidence_tier', 'bronze'), ('outcome_status', 'falsified')), fields=['project', '-captured_at'], name='ghap_entry_poor'),
        ),
    ]
