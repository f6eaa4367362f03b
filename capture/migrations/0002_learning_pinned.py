"""Learnings can be pinned."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("capture", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="learning",
            name="pinned",
            field=models.BooleanField(default=False, help_text="comes before all others in what agents are told"),
        ),
    ]
