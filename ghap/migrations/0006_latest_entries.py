"""Adds an index for the list of entries, the latest first; it is built without blocking writes."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('ghap', '0005_open_entries'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='entry',
            index=models.Index(fields=['-captured_at', '-id'], name='ghap_entry_latest'),
        ),
    ]
