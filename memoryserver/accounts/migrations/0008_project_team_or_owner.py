from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0007_one_project_per_team_and_key")]

    operations = [
        migrations.AddConstraint(
            model_name="project",
            constraint=models.UniqueConstraint(fields=("team", "key"), name="project_key_once_per_team"),
        ),
        migrations.AddConstraint(
            model_name="project",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("owner__isnull", False), ("team__isnull", True)),
                    models.Q(("owner__isnull", True), ("team__isnull", False)),
                    _connector="OR",
                ),
                name="project_team_or_owner",
                violation_error_message="a project belongs to one team or to one owner",
            ),
        ),
    ]
