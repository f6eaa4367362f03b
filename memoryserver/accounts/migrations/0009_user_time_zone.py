from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0008_project_team_or_owner")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="time_zone",
            field=models.CharField(
                blank=True, default="", help_text="of the pages; empty for that of the browser", max_length=64
            ),
        ),
    ]
