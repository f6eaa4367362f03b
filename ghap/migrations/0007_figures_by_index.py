"""Widens two indexes of entries, so that lists, figures and the count of what waits need not read the rows.

Each is built beside the old one, which then goes, without blocking writes. Two more are for the lists of failures.
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
        AddIndexConcurrently(
            model_name='failure',
            index=models.Index(fields=['-last_seen', '-id'], name='ghap_failure_latest'),
        ),
        AddIndexConcurrently(
            model_name='failure',
            index=models.Index(fields=['-size', '-last_seen', '-id'], name='ghap_failure_frequent'),
        ),
    ]
