"""Widens two indexes, so that lists, figures and the count of what waits need not read the rows of entries.

Each is built beside the old one, which then goes, without blocking writes.
"""

from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('ghap', '0006_latest_entries'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='entry',
            index=models.Index(fields=['-captured_at', '-id'], include=['user', 'project', 'strategy', 'domain', 'outcome_status', 'confidence_tier', 'iteration_count'], name='ghap_entry_figures'),
        ),
        RemoveIndexConcurrently(
            model_name='entry',
            name='ghap_entry_latest',
        ),
        AddIndexConcurrently(
            model_name='entry',
            index=models.Index(fields=['embed_after'], condition=~models.Q(embedded_digest=models.F('content_digest')), include=['embed_attempts'], name='ghap_entry_unembedded'),
        ),
        RemoveIndexConcurrently(
            model_name='entry',
            name='ghap_entry_pending',
        ),
    ]
