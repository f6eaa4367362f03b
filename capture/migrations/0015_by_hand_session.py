"""The agent's session in which a learning was stored by hand."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("capture", "0014_review")]

    operations = [
        migrations.AddField(
            model_name="learning",
            name="by_hand_session",
            field=models.CharField(
                blank=True, help_text="the agent's session that did, where it is known", max_length=200
            ),
        ),
        AddIndexConcurrently(
            model_name="learning",
            index=models.Index(
                condition=models.Q(("by_hand_session", ""), _negated=True),
                fields=["by_hand_session"],
                name="learning_by_hand_session",
            ),
        ),
    ]
