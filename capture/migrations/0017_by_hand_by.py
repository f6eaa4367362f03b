"""Who stored a learning by hand: an agent or a person."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("capture", "0016_pinned_first")]

    operations = [
        migrations.AddField(
            model_name="learning",
            name="by_hand_by",
            field=models.CharField(
                blank=True,
                choices=[("agent", "an agent"), ("person", "a person")],
                help_text="who did, where it is known",
                max_length=10,
            ),
        ),
    ]
