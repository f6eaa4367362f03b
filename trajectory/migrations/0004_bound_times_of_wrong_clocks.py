"""Takes the time of arrival for calls and sessions whose time cannot be right, as intake does now."""

from datetime import UTC, datetime
from typing import Any

from django.db import migrations
from django.db.models import F, Max, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce, Now

EARLIEST = datetime(2020, 1, 1, tzinfo=UTC)


def bound(apps: Any, schema_editor: Any) -> None:
    """The records of the calls keep the times of the laptop."""
    calls = apps.get_model("trajectory", "ToolCall").objects
    calls.filter(Q(made_at__gt=F("received_at")) | Q(made_at__lt=EARLIEST)).update(made_at=F("received_at"))
    findings = apps.get_model("trajectory", "AssessmentRecord").objects
    findings.filter(Q(began_at__gt=Now()) | Q(began_at__lt=EARLIEST)).update(began_at=Now())
    of_session = calls.filter(trajectory=OuterRef("pk")).order_by().values("trajectory")
    sessions = apps.get_model("trajectory", "Trajectory").objects
    sessions.filter(Q(last_call_at__gt=Now()) | Q(last_call_at__lt=EARLIEST)).update(
        last_call_at=Coalesce(Subquery(of_session.annotate(last=Max("made_at")).values("last")), Now())
    )


class Migration(migrations.Migration):

    dependencies = [
        ('trajectory', '0003_session_end'),
    ]

    operations = [
        migrations.RunPython(bound, migrations.RunPython.noop),
    ]
