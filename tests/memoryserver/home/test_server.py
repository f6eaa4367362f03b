from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.utils import timezone

from memoryserver.accounts.models import User
from memoryserver.home.scope import PageScope
from memoryserver.home.server import health
from memoryserver.ops.models import CLUSTER, Heartbeat

NOW = datetime(2026, 11, 25, 12, tzinfo=UTC)


def test_each_check_is_a_part_of_the_health_line(alice: User) -> None:
    Heartbeat.objects.create(name=CLUSTER, beat_at=timezone.now())
    parts = health(PageScope(alice, "", 7, NOW))
    assert [part.text.partition(":")[0] for part in parts] == ["database", "job cluster", "embedding model"]
    assert [part.good for part in parts[:2]] == [True, True]


def test_job_cluster_that_was_never_seen_is_bad(alice: User) -> None:
    parts = health(PageScope(alice, "", 7, NOW))
    assert [(part.good, part.text) for part in parts if part.text.startswith("job")] == [
        (False, "job cluster: not seen yet")
    ]


def test_administrators_see_what_the_doctor_finds(alice: User, settings: Any, tmp_path: Path) -> None:
    Heartbeat.objects.create(name=CLUSTER, beat_at=timezone.now())
    settings.BACKUP_DIR, settings.JOB_SCHEDULES = str(tmp_path), []
    finding = (False, f"{tmp_path} has no backup yet. To fix: manage.py backup")

    def shown() -> list[tuple[bool, str]]:
        return [(part.good, part.text) for part in health(PageScope(alice, "", 7, NOW))]

    assert finding not in shown()
    alice.is_staff = True
    assert shown()[-1] == finding
