"""Adds an index for the list of learnings, and widens that of those that wait to be embedded.

Each is built without blocking writes; the index that goes has done so until the wider one was there.
"""

from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('capture', '0015_by_hand_session'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='learning',
            index=models.Index(fields=['-pinned', '-last_seen', '-id'], name='learning_pinned_first'),
        ),
        AddIndexConcurrently(
            model_name='learning',
            index=models.Index(fields=['embed_after'], condition=~models.Q(embedded_digest=models.F('content_digest')), include=['embed_attempts'], name='learning_unembedded'),
        ),
        RemoveIndexConcurrently(
            model_name='learning',
            name='learning_pending',
        ),
    ]
