"""What each answer had, and the agent's session that asked."""

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
from django.conf import settings
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("accounts", "0003_user_context_version"),
        ("inquiries", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="inquiry",
            name="agent_session",
            field=models.CharField(blank=True, help_text="the agent's session, where it is known", max_length=200),
        ),
        migrations.AddField(
            model_name="inquiry",
            name="documents",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=120),
                blank=True,
                default=list,
                help_text="ids of what the answer had",
                size=None,
            ),
        ),
        AddIndexConcurrently(
            model_name="inquiry",
            index=django.contrib.postgres.indexes.GinIndex(fields=["documents"], name="inquiry_documents"),
        ),
    ]
