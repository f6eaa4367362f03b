from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0002_user_deleted_at")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="context_version",
            field=models.PositiveIntegerField(default=0, editable=False),
        ),
    ]
