from __future__ import annotations

from datetime import timedelta

from django.utils import timezone
from django_q.models import Failure

from memoryserver.ops.jobs import purge_failures


def test_records_of_failures_are_purged_after_a_month(db: None) -> None:
    for days in (1, 29, 31, 300):
        then = timezone.now() - timedelta(days=days)
        Failure.objects.create(id=f"{days:032}", name=str(days), func="x", started=then, stopped=then, success=False)

    assert purge_failures() == 2
    assert sorted(Failure.objects.values_list("name", flat=True)) == ["1", "29"]
