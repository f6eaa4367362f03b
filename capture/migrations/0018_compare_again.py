"""Has the job compare all learnings again, now also for later statements that name what they replace."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

BATCH = 5_000


def compare_again(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Takes a batch at a time, each in a transaction of its own."""
    learnings = apps.get_model("capture", "Learning").objects.using(schema_editor.connection.alias)
    last = learnings.order_by("-pk").values_list("pk", flat=True).first() or 0
    for start in range(0, last, BATCH):
        learnings.filter(pk__gt=start, pk__lte=start + BATCH).exclude(compared_digest="").update(compared_digest="")


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('capture', '0017_by_hand_by'),
    ]

    operations = [
        migrations.RunPython(compare_again, migrations.RunPython.noop, elidable=True),
    ]
